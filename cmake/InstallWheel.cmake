# What pyproject.toml puts into the package zeroc, beside python/zeroc:
#
#   bin/zeroc
#   lib/zeroc/      what zeroc makes programs of, and machines
#   dygraphs/       what zeroc report puts into a page, of Debian's libjs-dygraphs
install(TARGETS zeroc RUNTIME DESTINATION bin)
install(TARGETS zrt_program RUNTIME DESTINATION lib/zeroc)
foreach(module zrt_mpi zrt_cuda_module)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib/zeroc)
  endif()
endforeach()
install(DIRECTORY machines DESTINATION lib/zeroc)
find_path(ZERO_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs REQUIRED NO_DEFAULT_PATH)
install(FILES ${ZERO_DYGRAPHS}/dygraph.min.js ${ZERO_DYGRAPHS}/dygraph.min.css
  /usr/share/doc/libjs-dygraphs/copyright DESTINATION dygraphs)
