# For scripts that run tests with Node.js in FOLDER. SUBJECT is what they test.

# Ends the script. From the message, CTest knows that the test was skipped.
macro(skip why)
  message("${SUBJECT} IS NOT TESTED: ${why}")
  return()
endmacro()

# Finds each program, or skips. `<program>_names` contains other names of the program.
macro(require_programs)
  foreach(program ${ARGN})
    find_program(${program} NAMES ${program} ${${program}_names})
    if(NOT ${program})
      skip("there is no ${program} here (tools/setup.sh tests)")
    endif()
  endforeach()
endmacro()

# Sets `version` to the version of node, or skips if it is older than `who` requires.
macro(require_node least who)
  execute_process(COMMAND ${node} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(version VERSION_LESS ${least})
    skip("node is ${version}; ${who} needs ${least} or newer")
  endif()
endmacro()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()
