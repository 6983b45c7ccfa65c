#pragma once

#include "recording/record_flags.hpp"
#include "recording/recorded_run.hpp"

#include "tandem/instruments.hpp"
#include "tandem/recording.hpp"

#include <memory>
#include <string>

namespace tandem::command {

/// The file that a run records to. When the run begins, an older recording is renamed to FILE.old.
/// Only the owner can read the file, because it contains the conversations.
class recording_file {
 public:
    /// Records `run` as a note, and makes clients and services that are created with `i` record to
    /// the file. Without a file in `options`, records nothing.
    recording_file(const record_options& options, const recorded_run& run, instruments& i);
    ~recording_file();
    recording_file(const recording_file&) = delete;
    recording_file& operator=(const recording_file&) = delete;

    /// Starts writing, once all other checks of the run have passed. Until then an older recording
    /// stays untouched. Returns false if the file cannot be written; see fault().
    bool begin();
    /// Null if there is no file or the file cannot be written. The recorder may outlive this
    /// object; it then discards its input.
    const std::shared_ptr<tandem::recorder>& recorder() const noexcept { return recorder_; }
    /// Why the file cannot be written or is incomplete ("--record run.rec: Permission denied");
    /// otherwise empty. Call this function after the recording has ended.
    std::string fault() const;

 private:
    class lines;
    std::shared_ptr<lines> lines_;
    std::shared_ptr<tandem::recorder> recorder_;
};

}  // namespace tandem::command
