#pragma once

#include <string_view>

/// Saves and restores the modes of a terminal.
namespace tandem::command::terminal_modes {

/// Bracketed paste: the terminal marks pasted text to distinguish it from typed keys.
inline constexpr std::string_view enable_bracketed_paste = "\x1b[?2004h";
inline constexpr std::string_view disable_bracketed_paste = "\x1b[?2004l";

/// Saves the modes before a change. Supports only one terminal at a time.
void save_modes(int fd) noexcept;
/// Restores the saved modes, if any. Async-signal-safe.
void restore() noexcept;

}  // namespace tandem::command::terminal_modes
