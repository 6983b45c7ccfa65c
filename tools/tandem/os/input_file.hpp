#pragma once

#include <cstddef>
#include <string>

namespace tandem::command {

/// A file opened for reading, or stdin for "-". stdin is not closed.
class input_descriptor {
 public:
    explicit input_descriptor(const std::string& path);
    ~input_descriptor();
    input_descriptor(const input_descriptor&) = delete;
    input_descriptor& operator=(const input_descriptor&) = delete;

    /// Negative if the file could not be opened; the constructor then sets errno.
    int get() const noexcept { return fd_; }

 private:
    bool owned_;
    int fd_;
};

/// Returns the name of the file for messages: "stdin" for "-".
std::string input_name(const std::string& path);

/// The content of a file, or the error: "prompts.jsonl: No such file or directory".
struct file_content {
    std::string text;
    std::string fault;
};

/// Reads a whole file, or stdin for "-". Rejects a file larger than `max_bytes`.
file_content read_file(const std::string& path, std::size_t max_bytes);

}  // namespace tandem::command
