# Headers dominate the time that a file of this project takes to compile: MLIR's are
# 20 times as long as what includes them.  So they are parsed once, and files of one
# folder are compiled a few together (CMAKE_UNITY_BUILD, preset `release`).
#
# A name with internal linkage must then be the only one of its target's folder.  Files
# with compile options of their own stay alone, and without the headers.

# zero_share_headers(PCH FOLDER...): all targets of these folders, which were added
# before, take the precompiled headers of the target PCH.
function(zero_share_headers pch)
  foreach(folder IN LISTS ARGN)
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    if(folders)
      zero_share_headers(${pch} ${folders})
    endif()
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(sources ${target} SOURCES)
      get_target_property(own ${target} PRECOMPILE_HEADERS)
      get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
      get_target_property(alone ${target} DISABLE_PRECOMPILE_HEADERS)
      if(type MATCHES "OBJECT_LIBRARY|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|EXECUTABLE"
          AND sources MATCHES "\\.cpp" AND NOT own AND NOT reused AND NOT alone)
        target_precompile_headers(${target} REUSE_FROM ${pch})
        # libstdc++ switches this warning off around its own use; in a precompiled
        # header that is forgotten.
        target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
        zero_group_sources(${target} ${folder})
      endif()
    endforeach()
  endforeach()
endfunction()

# zero_uses_plans(FILE OUT): whether it includes the zero dialect, or what does so.  A change
# of the dialect compiles these files again, so they are no group with others.
function(zero_uses_plans file out)
  get_property(known GLOBAL PROPERTY "zero_uses_plans_${file}")
  if("${known}" STREQUAL "")
    set(known FALSE)
    set_property(GLOBAL PROPERTY "zero_uses_plans_${file}" FALSE)
    file(STRINGS ${file} includes REGEX "^#include \"")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" include "${include}")
      if("${include}" STREQUAL "dialect/zero/Zero.h")
        set(known TRUE)
      elseif(NOT known AND EXISTS ${PROJECT_SOURCE_DIR}/${include})
        zero_uses_plans(${PROJECT_SOURCE_DIR}/${include} known)
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "zero_uses_plans_${file}" ${known})
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# zero_group_sources(TARGET FOLDER): which sources are compiled together.
function(zero_group_sources target folder)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD_MODE GROUP UNITY_BUILD_CODE_AFTER_INCLUDE "#undef DEBUG_TYPE")
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    get_filename_component(part "${source}" DIRECTORY)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base})
    get_source_file_property(options ${source} DIRECTORY ${folder} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} DIRECTORY ${folder} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    elseif(source MATCHES "\\.cpp$")
      zero_uses_plans(${source} plans)
      if(plans)
        string(APPEND part _plans)
      endif()
      string(MAKE_C_IDENTIFIER "${target}_${part}" part)
      math(EXPR group "0${count_${part}} / 6")
      math(EXPR count_${part} "0${count_${part}} + 1")
      set_source_files_properties(${source} DIRECTORY ${folder} PROPERTIES UNITY_GROUP "${part}_${group}")
    endif()
  endforeach()
endfunction()
