#include "tandem/detail/reply_link.hpp"

#include "reply/reply_shell.hpp"

#include "tandem/reply_control.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace tandem::detail {

reply_link::reply_link(boost::asio::any_io_executor strand, interrupt_count interrupts)
    : strand_(std::move(strand)),
      interrupts_(std::move(interrupts)),
      interrupts_before_(interrupts_ ? interrupts_->load() : 0) {}

void reply_link::set_shell(std::weak_ptr<reply_shell> shell) {
    shell_ = std::move(shell);
}

// Posts a weak reference: a strong one could be the last, and the shell must be destroyed on its
// strand.
void reply_link::post(std::function<void(reply_shell&)> f) {
    const std::lock_guard lock(mutex_);
    if (!strand_) return;
    boost::asio::post(strand_, [weak = shell_, f = std::move(f)] {
        if (const auto shell = weak.lock()) f(*shell);
    });
}

void reply_link::complete_with_end(chunk_id withheld, next_chunk_completion handler) {
    const std::lock_guard lock(mutex_);
    if (!strand_) return handler.complete({}, {}, std::nullopt);
    boost::asio::post(strand_, [weak = shell_, withheld, h = std::move(handler)]() mutable {
        if (const auto shell = weak.lock()) return shell->complete_with_end(withheld, std::move(h));
        h.complete({}, {}, std::nullopt);
    });
}

// With the lock, the destruction of a context waits for threads that are posting to it.
void reply_link::cut() noexcept {
    const std::lock_guard lock(mutex_);
    strand_ = boost::asio::any_io_executor();
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

void reply_control::interrupt() const {
    if (!link_) return;
    link_->interrupt();
    link_->post([](detail::reply_shell& r) { r.interrupt(); });
}

void reply_control::continue_after(chunk_id id) const {
    if (link_) link_->post([id](detail::reply_shell& r) { r.continue_after(id); });
}

void reply_control::heard(chunk_id id, std::size_t characters) const {
    if (link_) link_->post([=](detail::reply_shell& r) { r.heard(id, characters); });
}

void reply_control::heard_share(chunk_id id, double share) const {
    if (link_) link_->post([=](detail::reply_shell& r) { r.heard_share(id, share); });
}

}  // namespace v0
}  // namespace tandem
