# SPDX-License-Identifier: MIT
# Installs headers, library, licence, the pkg-config file and the CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS bakewell EXPORT bakewellTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bakewell DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bakewell)
install(EXPORT bakewellTargets NAMESPACE bakewell:: DESTINATION ${package_dir})
configure_package_config_file(cmake/bakewellConfig.cmake.in ${PROJECT_BINARY_DIR}/bakewellConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bakewellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bakewellConfig.cmake ${PROJECT_BINARY_DIR}/bakewellConfigVersion.cmake cmake/dependencies.cmake
    DESTINATION ${package_dir})

# A static library has no record of what it links: a plain `pkg-config --libs` must name it.
set(pc_requires "libpng, zlib, libzstd, jansson")
set(pc_libs "-lOpenEXRCore -lmeshoptimizer -lpthread -lm")
if(BUILD_SHARED_LIBS)
    set(pc_requires "")
    set(pc_libs "")
endif()
configure_file(cmake/bakewell.pc.in ${PROJECT_BINARY_DIR}/bakewell.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bakewell.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
