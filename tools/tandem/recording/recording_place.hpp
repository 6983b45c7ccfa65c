#pragma once

#include <string>

namespace tandem::command {

/// The file that a run is to record into: no other program can have it from now on. An older
/// recording stays there until the place is taken, and is kept as FILE.old then.
class recording_place {
 public:
    explicit recording_place(std::string path);
    ~recording_place();
    recording_place(const recording_place&) = delete;
    recording_place& operator=(const recording_place&) = delete;

    /// Why nothing can be recorded there ("run.rec: Permission denied"); empty if it can.
    const std::string& fault() const noexcept { return fault_; }
    bool has_older() const noexcept { return !older_.empty(); }
    /// An empty file, locked, which its owner alone may read; it is the caller's to close. Below 0
    /// if there is a fault. To be called once.
    int take();

 private:
    void open();
    void look_at_older();
    void check_kept();
    void put_aside();
    void refuse(const std::string& path, const char* why);

    std::string path_;
    /// Without links, as a link is to stay one.
    std::string real_path_{};
    /// What the older one will be called; empty if there is none.
    std::string older_{};
    std::string fault_{};
    int fd_ = -1;
    bool is_file_ = false;
};

}  // namespace tandem::command
