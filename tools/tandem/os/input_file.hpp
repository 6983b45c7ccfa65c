#pragma once

#include <cstddef>
#include <string>

namespace tandem::command {

/// A file opened for reading, or stdin for "-", which is not closed.
class input_descriptor {
 public:
    explicit input_descriptor(const std::string& path);
    ~input_descriptor();
    input_descriptor(const input_descriptor&) = delete;
    input_descriptor& operator=(const input_descriptor&) = delete;

    /// Below 0 if it cannot be opened; errno of the constructor tells why.
    int get() const noexcept { return fd_; }

 private:
    bool owned_;
    int fd_;
};

/// What messages call the file: "stdin" for "-".
std::string input_name(const std::string& path);

/// A file's bytes, or why they cannot be had: "prompts.jsonl: No such file or directory".
struct file_content {
    std::string text;
    std::string fault;
};

/// Reads a whole file, or stdin for "-". A file over `max_bytes` is refused.
file_content read_file(const std::string& path, std::size_t max_bytes);

}  // namespace tandem::command
