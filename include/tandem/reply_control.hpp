#pragma once

#include "tandem/chunk.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace tandem {

namespace detail {
class reply_link;
}

/// What a voice says to a reply, for whoever does not own the reply: a detector of barge-in, a
/// thread of the sound card. Made by reply::control().
///
/// Lifetime: it may outlive the reply, its client or service, and the execution context, and keeps
/// none of them. Once the reply's handle is gone its functions change nothing.
/// Thread-safety: all functions may be called from any thread, also while the reply or its context
/// is destroyed. Copies are independent of each other. None runs anything of the library within the
/// call.
class reply_control {
 public:
    /// Of no reply: its functions change nothing.
    reply_control() noexcept = default;

    /// As reply::interrupt().
    void interrupt() const;
    /// As reply::continue_after().
    void continue_after(chunk_id id) const;
    /// As conversation::heard() and heard_share(), which also count once the reply's handle is
    /// gone. Changes nothing for a reply of a client, which keeps no history.
    void heard(chunk_id id, std::size_t characters) const;
    void heard_share(chunk_id id, double share) const;

 private:
    friend class reply;
    explicit reply_control(std::shared_ptr<detail::reply_link> link) noexcept
        : link_(std::move(link)) {}

    std::shared_ptr<detail::reply_link> link_;
};

}  // namespace tandem
