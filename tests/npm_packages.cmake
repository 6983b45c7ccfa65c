# Installs in FOLDER, by NPM, what its package-lock.json names, unless that is done.
# Sets npm_missing to what is to be told where that cannot be had, as where no registry is reached.
set(npm_missing "")
# npm leaves a copy of the lock file that it has carried out.
if(${FOLDER}/package-lock.json IS_NEWER_THAN ${FOLDER}/node_modules/.package-lock.json)
  execute_process(
    COMMAND ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status TIMEOUT 240)
  if(NOT status EQUAL 0)
    set(npm_missing "npm ci could not install the packages (its own words are above); is its registry reached?")
  endif()
endif()
