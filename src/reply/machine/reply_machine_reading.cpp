// The part of reply_machine that reads tokens into chunks, until generation ends.
#include "reply/machine/reply_machine.hpp"
#include "reply/machine/server_timing.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <utility>

namespace tandem::detail {
namespace {

using phase = reply_phase;
using status = text::chunker::status;

}  // namespace

void reply_machine::on_token_read(time_point now, const wire::token_event& event) {
    ended_chunk_was_peeked_.reset();
    if (phase_ == phase::peeking) return on_peek_token(now, event);
    if (phase_ == phase::first_token) {
        enter_phase(phase::streaming, now);
        record_progress();
    }
    last_token_ = now;
    const bool is_visible = read_text(now, event);
    if (calls_.has_call()) return on_call_read(now);
    if (reasoning_deadline() <= now) return end_reasoning(now, true);
    if (!is_visible) return;
    if (chunker_.current() == status::ready)
        on_chunk_read(now, !chunker_.ends_without_peek());
    else
        continue_reading(now);
    // A deadline may already have passed: that of a hold of zero duration, or that of an overdue
    // chunk, which can end only now.
    on_deadline(now);
}

/// Returns whether text became visible.
bool reply_machine::read_text(time_point now, const wire::token_event& event) {
    const int kept_before = continuation_.kept_tokens();
    continuation_.append(event);
    const auto visible = reasoning_.feed(event.content, continuation_.kept_tokens() - kept_before);
    meter_.on_text_read(now, reasoning_.is_inside(), visible.reasoning_tokens);
    if (!visible.reasoning.empty()) {
        on_reasoning_read(now, visible.reasoning);
        hand_over_due_chunks(now);
    }
    const auto said = calls_.feed(visible.text, visible.tokens);
    show_text(said);
    if (said.text.empty()) return false;
    if (!open_chunk_.since) open_chunk_.since = now;
    open_chunk_.is_unbreakable = false;
    return true;
}

/// Reads text that the filter released while no request was running.
void reply_machine::on_visible_read(time_point now, const text::visible_text& visible) {
    meter_.on_text_read(now, reasoning_.is_inside(), visible.reasoning_tokens);
    meter_.on_request_ended(now);
    on_reasoning_read(now, visible.reasoning);
    show_text(calls_.feed(visible.text, visible.tokens));
}

void reply_machine::on_reasoning_read(time_point now, std::string_view reasoning) {
    auto kept = reasoning.substr(0, max_reasoning_bytes - result_.reasoning.size());
    kept.remove_suffix(text::incomplete_suffix(kept));
    if (kept.empty()) return;
    result_.reasoning += kept;
    if (rules_.hands_over_reasoning) delivery_.add_reasoning(now, kept);
}

void reply_machine::continue_reading(time_point now) {
    if (chunker_.current() != status::holding) return enter_phase(phase::streaming, now);
    if (phase_ != phase::holding) metrics_recorder_.record_boundary(now);
    enter_phase(phase::holding, now);
}

/// Takes the complete chunks. The request is cut if the lead is full, or if another reply needs the
/// slot.
void reply_machine::on_chunk_read(time_point now, bool peeked) {
    collect_chunks(now);
    if (is_lead_full(now)) return stop_after_chunk(now, peeked);
    continue_reading(now);
    hand_over_due_chunks(now);
    if (!request_) return;
    record_progress();
    if (!rules_.pacing.ahead_speech) return;
    ended_chunk_was_peeked_ = peeked;
    actions_.push_back(action::check_slot_demand{request_->slot});
}

void reply_machine::record_progress() {
    actions_.push_back(action::record_progress{request_->slot, metrics_recorder_.generated()});
}

void reply_machine::on_slot_wanted(time_point now) {
    const auto peeked = std::exchange(ended_chunk_was_peeked_, {});
    if (peeked && has_running_request()) stop_after_chunk(now, *peeked);
}

/// Cuts the request, but waits for the next token if that token may end the reply. This is so if no
/// peek was needed to end the sentence: another request could report the end of the reply only
/// after the guard. It is also so if a stop word may follow the last text. The wait does not delay
/// the chunk.
void reply_machine::stop_after_chunk(time_point now, bool peeked) {
    peek_ = {.due = now, .is_token_unread = peeked || rules_.peek_hold == duration{}};
    if (!peek_.is_token_unread)
        peek_.due += rules_.peek_hold;
    else if (rules_.has_stop_words)
        peek_.due = last_token_ + stop_word_end_delay;
    if (now >= peek_.due) return end_peek(now, false);
    if (phase_ != phase::holding) metrics_recorder_.record_boundary(now);
    enter_phase(phase::peeking, now);
    hand_over_due_chunks(now);
}

void reply_machine::collect_chunks(time_point now) {
    while (chunker_.current() == status::ready) {
        auto piece = chunker_.take_chunk();
        // Templates put white space before a call; this white space must not be spoken.
        if (calls_.has_call() && text::is_all_white_space(piece.text)) continue;
        chunk c{.text = std::move(piece.text),
                .language = std::move(piece.language),
                .boundary = piece.why,
                .tokens = piece.tokens};
        metrics_recorder_.fill_chunk_figures(c);
        delivery_.add_chunk(now, std::move(c));
        open_chunk_.since.reset();
    }
    // Text read after the chunks starts the next chunk.
    if (!open_chunk_.since && !chunker_.untaken_text().empty()) open_chunk_.since = now;
}

// Keeps waiting after white space, which may be all that is left of a token in which a stop word
// begins.
void reply_machine::on_peek_token(time_point now, const wire::token_event& event) {
    if (peek_.is_token_unread) return end_peek(now, true);
    last_token_ = now;
    const bool is_visible = read_text(now, event);
    if (calls_.has_call()) return on_call_read(now);
    if (!is_visible || text::is_all_white_space(event.content)) return;
    if (!rules_.has_stop_words) return end_peek(now, false);
    peek_ = {.due = now + stop_word_end_delay, .is_token_unread = true};
}

void reply_machine::end_peek(time_point now, bool ids_are_sure) {
    end_request(now, true);
    end_reading(now, ids_are_sure);
}

/// The request has ended, and its text has been read: hands over the chunks, and goes on as the
/// pacing requires.
void reply_machine::end_reading(time_point now, bool ids_are_sure) {
    if (!ids_are_sure) continuation_.record_cut();
    enter_phase(phase::resting, now);
    collect_chunks(now);
    // The chunk goes out before any request.
    hand_over_due_chunks(now);
    if (ended()) return;
    ids_.request_missing_ids();
    pause_or_request_next(now);
}

}  // namespace tandem::detail
