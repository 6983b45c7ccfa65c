#pragma once

#include <cstddef>
#include <string>

namespace tandem::command {

/// Reads a descriptor line by line, and can be stopped while it waits. Memory: the longest line,
/// which has a bound.
class input_lines {
 public:
    /// Both descriptors stay the caller's. Reading ends when `stop` has something to read.
    input_lines(int fd, int stop, std::size_t max_bytes) noexcept
        : fd_(fd), stop_(stop), max_bytes_(max_bytes) {}

    enum class outcome {
        line,
        too_long,  ///< over `max_bytes`: the line is read past, and not kept
        end,
        stopped,
        failed  ///< see failure()
    };
    /// The next line without its newline; the last one may lack it.
    outcome next(std::string& line);
    /// What comes next, whatever it is; not together with next().
    outcome next_bytes(std::string& bytes);
    /// The errno of the read that failed.
    int failure() const noexcept { return failure_; }

 private:
    outcome take(std::size_t end, std::string& line);
    void drop_too_long();
    bool wait();
    // `line` if there are more bytes.
    outcome read_more();

    int fd_;
    int stop_;
    std::size_t max_bytes_;
    std::string buffer_;
    std::size_t start_ = 0;     // of the next line
    std::size_t searched_ = 0;  // there is no newline from start_ up to here
    bool too_long_ = false;     // the start of the line was dropped
    int failure_ = 0;
};

}  // namespace tandem::command
