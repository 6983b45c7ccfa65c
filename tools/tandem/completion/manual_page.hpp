#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tandem::command {

/// What a page has besides the command's own help.
struct manual_frame {
    std::string name;      ///< "tandem-replay"
    std::string summary;   ///< behind the name, in one line
    std::string date;      ///< "2026-01-31"
    std::string see_also;  ///< other pages, as in "tandem(1), tandem-key(1)"
};

/// A page of section 1 for `man`, in roff, made of the help of a command. It reads the description
/// as all commands write it: paragraphs, of which those that start with "Example:", "Usage:" and
/// "Exit status:" become sections, and indented lines, which stay as they are.
std::string manual_page(const CLI::App& app, const manual_frame& frame);

}  // namespace tandem::command
