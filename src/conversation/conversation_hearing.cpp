#include "base/format_count.hpp"
#include "conversation/conversation_shell.hpp"
#include "conversation/history/draft_rules.hpp"
#include "conversation/history/partial_transcript.hpp"
#include "conversation/prompt_rendering.hpp"
#include "reply/reply_shell.hpp"
#include "server/server_link.hpp"

#include <boost/asio/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

// What a conversation does while the user is speaking: prefilling the words and drafting the reply.
namespace tandem::detail {
namespace {

// Marks where the user's words end in a rendered prompt.
constexpr auto end_of_words = "[end of the words]";

std::vector<chat_message> add_words(conversations::turn_history history, std::string words) {
    history.append({.role = "user", .content = std::move(words)});
    return history.messages();
}

}  // namespace

// --- hearing

void conversation_shell::hearing(std::string text, std::optional<std::size_t> stable) {
    if (running_ != 0) return;
    const auto before = std::exchange(last_partial_, text);
    // A prefill of fewer words would replace the draft's text.
    if (draft_ && conversations::is_beginning_of(text, draft_->words())) return;
    discard_draft();
    const bool must_be_sure = !stable && link_ && !link_->can_roll_back();
    const auto settled = must_be_sure ? conversations::select_repeated_words(before, text)
                                      : conversations::select_settled_words(text, stable);
    prefill_words(std::string(settled));
}

// A running prefill is not cut; when it ends, it calls this function again.
void conversation_shell::prefill_words(std::string words) {
    recognized_words_ = std::move(words);
    if (is_prefilling_words_ || history_.options().raw) return;
    if (prefill_ && prefill_->is_in_progress()) return;
    if (conversations::is_worth_prefill(recognized_words_, prefilled_words_))
        prepare_idle_server(&conversation_shell::prefill_heard_words);
}

void conversation_shell::prefill_heard_words() {
    if (is_prefilling_words_ || recognized_words_.empty()) return;
    is_prefilling_words_ = true;
    prefilled_words_ = recognized_words_;
    render_prompt(link_, add_words(history_, prefilled_words_ + end_of_words), prefill_options(),
                  [weak = weak_from_this(), asked = link_.get()](error_code ec, const diagnostics&,
                                                                 std::string prompt) {
                      const auto self = weak.lock();
                      if (!self || !self->is_prefilling_words_ || self->link_.get() != asked)
                          return;
                      // The text that the template adds after the words is not in the next prompt.
                      const auto end = prompt.rfind(end_of_words);
                      if (ec || end == std::string::npos) return self->stop_hearing();
                      prompt.resize(end);
                      self->start_prefill(self->known_.attach_known_ids(std::move(prompt)), true);
                  });
}

/// How many bytes of the last prefill's text the prompt keeps; nullopt if it keeps all of that
/// text, or if there was no prefill.
std::optional<std::size_t> conversation_shell::find_revision(std::string_view prompt) const {
    if (!prefill_ || prompt.starts_with(prefill_->text())) return std::nullopt;
    const auto end = std::ranges::mismatch(prompt, prefill_->text()).in1;
    return static_cast<std::size_t>(end - prompt.begin());
}

void conversation_shell::record_words_prefill(const wire::timings& counts) {
    early_.prefilled += counts.evaluated;
    metrics_.prefilled += counts.evaluated;
    if (revised_ && link_ && prefill_)
        link_->record_rollback(!conversations::server_failed_to_roll_back(
            counts.cached, counts.evaluated, *revised_, prefill_->text().size()));
}

void conversation_shell::prefill_next_words() {
    is_prefilling_words_ = false;
    prefill_words(std::move(recognized_words_));
}

void conversation_shell::stop_hearing() noexcept {
    is_prefilling_words_ = false;
    last_partial_.clear();
    recognized_words_.clear();
    prefilled_words_.clear();
}

// --- drafts

void conversation_shell::draft(std::string text, std::optional<generation_options> options,
                               draft_handler done) {
    auto wanted = std::move(options).value_or(prefill_options());
    auto messages = add_words(history_, text);
    if (draft_ && running_ == 0 && draft_->matches_turn(messages, wanted)) {
        draft_->restart_lifetime();
        return done({}, {}, 0);
    }
    if (auto why = find_reason_to_skip_draft(wanted))
        return done(errc::draft_skipped, {.client_message = *std::move(why)}, 0);
    discard_draft();
    stop_hearing();
    if (prefill_) prefill_->cancel_unless_begun();
    ++drafts_;
    draft_ = std::make_shared<reply_draft>(std::move(messages), std::move(text), wanted,
                                           make_draft_events(std::move(done)));
    start_draft(std::move(wanted));
}

std::optional<std::string> conversation_shell::find_reason_to_skip_draft(
    const generation_options& options) {
    const auto& rules = history_.options();
    if (auto why =
            conversations::find_reason_to_skip_draft({.is_replying = running_ != 0,
                                                      .is_raw = rules.raw,
                                                      .open_calls = history_.open_calls(),
                                                      .is_constrained = is_constrained(options),
                                                      .drafts = drafts_,
                                                      .limit = rules.draft_limit}))
        return why;
    auto placed = host_->assign_server({.pinned = link_, .is_for_turn = false});
    // Omits the servers' addresses, because clients of a gateway read the text.
    if (const auto* why = std::get_if<failure>(&placed)) return why->ec.message();
    pin_server(std::get<server_link_ptr>(std::move(placed)));
    if (!link_->slots().has_slot_to_spare())
        return "no slot is idle, apart from those kept for turns";
    return std::nullopt;
}

void conversation_shell::start_draft(generation_options options) {
    // The draft owns its reply, which may end immediately.
    const auto draft = draft_;
    auto reply =
        reply_shell::make(*scope_, rules_, {.options = std::move(options), .is_draft = true},
                          {.start =
                               [weak = weak_from_this(), drafted = std::weak_ptr(draft_)](
                                   reply_shell&, start_handler started) {
                                   const auto self = weak.lock();
                                   const auto known = drafted.lock();
                                   if (self && known) self->find_draft_start(known, started);
                               }},
                          draft_);
    if (!draft->is_over()) draft->run(std::move(reply));
}

reply_draft::events conversation_shell::make_draft_events(draft_handler done) {
    return {.on_failed =
                [weak = weak_from_this()](const server_link_ptr& at, const failure& why) {
                    if (const auto self = weak.lock()) self->host_->on_server_failed(at, why);
                },
            .on_over =
                [weak = weak_from_this(), done = std::move(done)](reply_draft& draft) {
                    if (const auto self = weak.lock()) self->on_draft_over(draft);
                    done(draft.cause().ec, draft.cause().diag, draft.work().drafted);
                },
            .on_expired =
                [weak = weak_from_this()] {
                    if (const auto self = weak.lock()) self->discard_draft();
                }};
}

void conversation_shell::find_draft_start(const draft_ptr& draft, const start_handler& done) {
    prepare_idle_server(
        [drafted = std::weak_ptr(draft), done](conversation_shell& self) {
            const auto known = drafted.lock();
            if (known) self.load_draft_marks(known, done);
        },
        [done](const failure& why) { done(why.ec, why.diag, {}); });
}

void conversation_shell::load_draft_marks(const draft_ptr& draft, const start_handler& done) {
    const bool needs_call_mark = this->needs_call_mark(draft->options());
    auto learned = [weak = weak_from_this(), drafted = std::weak_ptr(draft), needs_call_mark, done](
                       error_code ec, const diagnostics& diag,
                       const server::template_marks& marks) {
        const auto self = weak.lock();
        const auto known = drafted.lock();
        if (!self || !known) return;
        if (ec) return done(ec, diag, {});
        if (needs_call_mark && marks.opening.empty())
            return done(errc::not_supported, {.client_message = no_call_mark}, {});
        self->render_draft_prompt(known, marks, done);
    };
    load_marks(needs_call_mark, std::move(learned));
}

void conversation_shell::render_draft_prompt(const draft_ptr& draft,
                                             const server::template_marks& marks,
                                             const start_handler& done) {
    render_prompt(link_, draft->messages(), draft->options(),
                  [weak = weak_from_this(), drafted = std::weak_ptr(draft), asked = link_.get(),
                   marks, done](error_code ec, const diagnostics& diag, std::string prompt) {
                      const auto self = weak.lock();
                      const auto known = drafted.lock();
                      if (!self || !known || self->running_ != 0) return;
                      if (self->link_.get() != asked)
                          return done(errc::server_gone,
                                      {.client_message = "the conversation has moved"}, {});
                      if (ec) return done(ec, diag, {});
                      self->check_draft_size(
                          known, marks, self->known_.attach_known_ids(std::move(prompt)), done);
                  });
}

// A turn that does not fit trims the history; a draft must not do so.
void conversation_shell::check_draft_size(const draft_ptr& draft,
                                          const server::template_marks& marks,
                                          prompt_with_ids prompt, const start_handler& done) {
    if (is_sure_to_fit(prompt, draft->options().max_tokens))
        return begin_draft(*draft, marks, std::move(prompt), done);
    count_prompt_tokens(
        link_, std::move(prompt),
        [weak = weak_from_this(), drafted = std::weak_ptr(draft), marks, done](
            error_code ec, const diagnostics& diag, prompt_with_ids counted) {
            const auto self = weak.lock();
            const auto known = drafted.lock();
            if (!self || !known || self->running_ != 0) return;
            if (ec) return done(ec, diag, {});
            const int tokens = static_cast<int>(counted.ids.size());
            const auto costs = self->history_.measure_exchanges();
            const auto use = self->context_usage(costs, tokens, known->options().max_tokens);
            if (tokens + use.reserve > use.context)
                return done(
                    errc::prompt_too_long,
                    {.client_message = fmt::format(
                         "the prompt has {} tokens, and does not fit the context of {} with {} "
                         "for the reply; a turn drops the oldest exchanges",
                         tokens, use.context, use.reserve)},
                    {});
            self->begin_draft(*known, marks, std::move(counted), done);
        });
}

void conversation_shell::begin_draft(reply_draft& draft, const server::template_marks& marks,
                                     prompt_with_ids prompt, const start_handler& done) {
    draft.set_started(link_, props_.model);
    host_->on_turn_started(link_);
    auto here = make_start_point(marks, {.prompt = std::move(prompt)});
    if (prefill_) here.warmed = prefill_->slot();
    done({}, {}, std::move(here));
}

void conversation_shell::on_draft_over(const reply_draft& draft) {
    if (draft.server()) host_->on_turn_ended(draft.server());
    early_.prefilled += draft.work().prefilled;
    metrics_.prefilled += draft.work().prefilled;
    if (!draft.is_complete()) count_wasted(draft.work().drafted);
    if (draft_.get() != &draft) return;
    if (draft.is_committed()) return continue_from_draft(starting_);
    if (draft.is_complete()) return;
    draft_.reset();
    release_slots();
}

void conversation_shell::count_wasted(int tokens) {
    scope_->log(log_level::debug, "conversation {}: a draft of {} is dropped", id_,
                format_count(tokens, "token"));
    early_.draft_wasted += tokens;
    metrics_.draft_wasted += tokens;
}

// A turn that waits for its draft keeps the draft.
void conversation_shell::drop_draft(const std::string& unless) {
    if (running_ == 0 && draft_ && draft_->words() != unless) discard_draft();
}

void conversation_shell::discard_draft() {
    const auto draft = std::exchange(draft_, nullptr);
    if (!draft) return;
    release_slots();
    if (draft->is_complete()) return count_wasted(draft->work().drafted);
    draft->stop({scope_->is_closed() ? error_code(errc::client_destroyed)
                                     : error_code(boost::asio::error::operation_aborted),
                 {.client_message = "the draft was dropped"}});
}

// --- the turn that follows

void conversation_shell::begin_drafted_turn(const start_ptr& start) {
    if (draft_->is_over()) return continue_from_draft(start);
    // A draft that has sent no request is no faster than the turn itself.
    if (draft_->server()) return draft_->commit();
    discard_draft();
    find_server(start);
}

void conversation_shell::continue_from_draft(const start_ptr& start) {
    const auto draft = std::exchange(draft_, nullptr);
    if (!start) return;
    if (draft->is_complete()) {
        start->draft = draft->work();
        scope_->log(log_level::debug, "conversation {}: reply {} continues from a draft of {}", id_,
                    start->reply, format_count(draft->work().drafted, "token"));
        start->resumed = reply_origin{.rest = draft->take_remainder()};
        detect_cache_break(*start, start->resumed->rest->text.prompt());
        remainder_model_ = draft->model();
    }
    find_server(start);
}

early_work conversation_shell::take_early_work(const starting_turn& start) {
    auto all = std::exchange(early_, {});
    if (!start.draft) return all;
    all.drafted = start.draft->drafted;
    all.draft_first_token_ms = start.draft->draft_first_token_ms;
    all.draft_ms = start.draft->draft_ms;
    return all;
}

}  // namespace tandem::detail
