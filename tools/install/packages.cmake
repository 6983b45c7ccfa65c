# `cpack -G DEB` makes the Debian packages tandem (the commands, the unit of serve) and
# libtandem-dev. Configure with the preset `package`, whose folders are Debian's.
set(TANDEM_PACKAGE_MAINTAINER "tandem maintainers <maintainers@localhost>"
    CACHE STRING "Maintainer that packages name")
set(CPACK_PACKAGE_NAME tandem)
set(CPACK_PACKAGE_VENDOR tandem)
set(CPACK_PACKAGE_CONTACT "${TANDEM_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "LLM stage of a voice bot, in front of llama-server")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/finish_packages.cmake)

# Uses SOURCE_DATE_EPOCH if it is set.
string(TIMESTAMP TANDEM_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(CPACK_TANDEM_DEBIAN_FILES ${CMAKE_CURRENT_BINARY_DIR}/debian)
foreach(file copyright changelog)
  configure_file(debian/${file}.in ${CPACK_TANDEM_DEBIAN_FILES}/${file} @ONLY)
endforeach()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME tandem)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"Streams the answers of a llama-server a sentence at a time, and waits for the
voice before it asks for more. The command shows and measures replies, checks
servers, and puts the stage on a port for bots in any language
(tandem.service). With a mock server for tests of bots.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_SOURCE_DIR}/debian/postinst ${CMAKE_CURRENT_SOURCE_DIR}/debian/prerm
    ${CMAKE_CURRENT_SOURCE_DIR}/debian/postrm ${CMAKE_CURRENT_SOURCE_DIR}/debian/conffiles)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtandem-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# As in tandemConfig.cmake, the Boost version that the library was built with.
string(REGEX MATCH "^([0-9]+)[.]([0-9]+)" boost "${Boost_VERSION_STRING}")
math(EXPR next_boost "${CMAKE_MATCH_2} + 1")
set(next_boost ${CMAKE_MATCH_1}.${next_boost})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost-dev (>= ${boost}), libboost-dev (<< ${next_boost}), libcurl4-openssl-dev | libcurl-dev, libfmt-dev, libspdlog-dev, libc6-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"The C++ library that tandem is made of: headers, a static library, and what
CMake and pkg-config need to find it.")
include(CPack)
