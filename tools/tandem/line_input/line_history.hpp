#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace tandem::command {

/// The lines of a session, for recall. libedit's own history keeps only 1023 characters of an
/// unfinished line. Memory: `max_lines` lines.
class line_history {
 public:
    static constexpr std::size_t max_lines = 100;

    /// Adds an entered line as the most recent one.
    void add(const std::string& line);
    /// Moves to the previous line and returns it, or nullptr if there is none. Keeps `shown`, the
    /// edited text of the current line, until the user enters a line.
    const std::string* earlier(const std::string& shown) { return move(shown, at_ + 1); }
    const std::string* later(const std::string& shown);

 private:
    const std::string* move(const std::string& shown, std::size_t to);

    std::deque<std::string> entered_;               // most recent first
    std::deque<std::string> shown_{std::string()};  // with edits: the new line, then entered_
    std::size_t at_ = 0;
};

}  // namespace tandem::command
