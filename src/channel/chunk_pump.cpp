#include "channel/chunk_pump.hpp"

#include "reply/reply_shell.hpp"

#include <exception>
#include <new>
#include <utility>

namespace tandem::detail {
namespace {

// If memory is exhausted, the end has no message.
channel_end end_with(error_code ec, const char* words) noexcept {
    channel_end why{.error = ec};
    try {
        why.diagnostics.client_message = words;
    } catch (...) {
    }
    return why;
}

channel_end context_is_gone() noexcept {
    return end_with(errc::context_stopped, "the io_context was destroyed during the reply");
}

channel_end end_of(const reply_result& r) {
    return {.finish_reason = r.finish_reason, .error = r.error, .diagnostics = r.diagnostics};
}

void notify(const std::weak_ptr<chunk_sink>& sink, channel_end why,
            std::optional<reply_result> result) noexcept {
    if (const auto s = sink.lock()) s->on_end(std::move(why), std::move(result));
}

// Part of a handler: reports the end if the handler is destroyed without being called.
class end_guard {
 public:
    explicit end_guard(std::weak_ptr<chunk_sink> sink) : sink_(std::move(sink)) {}
    ~end_guard() { notify(sink_, context_is_gone(), std::nullopt); }
    end_guard(end_guard&& other) noexcept : sink_(std::exchange(other.sink_, {})) {}
    end_guard& operator=(end_guard&&) = delete;

    void release() noexcept { sink_.reset(); }

 private:
    std::weak_ptr<chunk_sink> sink_;
};

channel_end failure_of(const std::exception_ptr& what) noexcept {
    try {
        std::rethrow_exception(what);
    } catch (const std::bad_alloc&) {
        return {.error = make_error_code(boost::system::errc::not_enough_memory)};
    } catch (const std::exception& e) {
        return end_with(errc::channel_failed, e.what());
    } catch (...) {
        return {.error = errc::channel_failed};
    }
}

}  // namespace

error_code chunk_pump::check_usable(const reply& r) noexcept {
    if (!r.shell_) return errc::channel_mismatch;
    return r.shell_->scope().executor() ? error_code() : errc::context_stopped;
}

chunk_pump::chunk_pump(reply r, std::weak_ptr<chunk_sink> sink)
    : reply_(std::move(r)), sink_(std::move(sink)), link_(scope().executor()) {}

std::shared_ptr<chunk_pump> chunk_pump::make(reply r, std::weak_ptr<chunk_sink> sink) {
    std::shared_ptr<chunk_pump> pump(new chunk_pump(std::move(r), std::move(sink)));
    pump->scope().add_listener(pump);
    return pump;
}

chunk_pump::~chunk_pump() {
    link_.disconnect();
    if (reply_) notify(sink_, context_is_gone(), std::nullopt);
}

strand_scope& chunk_pump::scope() const noexcept {
    return reply_->shell_->scope();
}

// --- from any thread

// The function may hold the last reference to the pump, which must be destroyed on the strand.
template <class Function>
void chunk_pump::on_strand(Function f) {
    link_.post([self = shared_from_this(), f = std::move(f)] {
        try {
            if (self->reply_) f(*self);
        } catch (...) {
            self->fail();
        }
    });
}

void chunk_pump::start() {
    on_strand([](chunk_pump& p) {
        p.watch_reply_end();
        p.request_chunk();
    });
}

void chunk_pump::continue_after(chunk_id id) {
    on_strand([id](chunk_pump& p) {
        p.reply_->continue_after(id);
        p.request_chunk();
    });
}

void chunk_pump::interrupt() {
    on_strand([](chunk_pump& p) {
        p.reply_->interrupt();
        p.report_end({});
    });
}

// --- on the strand

// Reports the end even if no chunk is requested: a time limit may end the reply meanwhile.
void chunk_pump::watch_reply_end() {
    reply_->shell_->set_end_handler([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->on_chunk({}, std::nullopt);
    });
}

void chunk_pump::request_chunk() {
    if (std::exchange(is_requesting_, true)) return;
    reply_->async_next_chunk([weak = weak_from_this(), guard = end_guard(sink_)](
                                 error_code ec, std::optional<chunk> c) mutable {
        guard.release();
        if (const auto self = weak.lock()) self->on_chunk(ec, std::move(c));
    });
}

void chunk_pump::on_chunk(error_code ec, std::optional<chunk> c) try {
    is_requesting_ = false;
    if (!reply_) return;
    if (!c) return report_end(ec);
    const auto sink = sink_.lock();
    if (!sink) return;
    const auto spoken = sink->deliver(std::move(*c));
    if (!spoken) return;
    reply_->continue_after(*spoken);
    request_chunk();
} catch (...) {
    fail();
}

// A reply that has not ended reports an error because another consumer is waiting for its chunks.
void chunk_pump::report_end(error_code ec) {
    if (!reply_->ended()) return give_up({.error = ec}, std::nullopt);
    const auto& result = reply_->result();
    give_up(end_of(result), result);
}

void chunk_pump::fail() noexcept {
    give_up(failure_of(std::current_exception()), std::nullopt);
}

// Releases the strand first, because the consumer may destroy the context as soon as it is
// notified.
void chunk_pump::give_up(channel_end why, std::optional<reply_result> result) noexcept {
    reply_.reset();
    link_.disconnect();
    notify(sink_, std::move(why), std::move(result));
}

void chunk_pump::on_context_destroyed() noexcept {
    if (reply_) give_up(context_is_gone(), std::nullopt);
}

}  // namespace tandem::detail
