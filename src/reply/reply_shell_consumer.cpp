#include "loop/clock.hpp"
#include "reply/reply_shell.hpp"

#include <boost/asio/error.hpp>

#include <utility>

// The consumer's requests to a reply.
namespace tandem::detail {

void reply_shell::next_chunk(shared_cancellation by, next_chunk_completion handler) {
    if (by && by->was_requested)
        return handler.complete(boost::asio::error::operation_aborted, {}, std::nullopt);
    if (chunk_wait_)
        return handler.complete(
            errc::operation_in_progress,
            {.client_message = "another request for a chunk of this reply is outstanding"},
            std::nullopt);
    chunk_wait_.begin(std::move(by), std::move(handler));
    if (machine_.ended()) return complete_with_result();
    machine_.on_chunk_requested(now());
    perform_actions();
}

void reply_shell::cancel_next_chunk(const shared_cancellation& by) {
    if (!chunk_wait_.cancel(by)) return;
    machine_.on_chunk_request_withdrawn();
    chunk_wait_.take_handler().complete(boost::asio::error::operation_aborted, {}, std::nullopt);
}

// Warns only once, because ids may come from a client of a gateway.
void reply_shell::warn_unknown_chunk(chunk_id id) {
    const bool is_known = id.reply == this->id() && id.seq < machine_.count_handed_over();
    if (is_known || std::exchange(warned_of_id_, true)) return;
    scope_->log(log_level::warning,
                "reply {}: continue_after({}:{}) names no chunk that was handed over; pass the ID "
                "of the spoken chunk",
                this->id(), id.reply, id.seq);
}

void reply_shell::continue_after(chunk_id id) {
    warn_unknown_chunk(id);
    if (const auto listener = listener_.lock()) listener->on_continued(id);
    machine_.on_continued(now(), id);
    perform_actions();
}

void reply_shell::speaks_until(chunk_id id, duration rest) {
    machine_.speaks_until(now(), id, rest);
    perform_actions();
}

void reply_shell::heard(chunk_id id, std::size_t characters) {
    if (const auto listener = listener_.lock()) listener->on_heard(id, characters);
}

void reply_shell::heard_share(chunk_id id, double share) {
    if (const auto listener = listener_.lock()) listener->on_heard_share(id, share);
}

// Tells the listener that the chunk was not delivered, because it was reported as handed over.
void reply_shell::complete_with_end(chunk_id withheld, next_chunk_completion handler) {
    if (!machine_.ended()) interrupt();
    if (const auto listener = listener_.lock()) listener->on_chunk_not_delivered(withheld);
    const auto& result = machine_.result();
    handler.complete(result.error, result.diagnostics, std::nullopt);
}

void reply_shell::complete_with_result() {
    const auto& result = machine_.result();
    chunk_wait_.take_handler().complete(result.error, result.diagnostics, std::nullopt);
}

void reply_shell::upcoming_speech(shared_cancellation by, speech_completion handler) {
    if (by && by->was_requested)
        return handler.complete(boost::asio::error::operation_aborted, {}, {});
    if (speech_wait_)
        return handler.complete(
            errc::operation_in_progress,
            {.client_message = "another request for the speech of this reply is outstanding"}, {});
    speech_wait_.begin(std::move(by), std::move(handler));
    speech_seq_ = machine_.count_handed_over();
    deliver_upcoming_speech();
}

void reply_shell::cancel_upcoming_speech(const shared_cancellation& by) {
    if (speech_wait_.cancel(by))
        speech_wait_.take_handler().complete(boost::asio::error::operation_aborted, {}, {});
}

void reply_shell::deliver_upcoming_speech() {
    if (machine_.ended() || machine_.count_handed_over() != speech_seq_)
        return speech_wait_.take_handler().complete({}, {}, {});
    if (auto speech = machine_.upcoming_speech())
        speech_wait_.take_handler().complete({}, {}, std::move(*speech));
}

void reply_shell::tool_calls(shared_cancellation by, calls_completion handler) {
    if (by && by->was_requested)
        return handler.complete(boost::asio::error::operation_aborted, {}, {});
    if (calls_wait_)
        return handler.complete(
            errc::operation_in_progress,
            {.client_message = "another request for the calls of this reply is outstanding"}, {});
    calls_wait_.begin(std::move(by), std::move(handler));
    if (auto called = machine_.get_called_functions()) deliver_tool_calls(std::move(*called));
}

void reply_shell::cancel_tool_calls(const shared_cancellation& by) {
    if (calls_wait_.cancel(by))
        calls_wait_.take_handler().complete(boost::asio::error::operation_aborted, {}, {});
}

void reply_shell::deliver_tool_calls(called_functions called) {
    const auto& result = machine_.result();
    calls_wait_.take_handler().complete(result.error, result.diagnostics, std::move(called));
}

}  // namespace tandem::detail
