#pragma once

#include "terminal/terminal.hpp"

#include <optional>
#include <string_view>

// What a command does at its end about a stdout that could not be written.
namespace tandem::command {

/// Says on stderr why, in the name of `who`; nothing where all was written, or where the reader of
/// a pipe has left, as `head` does once it has enough.
void tell_lost_output(terminal& t, std::string_view who);

/// The exit status for it: that of a program which SIGPIPE ends where the reader has left. Nothing
/// where all was written, or the terminal is gone, which is a matter of SIGHUP.
std::optional<int> status_of_output(const terminal& t);

}  // namespace tandem::command
