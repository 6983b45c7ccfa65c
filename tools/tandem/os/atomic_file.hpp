#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// Replaces or creates a file atomically.
class atomic_file {
 public:
    explicit atomic_file(std::string path) : path_(std::move(path)) {}

    /// Returns why the file could not be written ("r.html: Permission denied"), or an empty string.
    /// Leaves no file behind.
    std::string fault() const;
    /// Returns why the write failed, or an empty string.
    std::string write(std::string_view text) const;

 private:
    std::string path_;
};

}  // namespace tandem::command
