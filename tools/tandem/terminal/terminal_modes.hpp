#pragma once

#include <string_view>

/// How a terminal was before lines were edited in it.
namespace tandem::command::terminal_modes {

/// What is pasted is marked, and so is no key.
inline constexpr std::string_view pastes_told = "\x1b[?2004h";
inline constexpr std::string_view pastes_untold = "\x1b[?2004l";

/// To be called before its modes are changed. One terminal at a time.
void keep(int fd) noexcept;
/// Nothing if none is kept. May be called by a signal handler.
void restore() noexcept;

}  // namespace tandem::command::terminal_modes
