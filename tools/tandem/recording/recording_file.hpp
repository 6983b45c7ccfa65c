#pragma once

#include "recording/record_flags.hpp"

#include "tandem/recording.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tandem::command {

/// A file that a run records into; an older recording is kept as FILE.old once the run begins.
/// Nobody but its owner may read it, as it has all that was said.
class recording_file {
 public:
    explicit recording_file(const record_options& options);
    ~recording_file();
    recording_file(const recording_file&) = delete;
    recording_file& operator=(const recording_file&) = delete;

    /// Nothing stands in the way of the run any more. Where there is an older recording, nothing is
    /// written before. False if there is no file to write into; fault() tells why.
    bool begin();
    /// Null if the file cannot be written. It may outlive this object, and keeps nothing then.
    const std::shared_ptr<tandem::recorder>& recorder() const noexcept { return recorder_; }
    /// Why the file cannot be written, or is not whole; empty if it can, and is. To be asked when
    /// nothing is recorded any more.
    std::string fault() const;

 private:
    class lines;
    std::shared_ptr<lines> lines_;
    std::shared_ptr<tandem::recorder> recorder_;
};

}  // namespace tandem::command
