#include "tandem/reply.hpp"

#include "reply/reply_shell.hpp"

namespace tandem::detail {

boost::asio::any_io_executor executor_of(const reply_shell& shell) noexcept {
    return shell.scope().executor();
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

reply::reply(std::shared_ptr<detail::reply_shell> shell) noexcept : shell_(std::move(shell)) {}

reply::reply(reply&&) noexcept = default;

reply& reply::operator=(reply&& other) noexcept {
    if (this != &other) destroy_on_strand(std::exchange(shell_, std::move(other.shell_)));
    return *this;
}

reply::~reply() {
    destroy_on_strand(std::move(shell_));
}

// A shell's members belong to its strand, so the shell must be destroyed there.
void reply::destroy_on_strand(std::shared_ptr<detail::reply_shell> shell) noexcept {
    if (!shell) return;
    shell->link()->interrupt();
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell)] { s->interrupt(); });
}

std::shared_ptr<detail::reply_link> reply::link_of(const detail::reply_shell& shell) noexcept {
    return shell.link();
}

// Here and below, the shell is moved to the strand: a reference that stays here could be the last
// one, and destroy the shell on this thread.
void reply::next_chunk(std::shared_ptr<detail::reply_shell> shell, detail::shared_cancellation by,
                       detail::next_chunk_completion handler) {
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), by = std::move(by), h = std::move(handler)]() mutable {
        s->next_chunk(std::move(by), std::move(h));
    });
}

void reply::upcoming_speech(std::shared_ptr<detail::reply_shell> shell,
                            detail::shared_cancellation by, detail::speech_completion handler) {
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), by = std::move(by), h = std::move(handler)]() mutable {
        s->upcoming_speech(std::move(by), std::move(h));
    });
}

void reply::tool_calls(std::shared_ptr<detail::reply_shell> shell, detail::shared_cancellation by,
                       detail::calls_completion handler) {
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), by = std::move(by), h = std::move(handler)]() mutable {
        s->tool_calls(std::move(by), std::move(h));
    });
}

void reply::cancel_tool_calls(const std::weak_ptr<detail::reply_shell>& weak,
                              const detail::shared_cancellation& by) {
    auto shell = weak.lock();
    if (!shell) return;
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), by] { s->cancel_tool_calls(by); });
}

void reply::cancel_next_chunk(const std::weak_ptr<detail::reply_shell>& weak,
                              const detail::shared_cancellation& by) {
    auto shell = weak.lock();
    if (!shell) return;
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), by] { s->cancel_next_chunk(by); });
}

void reply::cancel_upcoming_speech(const std::weak_ptr<detail::reply_shell>& weak,
                                   const detail::shared_cancellation& by) {
    auto shell = weak.lock();
    if (!shell) return;
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), by] { s->cancel_upcoming_speech(by); });
}

void reply::continue_after(chunk_id id) {
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, id] { s->continue_after(id); });
}

void reply::speaks_until(chunk_id id, duration rest) {
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, id, rest] { s->speaks_until(id, rest); });
}

void reply::interrupt() {
    detail::assert_not_moved_from(shell_)->link()->interrupt();
    if (detail::assert_not_moved_from(shell_)->has_ended()) return;
    detail::assert_not_moved_from(shell_)->scope().dispatch([s = shell_] { s->interrupt(); });
}

reply_control reply::control() const noexcept {
    return reply_control(detail::assert_not_moved_from(shell_)->link());
}

bool reply::ended() const noexcept {
    return detail::assert_not_moved_from(shell_)->has_ended();
}

const reply_result& reply::result() const noexcept {
    return detail::assert_not_moved_from(shell_)->result();
}

reply::executor_type reply::get_executor() const noexcept {
    return executor_of(*detail::assert_not_moved_from(shell_));
}

std::uint64_t reply::id() const noexcept {
    return detail::assert_not_moved_from(shell_)->id();
}

}  // namespace v0
}  // namespace tandem
