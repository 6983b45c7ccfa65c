#pragma once

#include <cstddef>
#include <string>

namespace tandem::command {

/// A file's bytes, or why they cannot be had: "prompts.jsonl: No such file or directory".
struct file_content {
    std::string text;
    std::string fault;
};

/// Reads a whole file, or stdin for "-". A file over `max_bytes` is refused.
file_content read_file(const std::string& path, std::size_t max_bytes);

}  // namespace tandem::command
