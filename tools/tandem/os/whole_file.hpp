#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// A file that comes whole, instead of one of that name, or not at all.
class whole_file {
 public:
    explicit whole_file(std::string path) : path_(std::move(path)) {}

    /// Why it could not be written ("r.html: Permission denied"), or nothing. Leaves no trace.
    std::string fault() const;
    /// Why it was not written, or nothing.
    std::string write(std::string_view text) const;

 private:
    std::string path_;
};

}  // namespace tandem::command
