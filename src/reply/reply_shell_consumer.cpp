#include "loop/clock.hpp"
#include "reply/reply_shell.hpp"

#include <boost/asio/error.hpp>

#include <utility>

// What the consumer asks of a reply and says to it.
namespace tandem::detail {

void reply_shell::next_chunk(std::uint64_t wait, next_chunk_completion handler) {
    if (wait == cancelled_wait_)
        return handler.complete(boost::asio::error::operation_aborted, std::nullopt);
    if (consumer_) return handler.complete(errc::operation_in_progress, std::nullopt);
    consumer_ = std::move(handler);
    consumer_wait_ = wait;
    if (machine_.ended()) return give_end();
    machine_.chunk_wanted(now());
    perform_actions();
}

void reply_shell::cancel_next_chunk(std::uint64_t wait) {
    // Signalled on the strand, it overtakes a wait that was begun elsewhere.
    cancelled_wait_ = wait;
    if (!consumer_ || wait != consumer_wait_) return;
    machine_.chunk_not_wanted();
    consumer_.complete(boost::asio::error::operation_aborted, std::nullopt);
}

// Once: ids may come from a client of a gateway.
void reply_shell::warn_of_unknown(chunk_id id) {
    const bool is_known = id.reply == this->id() && id.seq < machine_.handed_over();
    if (is_known || std::exchange(warned_of_id_, true)) return;
    home_->log(
        log_level::warning,
        "reply {}: continue_after({}:{}) names no chunk that was handed over; give the id of "
        "the chunk that was spoken",
        this->id(), id.reply, id.seq);
}

void reply_shell::continue_after(chunk_id id) {
    warn_of_unknown(id);
    if (const auto listener = listener_.lock()) listener->continued(id);
    machine_.continued(now(), id);
    perform_actions();
}

void reply_shell::heard(chunk_id id, std::size_t characters) {
    if (const auto listener = listener_.lock()) listener->heard(id, characters);
}

void reply_shell::heard_share(chunk_id id, double share) {
    if (const auto listener = listener_.lock()) listener->heard_share(id, share);
}

// Of a reply that has ended by itself the listener believes that its last chunk is spoken.
void reply_shell::complete_with_end(next_chunk_completion handler) {
    if (machine_.ended()) {
        if (const auto listener = listener_.lock()) listener->not_delivered(id());
    } else {
        interrupt();
    }
    handler.complete(machine_.result().error, std::nullopt);
}

void reply_shell::give_end() {
    consumer_.complete(machine_.result().error, std::nullopt);
}

void reply_shell::upcoming_speech(speech_completion handler) {
    if (speech_taker_) return handler.complete(errc::operation_in_progress, {});
    speech_taker_ = std::move(handler);
    speech_seq_ = machine_.handed_over();
    tell_upcoming_speech();
}

void reply_shell::tell_upcoming_speech() {
    if (machine_.ended() || machine_.handed_over() != speech_seq_)
        return speech_taker_.complete({}, {});
    if (auto speech = machine_.upcoming_speech()) speech_taker_.complete({}, std::move(*speech));
}

}  // namespace tandem::detail
