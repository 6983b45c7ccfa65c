#pragma once

#include "tandem/chunk.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace tandem::detail {
class reply_link;
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Controls a reply without owning it, for example from a voice activity detector or a sound card's
/// thread. Created by reply::control().
///
/// Object lifetimes: a control may outlive the reply, its client or service, and the execution
/// context, and keeps none of them alive. Once the reply's handle is destroyed, the control's
/// functions change nothing, except heard() and heard_share().
///
/// Thread safety: all functions may be called from any thread, even while the reply or its context
/// is being destroyed. Copies are independent. Calls only post work to the strand, and never run
/// handlers.
class reply_control {
 public:
    /// Controls no reply: its functions change nothing.
    reply_control() noexcept = default;

    /// Like reply::interrupt().
    void interrupt() const;
    /// Like reply::continue_after().
    void continue_after(chunk_id id) const;
    /// Like conversation::heard() and heard_share(). These calls also work after the reply's handle
    /// is destroyed. They change nothing for a reply of a client, which keeps no history.
    void heard(chunk_id id, std::size_t characters) const;
    void heard_share(chunk_id id, double share) const;

 private:
    friend class reply;
    explicit reply_control(std::shared_ptr<detail::reply_link> link) noexcept
        : link_(std::move(link)) {}

    std::shared_ptr<detail::reply_link> link_;
};

}  // namespace v0
}  // namespace tandem
