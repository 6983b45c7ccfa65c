#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace tandem::command {

/// The lines of a session, to be had again. libedit's own history keeps 1023 characters of a line
/// that is left unfinished. Memory: `max_lines` lines.
class line_history {
 public:
    static constexpr std::size_t max_lines = 100;

    /// A line that was entered; it comes first now.
    void add(const std::string& line);
    /// The line before the one that is shown, in whose place it comes; nullptr if there is none.
    /// What `shown` was changed to is kept until a line is entered.
    const std::string* earlier(const std::string& shown) { return move(shown, at_ + 1); }
    const std::string* later(const std::string& shown);

 private:
    const std::string* move(const std::string& shown, std::size_t to);

    std::deque<std::string> entered_;               // the last one first
    std::deque<std::string> shown_{std::string()};  // as changed; the new line, and entered_
    std::size_t at_ = 0;
};

}  // namespace tandem::command
