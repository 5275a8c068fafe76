# What pyproject.toml puts into the package zeroc, beside python/zeroc:
#
#   bin/zeroc
#   lib/zeroc/      what zeroc makes programs of
install(TARGETS zeroc RUNTIME DESTINATION bin)
install(TARGETS zrt_program RUNTIME DESTINATION lib/zeroc)
foreach(module zrt_mpi zrt_cuda_module)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib/zeroc)
  endif()
endforeach()
