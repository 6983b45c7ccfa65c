#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tandem::command {

/// An append-only file of lines, created with mode 0600. Never blocks: if a pipe is full, the write
/// fails.
class audit_file {
 public:
    /// Calls `on_fault` for the first failed write after each open(), but not for later ones.
    audit_file(std::string path, std::function<void(const std::string&)> on_fault);
    ~audit_file();
    audit_file(const audit_file&) = delete;
    audit_file& operator=(const audit_file&) = delete;

    /// Opens or reopens the file, which may have been rotated. Returns the error ("audit.log:
    /// Permission denied"), or an empty string. On failure the previous file stays open.
    std::string open();
    void write(std::string_view line);

 private:
    int append(std::string_view text);

    std::string path_;
    std::function<void(const std::string&)> on_fault_;
    int fd_ = -1;
    bool has_failed_ = false;
    /// Whether the last write was partial, so that the next line needs a line break before it.
    bool is_inside_line_ = false;
};

}  // namespace tandem::command
