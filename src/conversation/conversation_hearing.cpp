#include "conversation/conversation_shell.hpp"
#include "conversation/history/partial_transcript.hpp"
#include "conversation/prompt_rendering.hpp"
#include "loop/clock.hpp"
#include "reply/machine/generation_options_check.hpp"
#include "reply/reply_shell.hpp"
#include "server/server_link.hpp"

#include <boost/asio/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

// What a conversation does while the user speaks: prefilling the words, and drafting the reply.
namespace tandem::detail {
namespace {

// Marks where the words of the user end in a rendered prompt.
constexpr auto end_of_words = "[end of the words]";

std::vector<chat_message> add_words(conversations::turn_history history, std::string words) {
    history.append({.role = "user", .content = std::move(words)});
    return history.messages();
}

}  // namespace

// --- hearing

void conversation_shell::hearing(std::string text, std::optional<std::size_t> stable) {
    const auto before = std::exchange(last_partial_, text);
    if (draft_) {
        // A prefill of fewer words would displace the draft's text.
        if (conversations::is_beginning_of(text, draft_->words())) return draft_->extend();
        drop_draft();
    }
    const bool must_be_sure = !stable && core_ && !core_->takes_back_tokens();
    const auto settled = must_be_sure ? conversations::select_repeated_words(before, text)
                                      : conversations::select_settled_words(text, stable);
    prefill_words(std::string(settled));
}

void conversation_shell::prefill_words(std::string words) {
    heard_words_ = std::move(words);
    if (is_prefilling_words_ || history_.options().raw) return;
    if (conversations::is_worth_prefill(heard_words_, prefilled_words_))
        prepare_idle_server(&conversation_shell::prefill_heard_words);
}

// A prefill that runs is not cut: the next one continues from its text.
void conversation_shell::prefill_heard_words() {
    if (is_prefilling_words_ || heard_words_.empty()) return;
    is_prefilling_words_ = true;
    prefilled_words_ = heard_words_;
    render_prompt(core_, add_words(history_, prefilled_words_ + end_of_words), prefill_options(),
                  [weak = weak_from_this(), asked = core_.get()](error_code ec, const diagnostics&,
                                                                 std::string prompt) {
                      const auto self = weak.lock();
                      if (!self || !self->is_prefilling_words_ || self->core_.get() != asked)
                          return;
                      // What the template adds after the words is not in the next prompt.
                      const auto end = prompt.rfind(end_of_words);
                      if (ec || end == std::string::npos) return self->stop_hearing();
                      prompt.resize(end);
                      self->start_prefill(self->known_.attach_known_ids(std::move(prompt)), true);
                  });
}

/// How much of the last prefill's text the prompt keeps, if it does not continue all of it.
std::optional<std::size_t> conversation_shell::find_revision(std::string_view prompt) const {
    if (!prefill_ || prompt.starts_with(prefill_->text())) return std::nullopt;
    const auto end = std::ranges::mismatch(prompt, prefill_->text()).in1;
    return static_cast<std::size_t>(end - prompt.begin());
}

void conversation_shell::heard_words_prefilled(const wire::timings& counts) {
    early_.prefilled += counts.evaluated;
    metrics_.prefilled += counts.evaluated;
    if (revised_ && core_ && prefill_)
        core_->observe_taking_back(!conversations::shows_lost_tokens(
            counts.cached, counts.evaluated, *revised_, prefill_->text().size()));
    is_prefilling_words_ = false;
    prefill_words(std::move(heard_words_));
}

void conversation_shell::stop_hearing() noexcept {
    is_prefilling_words_ = false;
    last_partial_.clear();
    heard_words_.clear();
    prefilled_words_.clear();
}

// --- drafts

void conversation_shell::draft(std::string text, std::optional<generation_options> options,
                               draft_handler done) {
    auto wanted = std::move(options).value_or(prefill_options());
    const auto skip = [&](std::string why) {
        done(errc::draft_skipped, {.client_message = std::move(why)}, 0);
    };
    if (running_ != 0) return skip("a reply is running");
    auto messages = add_words(history_, std::move(text));
    if (draft_ && draft_->is_for(messages, wanted)) {
        draft_->extend();
        return done({}, {}, draft_->work().drafted);
    }
    drop_draft();
    if (auto why = find_reason_to_skip_draft(wanted)) return skip(*std::move(why));
    stop_hearing();
    if (prefill_) prefill_->cancel_unless_begun();
    ++drafts_;
    start_draft(std::move(messages), std::move(wanted), std::move(done));
}

std::optional<std::string> conversation_shell::find_reason_to_skip_draft(
    const generation_options& options) {
    const int limit = history_.options().draft_limit;
    if (history_.options().raw) return "the prompts of the conversation are raw";
    if (history_.open_calls() > 0) return "functions are running";
    if (is_constrained(options))
        return "a grammar, a JSON schema or a required call needs a reply of one request";
    if (drafts_ >= limit) return fmt::format("the turn has had {} drafts (draft_limit)", drafts_);
    auto placed = host_->assign_server({.pinned = core_, .is_for_turn = false});
    if (const auto* why = std::get_if<failure>(&placed)) return why->diag.to_string();
    pin_server(std::get<server_link_ptr>(std::move(placed)));
    if (!core_->slots().has_slot_to_spare())
        return "no slot is idle, apart from those kept for turns";
    return std::nullopt;
}

void conversation_shell::start_draft(std::vector<chat_message> messages, generation_options options,
                                     draft_handler done) {
    draft_ = std::make_shared<reply_draft>(std::move(messages), options,
                                           make_draft_events(std::move(done)));
    // The draft owns its reply.
    draft_->run(reply_shell::make(*scope_, rules_,
                                  {.options = std::move(options), .is_draft = true},
                                  {.start =
                                       [weak = weak_from_this(), drafted = std::weak_ptr(draft_)](
                                           reply_shell&, start_handler started) {
                                           const auto self = weak.lock();
                                           const auto known = drafted.lock();
                                           if (self && known)
                                               self->find_draft_start(known, std::move(started));
                                       }},
                                  draft_));
}

reply_draft::events conversation_shell::make_draft_events(draft_handler done) {
    return {.on_failed =
                [weak = weak_from_this()](const server_link_ptr& at, const failure& why) {
                    if (const auto self = weak.lock()) self->host_->server_failed(at, why);
                },
            .on_over =
                [weak = weak_from_this(), done = std::move(done)](reply_draft& draft) {
                    if (const auto self = weak.lock()) self->draft_over(draft);
                    done(draft.cause().ec, draft.cause().diag, draft.work().drafted);
                },
            .on_expired =
                [weak = weak_from_this()] {
                    if (const auto self = weak.lock()) self->drop_draft();
                }};
}

void conversation_shell::find_draft_start(const draft_ptr& draft, start_handler done) {
    prepare_idle_server(
        [drafted = std::weak_ptr(draft), done = std::move(done)](conversation_shell& self) {
            const auto known = drafted.lock();
            if (!known) return;
            if (self.needs_call_mark(known->options()))
                return self.learn_draft_call_mark(known, done);
            self.render_draft(known, {}, done);
        });
}

void conversation_shell::learn_draft_call_mark(const draft_ptr& draft, start_handler done) {
    core_->load_call_mark(
        [weak = weak_from_this(), drafted = std::weak_ptr(draft), done = std::move(done)](
            error_code ec, const diagnostics& diag, const server::call_mark& mark) {
            const auto self = weak.lock();
            const auto known = drafted.lock();
            if (!self || !known) return;
            if (ec) return done(ec, diag, {});
            // The turn reports it.
            if (mark.opening.empty()) return done(errc::not_supported, {}, {});
            self->render_draft(known, mark, done);
        });
}

void conversation_shell::render_draft(const draft_ptr& draft, server::call_mark mark,
                                      start_handler done) {
    render_prompt(core_, draft->messages(), draft->options(),
                  [weak = weak_from_this(), drafted = std::weak_ptr(draft), asked = core_.get(),
                   mark = std::move(mark), done = std::move(done)](
                      error_code ec, const diagnostics& diag, std::string prompt) {
                      const auto self = weak.lock();
                      const auto known = drafted.lock();
                      if (!self || !known || self->core_.get() != asked || self->running_ != 0)
                          return;
                      if (ec) return done(ec, diag, {});
                      known->set_started(self->core_, self->props_.model);
                      self->host_->turn_began(self->core_);
                      auto here = self->start_at_current_server(
                          mark, {.prompt = self->known_.attach_known_ids(std::move(prompt))});
                      if (self->prefill_) here.warmed = self->prefill_->slot();
                      done({}, {}, std::move(here));
                  });
}

void conversation_shell::draft_over(const reply_draft& draft) {
    if (draft.server()) host_->turn_ended(draft.server());
    early_.prefilled += draft.work().prefilled;
    metrics_.prefilled += draft.work().prefilled;
    if (!draft.is_complete()) count_wasted(draft);
    if (draft_.get() != &draft) return;
    if (draft.is_committed()) return continue_from_draft(starting_);
    if (!draft.is_complete()) draft_.reset();
}

void conversation_shell::count_wasted(const reply_draft& draft) {
    scope_->log(log_level::debug, "conversation {}: a draft of {} tokens is dropped", id_,
                draft.work().drafted);
    let_go_of_slots();
    early_.draft_wasted += draft.work().drafted;
    metrics_.draft_wasted += draft.work().drafted;
}

void conversation_shell::drop_draft() {
    const auto draft = std::exchange(draft_, nullptr);
    if (!draft) return;
    if (draft->is_complete()) return count_wasted(*draft);
    draft->stop(scope_->is_closed() ? error_code(errc::client_destroyed)
                                    : error_code(boost::asio::error::operation_aborted));
}

// --- the turn that follows

/// The turn's reply is the draft's.
void conversation_shell::begin_drafted_turn(const start_ptr& start) {
    if (draft_->is_over()) return continue_from_draft(start);
    // Without a request, the turn itself is as fast.
    if (draft_->server()) return draft_->commit();
    drop_draft();
    find_server(start);
}

void conversation_shell::continue_from_draft(const start_ptr& start) {
    const auto draft = std::exchange(draft_, nullptr);
    if (!start) return;
    if (draft->is_complete()) {
        start->is_drafted = true;
        scope_->log(log_level::debug,
                    "conversation {}: reply {} continues from a draft of {} tokens", id_,
                    start->reply, draft->work().drafted);
        early_.drafted = draft->work().drafted;
        early_.draft_first_token_ms = draft->work().draft_first_token_ms;
        early_.draft_ms = draft->work().draft_ms;
        start->resumed = reply_origin{.rest = draft->take_remainder()};
        rest_model_ = draft->model();
    }
    find_server(start);
}

}  // namespace tandem::detail
