# SPDX-License-Identifier: MIT
# Finds what the library links; bakewellConfig.cmake includes this file too, so that a static library finds the same.
find_package(Threads REQUIRED)
# Debian's OpenEXR package mentions a Python library at length, present or not.
set(bakewell_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
find_package(OpenEXR CONFIG REQUIRED)
set(CMAKE_MESSAGE_LOG_LEVEL "${bakewell_log_level}")
unset(bakewell_log_level)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(meshoptimizer CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(jansson REQUIRED QUIET IMPORTED_TARGET jansson)
pkg_check_modules(zstd REQUIRED QUIET IMPORTED_TARGET libzstd)
