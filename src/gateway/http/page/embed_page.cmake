# Writes the files of the page into a C++ source: cmake -DFILES=a,b -DOUT=… -P this
set(content_types
  .html=text/html .css=text/css .js=text/javascript .svg=image/svg+xml)
string(REPLACE "," ";" paths "${FILES}")

set(entries "")
foreach(path ${paths})
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(FIND "${text}" ")tandem\"" end_mark)
  if(NOT end_mark EQUAL -1)
    message(FATAL_ERROR "${name} holds the mark that ends it in C++")
  endif()
  file(SHA256 ${path} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  get_filename_component(extension ${name} LAST_EXT)
  string(REGEX MATCH "\\${extension}=([^;]+)" found "${content_types}")
  if(NOT found)
    message(FATAL_ERROR "no content type is known for ${name}")
  endif()
  string(APPEND entries "    page_file{\"${name}\", \"${CMAKE_MATCH_1}; charset=utf-8\", "
                        "\"\\\"${hash}\\\"\",\n              R\"tandem(${text})tandem\"},\n")
endforeach()

file(WRITE ${OUT} "#include \"gateway/http/page_file.hpp\"

#include <array>

namespace tandem::gateway {
namespace {

constexpr std::array files{
${entries}};

}  // namespace

std::span<const page_file> page_files() noexcept {
    return files;
}

}  // namespace tandem::gateway
")
