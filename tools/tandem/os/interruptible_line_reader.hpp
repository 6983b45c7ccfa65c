#pragma once

#include <cstddef>
#include <string>

namespace tandem::command {

/// Reads a descriptor line by line. Another thread can stop a blocked read. Memory: one line of
/// limited length.
class interruptible_line_reader {
 public:
    /// The caller keeps ownership of both descriptors. Reading ends when `stop` becomes readable.
    interruptible_line_reader(int fd, int stop, std::size_t max_bytes) noexcept
        : fd_(fd), stop_(stop), max_bytes_(max_bytes) {}

    enum class outcome {
        line,
        too_long,  ///< over `max_bytes`; the line is skipped
        end,
        stopped,
        failed  ///< see last_errno()
    };
    /// Reads the next line without its newline; the last line may lack a newline.
    outcome read_next(std::string& line);
    /// Reads any available bytes. Not to be mixed with read_next().
    outcome read_available(std::string& bytes);
    /// The errno of the failed read.
    int last_errno() const noexcept { return failure_; }

 private:
    outcome take(std::size_t end, std::string& line);
    void drop_too_long();
    bool wait();
    // Returns outcome::line if it read more bytes.
    outcome read_more();

    int fd_;
    int stop_;
    std::size_t max_bytes_;
    std::string buffer_;
    std::size_t start_ = 0;     // start of the next line
    std::size_t searched_ = 0;  // no newline between start_ and here
    bool too_long_ = false;     // the start of the line was dropped
    int failure_ = 0;
};

}  // namespace tandem::command
