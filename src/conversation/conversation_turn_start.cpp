#include "conversation/conversation_shell.hpp"
#include "conversation/history/partial_transcript.hpp"
#include "conversation/prompt_rendering.hpp"
#include "loop/clock.hpp"
#include "reply/reply_shell.hpp"
#include "server/retry_policy.hpp"
#include "server/server_link.hpp"
#include "transport/tls_failure.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

// Starts a conversation's turn: finds a server. conversation_prompt.cpp makes the prompt and starts
// the reply.
namespace tandem::detail {
namespace {

// Maximum number of servers that a turn tries to reach.
constexpr int max_servers_tried = 16;

}  // namespace

std::optional<failure> conversation_shell::check_turn_allowed() const {
    if (scope_->is_closed())
        return failure{errc::client_destroyed, {.client_message = owner_destroyed}};
    if (ended_)
        return failure{errc::session_not_found,
                       {.client_message = fmt::format("conversation {} has ended", id_)}};
    if (running_ != 0)
        return failure{errc::operation_in_progress,
                       {.client_message = fmt::format(
                            "conversation {} is still replying; call interrupt() first", id_)}};
    return std::nullopt;
}

std::optional<failure> conversation_shell::check_resume_allowed(time_point at) const {
    if (!remainder_ || !history_.can_resume(at))
        return failure{errc::nothing_to_resume,
                       {.client_message = "no turn was interrupted within resume_grace, or the "
                                          "next one has begun"}};
    const bool has_text =
        !remainder_->text.generated().empty() || history_.last_turn().generated > 0;
    const bool is_cut_short = !remainder_->generated && has_text;
    if (is_cut_short && is_constrained(*turn_options_))
        return failure{
            errc::nothing_to_resume,
            {.client_message =
                 "a turn that is constrained by a grammar or a JSON schema cannot be resumed after "
                 "a cut: a new request would restart the grammar"}};
    return std::nullopt;
}

void conversation_shell::restore_turn(const generation_options& options) {
    if (!history_.can_resume(now())) return;
    turn_options_ = std::make_shared<const generation_options>(options);
    scope_->advance_ids_past(history_.newest_reply());
    remainder_.emplace();
    if (history_.is_turn_complete()) remainder_->generated = finish_reason::eos;
}

void conversation_shell::prepare_turn(reply_shell& reply) {
    reply_ = reply.weak_from_this();
    running_ = reply.id();
    host_->on_reply_started();
    failed_servers_.clear();
    stop_hearing();
    drafts_ = 0;
    if (prefill_) prefill_->cancel_unless_begun();
}

void conversation_shell::append_to_history(chat_message message) {
    const auto id = message.tool_call_id;
    if (!history_.append(std::move(message))) report_unknown_call(id);
}

void conversation_shell::report_unknown_call(const std::string& id) {
    scope_->log(log_level::warning,
                "conversation {}: a result was dropped: there is no call \"{}\" without a result",
                id_, id);
}

void conversation_shell::begin_history_turn(reply_shell& reply) {
    prepare_turn(reply);
    remainder_.reset();
    ++metrics_.turns;
    is_given_text_ = false;
    for (auto& m : std::exchange(said_meanwhile_, {})) append_to_history(std::move(m));
    history_.begin_turn();
    history_.begin_reply(reply.id());
}

void conversation_shell::begin_turn(reply_shell& reply, const options_ptr& options,
                                    start_handler done) {
    if (retry_if_not_started(reply, done)) return;
    const auto why = check_turn_allowed();
    apply_options(options, !why);
    if (why) return done(why->ec, why->diag, {});
    begin_history_turn(reply);
    starting_ = make_starting_turn(reply, std::move(done), *options);
    if (draft_ && !reply.is_streamed() && draft_->matches_turn(history_.messages(), *options)) {
        // The draft was generated from these words.
        if (conversations::has_same_words(history_.last_text(), draft_->words()))
            history_.replace_last_text(draft_->words());
        return begin_drafted_turn(starting_);
    }
    discard_draft();
    find_server(starting_);
}

void conversation_shell::resume_turn(reply_shell& reply, std::optional<chunk_id> speaking,
                                     start_handler done) {
    if (retry_if_not_started(reply, done)) return;
    if (const auto why = check_turn_allowed()) return done(why->ec, why->diag, {});
    // Uses a single time for both steps, so that the grace period cannot end between them.
    const auto at = now();
    if (const auto why = check_resume_allowed(at)) return done(why->ec, why->diag, {});
    discard_draft();
    auto unheard = history_.resume(at, speaking);
    prepare_turn(reply);
    history_.begin_reply(reply.id());
    ++metrics_.resumed;
    const auto start = make_starting_turn(reply, std::move(done), *turn_options_);
    starting_ = start;
    auto rest = *std::exchange(remainder_, {});
    // A turn interrupted before it had a prompt has nothing to resume and starts over.
    if (rest.generated || !rest.text.text().empty()) {
        rest.unspoken = std::move(*unheard);
        start->resumed =
            reply_origin{.rest = std::move(rest), .spoken = std::string(history_.spoken())};
    } else if (auto text = fmt::format("{}{}", history_.spoken(), *unheard); !text.empty()) {
        start->begun = begun_text{std::move(text), *std::move(unheard)};
    }
    find_server(start);
}

/// A turn that found no server tries again: its message is already in the history.
bool conversation_shell::retry_if_not_started(const reply_shell& reply, const start_handler& done) {
    if (!starting_ || starting_->reply != reply.id()) return false;
    starting_->done = done;
    starting_->servers_tried = 0;
    starting_->unreachable.reset();
    find_server(starting_);
    return true;
}

void conversation_shell::fail_over(const reply_shell& reply, start_handler done) {
    if (ended_ || running_ != reply.id())
        return done(errc::session_not_found, {.client_message = "the conversation has ended"}, {});
    // A server that is being removed must not wait for a reply that leaves it.
    if (const auto left = std::exchange(generating_at_, nullptr)) host_->on_turn_ended(left);
    const auto start = make_starting_turn(reply, std::move(done), *turn_options_);
    start->is_failover = true;
    start->has_text = reply.has_begun();
    start->previous_server = reply.server();
    find_server(start);
}

auto conversation_shell::make_starting_turn(const reply_shell& reply, start_handler done,
                                            const generation_options& options) const -> start_ptr {
    return std::make_shared<starting_turn>(
        starting_turn{.reply = reply.id(),
                      .began = now(),
                      .done = std::move(done),
                      .max_tokens = options.max_tokens,
                      .is_streamed = reply.is_streamed(),
                      .needs_call_mark = needs_call_mark(options)});
}

bool conversation_shell::is_current(const start_ptr& start, int check_id) const noexcept {
    return !ended_ && running_ == start->reply && start->check_id == check_id;
}

void conversation_shell::end_server_check(const start_ptr& start) noexcept {
    ++start->check_id;
    checking_.reset();
}

void conversation_shell::fail_start(const start_ptr& start, const failure& why) {
    end_server_check(start);
    const bool is_unconnected =
        is_connect_error(why.ec) && host_->no_server_ever_reached(start->began);
    start->done(why.ec, why.diag, {.is_permanent = is_unconnected || host_->are_all_drained()});
}

// --- choice of the server

void conversation_shell::pin_server(server_link_ptr link) {
    if (link == link_) return;
    if (link_) {
        // Leaving a server that the conversation never used does not count as a move.
        if (has_spoken_here_ || !known_.text().empty()) ++metrics_.moves;
        scope_->log(log_level::info, "conversation {}: assigned to server {}", id_,
                    link->shown_url());
        leave_slots_of_server();
    }
    // Another server may have another vocabulary.
    known_ = {};
    watch_.forget_prompt();
    has_spoken_here_ = false;
    history_.reset_prompt_measurements();
    prefill_.reset();
    is_prefilling_words_ = false;
    prefilled_words_.clear();
    link_ = std::move(link);
    inherit_token_ids(std::exchange(before_, nullptr));
    if (history_.options().isolate) link_->slots().isolate_owner(id_);
}

void conversation_shell::continue_conversation(std::shared_ptr<const conversation_shell> before) {
    if (link_) return inherit_token_ids(before);
    // A predecessor that never had a server knows only what its own predecessor knows.
    before_ = before->before_;
    if (before->link_) before_ = std::move(before);
}

// The ids are valid for this server only.
void conversation_shell::inherit_token_ids(
    const std::shared_ptr<const conversation_shell>& before) {
    if (!before || before->link_ != link_) return;
    known_ = before->known_;
    known_model_ = before->known_model_;
    watch_ = before->watch_;
}

std::string conversation_shell::server_url() const {
    return link_ ? link_->config().server.url : std::string();
}

// The conversation will not return to the text that it leaves on the server.
void conversation_shell::leave_slots_of_server() {
    if (const auto job = file_job_.lock()) job->abort(errc::server_gone);
    if (!link_->is_shut_down()) link_->slots().retire_owner(id_);
}

void conversation_shell::leave_server(const server_leave_reason& reason) {
    const auto job = file_job_.lock();
    if (job && reason.what == server_leave_reason::kind::removed) job->abort(reason.why.ec);
    // The end of the draft may make a turn look for another server.
    const auto start = checking_;
    if (draft_ && !draft_->is_over()) draft_->leave_server(reason);
    if (running_ == 0 || checking_ != start) return;
    // A turn that is still being started there has no request, so nothing can have arrived.
    const bool hangs = reason.what == server_leave_reason::kind::hangs;
    if (start && hangs && rules_.failover.retries > 0) return try_other_server(start, reason.why);
    if (const auto reply = reply_.lock()) reply->leave_server(reason);
}

// If all servers have failed this reply, they are tried again.
auto conversation_shell::assign_server(const starting_turn& start)
    -> std::variant<server_link_ptr, failure> {
    auto placed = host_->assign_server({.pinned = link_,
                                        .prefer_other = start.is_failover,
                                        .excluded = failed_servers_,
                                        .turn_began = start.began});
    const bool is_first_attempt = !start.unreachable;
    if (std::holds_alternative<server_link_ptr>(placed) || failed_servers_.empty() ||
        !is_first_attempt)
        return placed;
    failed_servers_.clear();
    return host_->assign_server(
        {.pinned = link_, .prefer_other = start.is_failover, .turn_began = start.began});
}

void conversation_shell::find_server(const start_ptr& start) {
    if (start->resumed && start->resumed->rest->generated) return start_generated_reply();
    checking_ = start;
    const int check_id = ++start->check_id;
    auto placed = assign_server(*start);
    if (const auto* why = std::get_if<failure>(&placed))
        return start->unreachable ? fail_without_server(start) : fail_start(start, *why);
    const bool moves = link_ && link_ != std::get<server_link_ptr>(placed);
    pin_server(std::get<server_link_ptr>(std::move(placed)));
    if (start->resumed && moves) start->resumed->rest->text.forget_ids();
    link_->load_props([weak = weak_from_this(), start, check_id](
                          error_code ec, const diagnostics& diag, const server_props& props) {
        const auto self = weak.lock();
        if (!self || !self->is_current(start, check_id)) return;
        if (ec) return self->on_server_check_failed(start, {ec, diag});
        self->props_ = props;
        self->on_server_found(start);
    });
}

// A server may have been restarted with another model, which uses another vocabulary.
bool conversation_shell::has_model_changed() {
    const bool is_other = !known_.text().empty() && known_model_ != props_.model;
    if (is_other) known_ = {};
    return is_other;
}

void conversation_shell::on_server_check_failed(const start_ptr& start, failure why) {
    link_->on_request_failed(why);
    if (!link_->slots().were_props_read_before())
        why = transport::reclassify_handshake_timeout(std::move(why));
    host_->on_server_failed(link_, why);
    try_other_server(start, why);
}

// Other servers would also reject the messages, unless this server reports an internal failure.
void conversation_shell::on_prompt_failed(const start_ptr& start, const failure& why) {
    const bool is_of_server =
        classify_failure(why, false) != failure_kind::final || why.diag.http_status >= 500;
    if (is_of_server || start->is_failover) return on_server_check_failed(start, why);
    fail_start(start, why);
}

void conversation_shell::try_other_server(const start_ptr& start, const failure& why) {
    start->unreachable = why;
    failed_servers_.push_back(link_);
    if (scope_->is_closed() || ++start->servers_tried == max_servers_tried)
        return fail_without_server(start);
    find_server(start);
}

// A failure of another server does not end a reply whose own server may be back in time.
void conversation_shell::fail_without_server(const start_ptr& start) {
    auto why = *start->unreachable;
    const bool is_of_another = start->is_failover && link_.get() != start->previous_server;
    if (is_of_another && classify_failure(why, false) != failure_kind::away) {
        why.ec = errc::no_model;
        why.diag.client_message = fmt::format("no server can continue the reply; {}: {}",
                                              link_->shown_url(), why.diag.client_message);
    }
    fail_start(start, why);
}

// A JSON reply needs no mark.
bool conversation_shell::needs_call_mark(const generation_options& o) const {
    return !o.tools.empty() && o.tool_choice != "none" && !history_.options().raw &&
           !uses_call_schema(o);
}

void conversation_shell::load_marks(bool with_calls, server::template_marks_loader::handler done) {
    if (history_.options().raw) return done({}, {}, {});
    if (with_calls) return link_->load_tool_call_mark(std::move(done));
    link_->load_word_marks(std::move(done));
}

void conversation_shell::on_server_found(const start_ptr& start) {
    auto learned = [weak = weak_from_this(), start, check_id = start->check_id](
                       error_code ec, const diagnostics& diag,
                       const server::template_marks& marks) {
        const auto self = weak.lock();
        if (!self || !self->is_current(start, check_id)) return;
        if (ec) return self->on_server_check_failed(start, {ec, diag});
        const bool lacks_mark = start->needs_call_mark && marks.opening.empty();
        if (lacks_mark && !start->is_streamed)
            return self->fail_start(start, {errc::not_supported, {.client_message = no_call_mark}});
        if (lacks_mark)
            self->scope_->log(log_level::warning,
                              "conversation {}: the chat template of {} does not show how a tool "
                              "call begins; calls are text",
                              self->id_, self->link_->shown_url());
        start->marks = marks;
        self->begin_at_server(start);
    };
    load_marks(start->needs_call_mark, std::move(learned));
}

void conversation_shell::begin_at_server(const start_ptr& start) {
    if (start->has_text) return resume_after_failover(start);
    const bool is_other = has_model_changed() || remainder_model_ != props_.model;
    if (is_other && start->resumed) start->resumed->rest->text.forget_ids();
    if (start->resumed) return start_reply(start, *std::exchange(start->resumed, {}));
    make_prompt(start);
}

}  // namespace tandem::detail
