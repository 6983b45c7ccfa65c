#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tandem::command {

/// A file that lines are appended to, as they come. It is made with mode 0600. Never waits for a
/// reader: what a pipe cannot take is a fault.
class audit_file {
 public:
    /// `tell` is called once for the first line that could not be written since the file was
    /// opened; later ones are lost silently.
    audit_file(std::string path, std::function<void(const std::string&)> tell);
    ~audit_file();
    audit_file(const audit_file&) = delete;
    audit_file& operator=(const audit_file&) = delete;

    /// Opens the file, again where it was open, as it may have been moved away. Why it cannot be
    /// had ("audit.log: Permission denied"), or nothing; the one that was open stays then.
    std::string open();
    void write(std::string_view line);

 private:
    int append(std::string_view text);

    std::string path_;
    std::function<void(const std::string&)> tell_;
    int fd_ = -1;
    bool has_failed_ = false;
    /// The last write took a part of its line.
    bool is_inside_line_ = false;
};

}  // namespace tandem::command
