# Writes the files of reports into a C++ source: cmake -DFILES=/a,/b -DOUT=… -P this
string(REPLACE "," ";" paths "${FILES}")
set(entries "")
foreach(path ${paths})
  file(READ ${path} text)
  get_filename_component(name ${path} NAME)
  foreach(mark ")tandem\"" "</script" "</style")
    string(FIND "${text}" "${mark}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${name} holds ${mark}, which would end it where it is embedded")
    endif()
  endforeach()
  string(APPEND entries "    if (name == \"${name}\") return R\"tandem(${text})tandem\";\n")
endforeach()

file(WRITE ${OUT} "#include \"report/report_files.hpp\"

namespace tandem::command {

std::string_view report_file_text(std::string_view name) noexcept {
${entries}    return {};
}

}  // namespace tandem::command
")
