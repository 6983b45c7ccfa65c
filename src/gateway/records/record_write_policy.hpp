#pragma once

namespace tandem::gateway {

/// Decides when to make and write the record of a session. Each change causes a write; changes
/// during a write share the next write. Pure.
class record_write_policy {
 public:
    enum class step { nothing, make, write };

    step on_record_changed() noexcept {
        is_changed_ = true;
        return begin_write();
    }
    /// The store may have lost the record, so the next write is due even without a change.
    void on_record_doubtful() noexcept { is_changed_ = true; }
    /// If the session changed while the record was made, the record mixes two states, so it is made
    /// again.
    step on_record_made() noexcept {
        if (!is_changed_) return step::write;
        is_changed_ = false;
        return step::make;
    }
    /// After a failed write, the next change causes another write.
    step on_record_written(bool is_kept) noexcept {
        is_writing_ = false;
        has_failed_ = !is_kept;
        if (!is_kept) is_changed_ = true;
        return is_kept ? begin_write() : step::nothing;
    }

    /// Whether the store has the newest state.
    bool is_written() const noexcept { return !is_changed_ && !is_writing_ && !has_failed_; }
    /// Whether the last write failed.
    bool has_failed() const noexcept { return has_failed_; }

 private:
    step begin_write() noexcept {
        if (is_writing_ || !is_changed_) return step::nothing;
        is_writing_ = true;
        is_changed_ = false;
        return step::make;
    }

    bool is_changed_ = false;
    bool is_writing_ = false;
    bool has_failed_ = false;
};

}  // namespace tandem::gateway
