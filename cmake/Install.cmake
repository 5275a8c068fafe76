# cmake --install build/release --prefix DIR
#
#   bin/            zeroc, zero-opt
#   lib/zeroc/      what zeroc makes programs of, and the libraries of the front
#                   end; zeroc looks for it beside its own folder
#   lib/cmake/zeroc/zerocConfig.cmake, for find_package(zeroc)
#   include/zeroc/  the front end's headers, and zrt.h
include(CMakePackageConfigHelpers)

set(ZEROC_LIBRARY_DIR lib/zeroc)
set(ZEROC_INCLUDE_DIR include/zeroc)
set(ZEROC_PROGRAM bin/zeroc)

install(TARGETS zeroc zero-opt RUNTIME DESTINATION bin)
install(TARGETS zrt_program RUNTIME DESTINATION ${ZEROC_LIBRARY_DIR})
install(TARGETS ZeroFrontend ZeroDialect ZeroNN ARCHIVE DESTINATION ${ZEROC_LIBRARY_DIR})
foreach(module zrt_mpi zrt_cuda_module)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${ZEROC_LIBRARY_DIR})
  endif()
endforeach()
install(DIRECTORY python DESTINATION ${ZEROC_LIBRARY_DIR} FILES_MATCHING PATTERN "*.py" PATTERN "*.html")
install(DIRECTORY machines DESTINATION ${ZEROC_LIBRARY_DIR})
install(DIRECTORY frontend DESTINATION ${ZEROC_INCLUDE_DIR} FILES_MATCHING PATTERN "*.h")
install(FILES abi/zrt.h abi/CollectiveKinds.def abi/ElementTypes.def
  abi/OperationKinds.def abi/ZrtStructs.def
  DESTINATION ${ZEROC_INCLUDE_DIR}/abi)

configure_package_config_file(cmake/zerocConfig.cmake.in
  ${PROJECT_BINARY_DIR}/zerocConfig.cmake
  INSTALL_DESTINATION lib/cmake/zeroc
  PATH_VARS ZEROC_LIBRARY_DIR ZEROC_INCLUDE_DIR ZEROC_PROGRAM)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zerocConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zerocConfig.cmake ${PROJECT_BINARY_DIR}/zerocConfigVersion.cmake
  DESTINATION lib/cmake/zeroc)
