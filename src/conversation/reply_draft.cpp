#include "conversation/reply_draft.hpp"

#include "conversation/history/partial_transcript.hpp"
#include "reply/reply_shell.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {
namespace {

// Resets the options that do not affect the text, so that a turn may change them.
generation_options without_order(generation_options o) {
    o.priority = {};
    o.traceparent.clear();
    o.lookahead = 0;
    return o;
}

double find_first_token_ms(const reply_result& r) {
    const auto first =
        std::ranges::find(r.timeline, timeline_event::kind::first_token, &timeline_event::what);
    return first == r.timeline.end() ? 0 : to_ms(duration(first->at_ns));
}

}  // namespace

reply_draft::reply_draft(std::vector<chat_message> messages, std::string words,
                         generation_options options, events callbacks)
    : messages_(std::move(messages)),
      words_(std::move(words)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)) {}

void reply_draft::run(std::shared_ptr<reply_shell> reply) {
    reply_ = std::move(reply);
    lifetime_.emplace(reply_->scope().executor());
    restart_lifetime();
}

void reply_draft::set_started(std::shared_ptr<server_link> server, std::string model) {
    server_ = std::move(server);
    model_ = std::move(model);
}

void reply_draft::restart_lifetime() {
    if (is_committed_ || !lifetime_) return;
    lifetime_->expires_after(draft_lifetime);
    lifetime_->async_wait([weak = weak_from_this()](error_code ec) {
        const auto self = weak.lock();
        if (self && !ec && !self->is_committed_) self->callbacks_.on_expired();
    });
}

void reply_draft::commit() {
    is_committed_ = true;
    if (lifetime_) lifetime_->cancel();
    if (reply_ && !is_over_) reply_->commit_draft();
}

void reply_draft::stop(failure why) {
    cause_ = std::move(why);
    if (reply_) reply_->interrupt();
}

void reply_draft::leave_server(const server_leave_reason& reason) {
    if (!reply_ || !reply_->refutes_reason(reason)) stop(reason.why);
}

bool reply_draft::matches_turn(const std::vector<chat_message>& messages,
                               const generation_options& options) const {
    const auto before = messages_.size() - 1;
    return messages.size() == messages_.size() &&
           std::equal(messages_.begin(), messages_.end() - 1, messages.begin()) &&
           messages[before].role == messages_[before].role &&
           conversations::has_same_words(messages[before].content, messages_[before].content) &&
           without_order(options) == without_order(options_);
}

void reply_draft::on_request_failed(const std::shared_ptr<server_link>& at, const failure& why) {
    callbacks_.on_failed(at, why);
}

void reply_draft::on_ended(std::uint64_t, const reply_result& result, reply_remainder rest) {
    const auto self = shared_from_this();  // on_over() may drop the draft
    is_over_ = true;
    work_ = {.drafted = result.usage.generated,
             .prefilled = result.usage.evaluated,
             .draft_first_token_ms = find_first_token_ms(result),
             .draft_ms = result.metrics.total_ms};
    if (result.error) cause_ = {result.error, result.diagnostics};
    const bool has_text = rest.generated || !rest.text.generated().empty();
    if (!cause_.ec && has_text) remainder_ = std::move(rest);
    callbacks_.on_over(*this);
}

}  // namespace tandem::detail
