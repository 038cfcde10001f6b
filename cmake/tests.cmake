# SPDX-License-Identifier: MIT
# Sample generator, benches, unit tests and fuzz harnesses.  tests/run.py runs what is built here.
pkg_check_modules(cmocka REQUIRED QUIET IMPORTED_TARGET cmocka)

# The generator of sample assets: one program of every file in samples/.
file(GLOB sample_sources CONFIGURE_DEPENDS samples/*.c)
add_executable(make_assets ${sample_sources})
bakewell_flags(make_assets)
target_link_libraries(make_assets PRIVATE bakewell m)

# Benches: one program a *_bench.c, public headers only.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*_bench.c)
foreach(source IN LISTS bench_sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source} bench/row.c)
    bakewell_flags(${name})
    target_link_libraries(${name} PRIVATE bakewell Threads::Threads m)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endforeach()

# Helpers that tests share; linked where used.
file(GLOB helper_sources CONFIGURE_DEPENDS tests/lib/*.c)
add_library(bwi_testlib STATIC ${helper_sources})
bakewell_flags(bwi_testlib)
target_include_directories(bwi_testlib PUBLIC tests/lib PRIVATE include src)
target_link_libraries(bwi_testlib PRIVATE PkgConfig::jansson)

# The library that a test's first word names: a room, a format folder of `read`, or the public library.
function(bakewell_link_by_name target name)
    string(REGEX MATCH "^[a-z0-9]+" word ${name})
    if(word IN_LIST LAYER_ROOMS)
        target_link_libraries(${target} PRIVATE bwi_testlib bwi_${word})
    elseif(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/read/${word})
        target_link_libraries(${target} PRIVATE bwi_testlib bwi_read)
    elseif(word STREQUAL "public" OR word STREQUAL "docs")
        target_link_libraries(${target} PRIVATE bwi_testlib bakewell)
    else()
        message(FATAL_ERROR "tests: '${name}' begins with no room of src/LAYERS, no folder of src/read, and neither 'public' nor 'docs'")
    endif()
endfunction()

file(GLOB unit_sources CONFIGURE_DEPENDS tests/unit/*_test.c)
foreach(source IN LISTS unit_sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    bakewell_flags(${name})
    bakewell_link_by_name(${name} ${name})
    target_link_libraries(${name} PRIVATE PkgConfig::cmocka m)
    target_compile_definitions(${name} PRIVATE BW_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
endforeach()
# It fails allocations of the library, and counts them, without a hook in the library.
target_link_options(public_alloc_test PRIVATE LINKER:--wrap=calloc LINKER:--wrap=realloc LINKER:--wrap=free)

file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.c)
foreach(source IN LISTS fuzz_sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    bakewell_flags(${name})
    bakewell_link_by_name(${name} ${name})
    if(BAKEWELL_FUZZER)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${name} PRIVATE tests/fuzz/replay_main.c)
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
endforeach()

# Programs that test scripts run.
add_subdirectory(tests/tools)
