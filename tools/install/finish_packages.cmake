# Adds what Debian requires of each package and cmake --install does not install: copyright,
# changelog, and compressed man pages. gzip omits the time.
set(packages_runtime ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
set(packages_development ${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME})
foreach(component ${CPACK_COMPONENTS_ALL})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
  if(IS_DIRECTORY ${root})
    file(COPY ${CPACK_TANDEM_DEBIAN_FILES}/
         DESTINATION ${root}/usr/share/doc/${packages_${component}})
  endif()
endforeach()
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1
     ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/changelog)
foreach(page ${pages})
  execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
