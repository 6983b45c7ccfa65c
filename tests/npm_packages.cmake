# cmake -DNPM=npm -DFOLDER=folder -P npm_packages.cmake: installs there what its package-lock.json names,
# unless that is done. npm leaves a copy of the lock file that it has carried out.
if(${FOLDER}/package-lock.json IS_NEWER_THAN ${FOLDER}/node_modules/.package-lock.json)
  execute_process(
    COMMAND ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "npm ci failed in ${FOLDER}")
  endif()
endif()
