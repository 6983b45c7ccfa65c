# An added project may leave behind its library, and cache entries with its own name or the name of a
# package that it searches for.

set(watched_directory_properties COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES
    LINK_OPTIONS LINK_LIBRARIES TESTS)
set(allowed_cache_entries "^(TANDEM_|tandem_|Boost_|boost_|CURL_|FETCHCONTENT_|fmt_|nlohmann_json_|\
spdlog_|PKG_CONFIG|PC_CURL|__pkg_config|pkgcfg_|FIND_PACKAGE_MESSAGE_|Threads_|CMAKE_HAVE_|\
_?CMAKE_|prefix_result$)")
set(allowed_targets tandem tandem_warnings)

macro(watch_for_leaks)
  foreach(property ${watched_directory_properties})
    get_directory_property(before_${property} ${property})
  endforeach()
  get_cmake_property(cache_before CACHE_VARIABLES)
  get_cmake_property(variables_before VARIABLES)
endmacro()

macro(fail_on_leaks)
  foreach(property ${watched_directory_properties})
    get_directory_property(after ${property})
    if(NOT "${after}" STREQUAL "${before_${property}}")
      message(FATAL_ERROR "${property} became ${after}")
    endif()
  endforeach()
  get_cmake_property(new_cache CACHE_VARIABLES)
  list(REMOVE_ITEM new_cache ${cache_before})
  list(FILTER new_cache EXCLUDE REGEX "${allowed_cache_entries}")
  if(new_cache)
    message(FATAL_ERROR "new cache entries: ${new_cache}")
  endif()
  get_cmake_property(new_variables VARIABLES)
  get_cmake_property(all_cache CACHE_VARIABLES)
  list(REMOVE_ITEM new_variables ${variables_before} ${all_cache} after cache_before new_cache
       variables_before new_variables all_cache property)
  list(FILTER new_variables EXCLUDE REGEX "^before_")
  if(new_variables)
    message(FATAL_ERROR "new variables: ${new_variables}")
  endif()
  fail_on_targets(${TANDEM_SOURCES})
endmacro()

# Checks the folder and all folders below it.
function(fail_on_targets folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  list(REMOVE_ITEM targets ${allowed_targets})
  if(targets)
    message(FATAL_ERROR "targets besides the library: ${targets}")
  endif()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(f ${folders})
    fail_on_targets(${f})
  endforeach()
endfunction()
