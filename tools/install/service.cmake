# The systemd unit of `tandem serve`, and the file of its settings. Their paths depend on the
# prefix, which is known only at installation.
set(TANDEM_SYSTEMD_UNIT_DIR lib/systemd/system CACHE STRING "Folder of the systemd unit")
install(CODE "
  set(bin_dir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(etc_dir \"\${CMAKE_INSTALL_PREFIX}/etc\")
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(etc_dir /etc)
  endif()
  configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/tandem.service.in\"
                 \"${CMAKE_CURRENT_BINARY_DIR}/tandem.service\" @ONLY)
  configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/serve.env.in\"
                 \"${CMAKE_CURRENT_BINARY_DIR}/serve.env\" @ONLY)
  file(INSTALL \"${CMAKE_CURRENT_BINARY_DIR}/tandem.service\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${TANDEM_SYSTEMD_UNIT_DIR}\")
  # Keeps existing settings.
  if(NOT EXISTS \"\$ENV{DESTDIR}\${etc_dir}/tandem/serve.env\")
    file(INSTALL \"${CMAKE_CURRENT_BINARY_DIR}/serve.env\" DESTINATION \"\${etc_dir}/tandem\")
  endif()" COMPONENT runtime)
