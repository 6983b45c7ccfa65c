# Installs the packages of FOLDER's package-lock.json in FOLDER with NPM, unless they are installed.
# Sets npm_missing to an error message if the installation fails, for example without a registry.
set(npm_missing "")
# npm stores a copy of the lock file that it last installed.
if(${FOLDER}/package-lock.json IS_NEWER_THAN ${FOLDER}/node_modules/.package-lock.json)
  execute_process(
    COMMAND ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status TIMEOUT 240)
  if(NOT status EQUAL 0)
    set(npm_missing "npm ci could not install the packages (its own words are above); is its registry reached?")
  endif()
endif()
