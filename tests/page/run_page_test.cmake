# Runs the tests of the page in FOLDER with the packages of package-lock.json.
set(SUBJECT "THE PAGE")
include(${SOURCES}/../node_test.cmake)
# The shell needs less processor time than the browser.
set(chromium-headless-shell_names chromium chromium-browser google-chrome)
require_programs(node npm chromium-headless-shell)
require_node(18.17 "Playwright")

file(GLOB files ${SOURCES}/*.js ${SOURCES}/*.json ${SOURCES}/*.jsonl)
file(COPY ${files} DESTINATION ${FOLDER})
set(NPM ${npm})
include(${SOURCES}/../npm_packages.cmake)
if(npm_missing)
  skip("${npm_missing}")
endif()

file(MAKE_DIRECTORY ${FOLDER}/pictures)
set(ENV{TANDEM_COMMAND} ${COMMAND})
set(ENV{TANDEM_MOCK_SERVER} ${MOCK_SERVER})
set(ENV{TANDEM_CHROMIUM} ${chromium-headless-shell})
set(ENV{TANDEM_DOCS} ${DOCS})
set(ENV{TANDEM_VOICE_PACKAGE} ${VOICE})
set(ENV{TANDEM_PAGE_PICTURES} ${FOLDER}/pictures)
run(${npm} test --silent)
