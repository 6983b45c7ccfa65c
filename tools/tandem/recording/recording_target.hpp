#pragma once

#include <string>

namespace tandem::command {

/// Reserves the file that a run records to, so that no other process can record to it. An older
/// recording stays in place until take_descriptor(), which renames it to FILE.old.
class recording_target {
 public:
    explicit recording_target(std::string path);
    ~recording_target();
    recording_target(const recording_target&) = delete;
    recording_target& operator=(const recording_target&) = delete;

    /// Why recording is not possible ("run.rec: Permission denied"); otherwise empty.
    const std::string& fault() const noexcept { return fault_; }
    bool has_older() const noexcept { return !older_.empty(); }
    /// Returns the descriptor of a locked, empty file that only the owner can read. The caller must
    /// close it. Returns a negative value on a fault. May be called only once.
    int take_descriptor();

 private:
    void open();
    void check_older_recording();
    void check_kept();
    void move_older_recording_aside();
    void refuse(const std::string& path, const char* why);

    std::string path_;
    /// The path with links resolved, so that a rename keeps the link.
    std::string real_path_{};
    /// The new name of the older recording; empty if there is none.
    std::string older_{};
    std::string fault_{};
    int fd_ = -1;
    bool is_file_ = false;
};

}  // namespace tandem::command
