#include "conversation/conversation_shell.hpp"

#include "conversation/history/conversation_json.hpp"
#include "conversation/prompt_rendering.hpp"
#include "loop/clock.hpp"
#include "reply/reply_shell.hpp"
#include "server/server_link.hpp"

#include <algorithm>
#include <utility>

// Input to a conversation, and the reports of its replies. conversation_turn_start.cpp starts the
// turns.
namespace tandem::detail {
namespace {

// Messages appended while a reply runs wait until the reply ends.
constexpr std::size_t max_deferred_messages = 256;

/// The reply speaks this text, and generates nothing.
reply_origin make_spoken_origin(std::string text) {
    return {.rest = reply_remainder{.unspoken = std::move(text), .generated = finish_reason::eos}};
}

}  // namespace

conversation_shell::conversation_shell(strand_scope& scope, std::shared_ptr<server_provider> host,
                                       const config& rules, conversations::turn_history history)
    : scope_(scope.shared_from_this()),
      host_(std::move(host)),
      rules_(rules),
      id_(scope.next_id()),
      turn_options_(std::make_shared<const generation_options>(rules.generation)),
      history_(std::move(history)) {}

std::shared_ptr<conversation_shell> conversation_shell::make(strand_scope& scope,
                                                             std::shared_ptr<server_provider> host,
                                                             const config& rules,
                                                             conversations::turn_history history) {
    std::shared_ptr<conversation_shell> shell(
        new conversation_shell(scope, std::move(host), rules, std::move(history)));
    scope.add_listener(shell);
    return shell;
}

// --- input

// While functions run, other messages wait for the next turn: only the result may follow a call.
void conversation_shell::append(chat_message message) {
    if (ended_ || history_.record_tool_result(message)) return;
    // A template rejects a result whose call is not directly before it.
    if (message.role == "tool")
        if (auto late = history_.make_late_result_message(message.tool_call_id, message.content))
            return keep_for_next_turn(*std::move(late));
    const bool is_idle = running_ == 0 && said_meanwhile_.empty() && history_.open_calls() == 0;
    if (is_idle) return append_to_history(std::move(message));
    keep_for_next_turn(std::move(message));
}

void conversation_shell::keep_for_next_turn(chat_message message) {
    if (said_meanwhile_.size() < max_deferred_messages)
        return said_meanwhile_.push_back(std::move(message));
    scope_->log(log_level::warning,
                "conversation {}: a message was dropped: {} were already appended during one reply",
                id_, max_deferred_messages);
}

// A late result waits for the next turn: appending it would settle the last turn, which may still
// be resumed.
void conversation_shell::answer_call(const std::string& id, const std::string& content,
                                     bool is_final) {
    if (ended_ || history_.answer_call(id, content, is_final)) return;
    auto late = is_final ? history_.make_late_result_message(id, content) : std::nullopt;
    if (late) return keep_for_next_turn(*std::move(late));
    report_unknown_call(id);
}

std::shared_ptr<reply_shell> conversation_shell::generate() {
    return generate({.options = rules_.generation});
}

std::shared_ptr<reply_shell> conversation_shell::generate(reply_options wish) {
    const auto asked = std::make_shared<const generation_options>(wish.options);
    wish.is_raw = history_.options().raw;
    {
        const std::lock_guard lock(options_mutex_);
        asked_options_ = asked;
    }
    return reply_shell::make(*scope_, rules_, std::move(wish),
                             make_reply_source([self = shared_from_this(), asked](
                                                   reply_shell& reply, start_handler done) {
                                 self->begin_turn(reply, asked, std::move(done));
                             }),
                             weak_from_this(), interrupts_);
}

// The running turn must not get the options of a rejected turn. `asked_options_` is weak, because
// the reply owns the options of a turn that never begins.
void conversation_shell::apply_options(const options_ptr& options, bool has_begun) {
    const std::lock_guard lock(options_mutex_);
    if (has_begun) turn_options_ = options;
    if (has_begun) next_options_.reset();
    if (asked_options_.lock() == options) asked_options_.reset();
}

void conversation_shell::expect_options(generation_options options) {
    next_options_ = std::make_shared<const generation_options>(std::move(options));
    prefilled_words_.clear();  // these words were prefilled with other options
}

// If a turn was requested but has not begun, returns its options: it begins before the resume.
generation_options conversation_shell::get_resume_options() {
    const std::lock_guard lock(options_mutex_);
    const auto asked = asked_options_.lock();
    return asked ? *asked : *turn_options_;
}

std::shared_ptr<reply_shell> conversation_shell::resume(std::optional<chunk_id> speaking) {
    return reply_shell::make(*scope_, rules_, {.options = get_resume_options()},
                             make_reply_source([self = shared_from_this(), speaking](
                                                   reply_shell& reply, start_handler done) {
                                 self->resume_turn(reply, speaking, std::move(done));
                             }),
                             weak_from_this(), interrupts_);
}

// Without `options`, the turn keeps those of the last turn.
std::shared_ptr<reply_shell> conversation_shell::say_text(
    std::string text, std::optional<generation_options> options) {
    const auto asked =
        options ? std::make_shared<const generation_options>(*std::move(options)) : nullptr;
    if (asked) {
        const std::lock_guard lock(options_mutex_);
        asked_options_ = asked;
    }
    return reply_shell::make(*scope_, rules_, {.options = asked ? *asked : rules_.generation},
                             {.start =
                                  [self = shared_from_this(), asked, text = std::move(text)](
                                      reply_shell& reply, const start_handler& done) {
                                      self->begin_spoken_turn(reply, asked, text, done);
                                  }},
                             weak_from_this(), interrupts_);
}

// An aside is not a turn, so the conversation does not listen to its reply.
std::shared_ptr<reply_shell> conversation_shell::say_aside(
    std::string text, std::optional<generation_options> options) {
    return reply_shell::make(
        *scope_, rules_, {.options = std::move(options).value_or(rules_.generation)},
        {.start =
             [weak = weak_from_this(), text = std::move(text)](reply_shell& aside,
                                                               const start_handler& done) {
                 const auto self = weak.lock();
                 if (!self || self->ended_)
                     return done(errc::session_not_found,
                                 {.client_message = "the conversation has ended"}, {});
                 std::erase_if(self->asides_, [](const auto& old) { return old.expired(); });
                 self->asides_.push_back(aside.weak_from_this());
                 done({}, {}, {.origin = make_spoken_origin(text), .pace = self->pace_});
             }},
        {}, interrupts_);
}

void conversation_shell::interrupt_asides() {
    for (const auto& weak : std::exchange(asides_, {}))
        if (const auto aside = weak.lock()) aside->interrupt();
}

reply_server_source conversation_shell::make_reply_source(
    std::function<void(reply_shell&, start_handler)> start) {
    return {
        .start = std::move(start),
        .go_on = [self = shared_from_this()](
                     reply_shell& reply, const failure&,
                     start_handler done) { self->fail_over(reply, std::move(done)); },
        .parse_calls =
            [self = shared_from_this()](const generated_calls& g,
                                        server::server_calls::handler<wire::parsed_reply> done) {
                return self->parse_calls(g, std::move(done));
            },
        .force_calls =
            [self = shared_from_this()](wire::begun_call after,
                                        server::server_calls::handler<wire::parsed_reply> done) {
                return self->force_calls(std::move(after), std::move(done));
            }};
}

std::shared_ptr<reply_shell> conversation_shell::make_refused_reply(failure why) {
    return reply_shell::make(
        *scope_, rules_, {.options = rules_.generation},
        {.start = [why = std::move(why)](reply_shell&, const start_handler& done) {
            done(why.ec, why.diag, {});
        }});
}

void conversation_shell::on_heard(chunk_id id, std::size_t characters) {
    history_.record_heard(now(), id, characters);
}

void conversation_shell::on_heard_share(chunk_id id, double share) {
    history_.record_heard_share(now(), id, share);
}

void conversation_shell::begin_spoken_turn(reply_shell& reply, const options_ptr& options,
                                           const std::string& text, const start_handler& done) {
    const auto why = check_turn_allowed();
    if (options) apply_options(options, !why);
    if (why) return done(why->ec, why->diag, {});
    discard_draft();
    begin_history_turn(reply);
    history_.set_given_text(text);
    is_given_text_ = true;
    auto origin = make_spoken_origin(text);
    origin.early = std::exchange(early_, {});
    done({}, {}, {.origin = std::move(origin), .pace = pace_});
}

void conversation_shell::interrupt() {
    if (ended_) return;
    interrupt_asides();
    if (running_ == 0) return void(history_.on_interrupted(now()));
    if (const auto reply = reply_.lock()) reply->interrupt();
}

void conversation_shell::on_chunk_not_delivered(chunk_id id) {
    if (running_ != 0 || id.reply != last_reply_) return;
    history_.on_interrupted(now());
    history_.retract_chunk(id);
}

void conversation_shell::end() {
    if (ended_) return;
    // Set before the reply ends, so that on_ended() prepares nothing for a next turn.
    ended_ = true;
    interrupt_asides();
    if (const auto reply = reply_.lock()) reply->interrupt();
    discard_draft();
    before_.reset();
    prefill_.reset();
    remainder_.reset();
    if (const auto job = file_job_.lock()) job->abort(errc::session_not_found);
    const auto link = std::exchange(link_, nullptr);
    if (link && !link->is_shut_down()) link->slots().retire_owner(id_);
    host_->on_conversation_ended(id_, link);
}

conversation_state conversation_shell::state() const {
    const auto turn = history_.last_turn();
    conversation_state s{.history = history_.transcript(),
                         .generated = turn.generated,
                         .handed_over = turn.handed_over,
                         .heard = turn.heard,
                         .is_replying = running_ != 0,
                         .known_tokens = known_.tokens(),
                         .metrics = metrics_};
    s.server = server_url();
    s.history.insert(s.history.end(), said_meanwhile_.begin(), said_meanwhile_.end());
    return s;
}

std::string conversation_shell::saved() const {
    auto saved = history_.saved(said_meanwhile_);
    if (link_) saved.server = link_->shown_url();
    return wire::serialize_conversation(saved);
}

void conversation_shell::save_slot(std::string file, slot_file_job::handler done) {
    run_slot_file_job(slot_file_job::kind::save, std::move(file), std::move(done));
}

void conversation_shell::restore_slot(std::string file, slot_file_job::handler done) {
    run_slot_file_job(slot_file_job::kind::restore, std::move(file), std::move(done));
}

// --- reports of replies

void conversation_shell::on_request_failed(const server_link_ptr& at, const failure& why) {
    host_->on_server_failed(at, why);
}

void conversation_shell::on_handed_over(const chunk& c) {
    if (c.id.reply != running_) return;
    has_spoken_here_ = true;
    if (!c.text.empty()) history_.on_handed_over(c);
    // Another process that resumes the turn before the call is complete must generate the call.
    const auto reply = reply_.lock();
    if (reply && reply->is_generating_call()) history_.expect_call();
}

server::call_id conversation_shell::parse_calls(
    const generated_calls& g, server::server_calls::handler<wire::parsed_reply> done) {
    if (!link_) return server::no_call;
    return link_->calls().parse_reply({.messages = history_.messages_before_turn(),
                                       .text = g.text,
                                       .slot = g.slot,
                                       .reuse_cache = g.reuse_cache,
                                       .end_token = g.end_token},
                                      *turn_options_, rules_.limits.first_token_timeout,
                                      std::move(done));
}

server::call_id conversation_shell::force_calls(
    wire::begun_call after, server::server_calls::handler<wire::parsed_reply> done) {
    if (!link_) return server::no_call;
    after.messages = history_.messages_before_turn();
    const auto& limits = rules_.limits;
    return link_->calls().force_call(after, *turn_options_, limits.first_token_timeout,
                                     std::move(done));
}

void conversation_shell::make_ids_unique(std::vector<tool_call>& calls) const {
    history_.make_ids_unique(calls);
}

void conversation_shell::on_called(std::uint64_t reply, std::vector<tool_call> calls) {
    if (reply == running_) history_.record_calls(std::move(calls));
}

void conversation_shell::on_continued(chunk_id id) {
    history_.on_continued(now(), id);
}

void conversation_shell::on_ended(std::uint64_t reply, const reply_result& result,
                                  reply_remainder rest) {
    if (reply != running_) return;
    running_ = 0;
    host_->on_reply_ended();
    checking_.reset();
    failed_servers_.clear();
    last_reply_ = reply;
    const auto counted = std::exchange(generating_at_, nullptr);
    if (counted) host_->on_turn_ended(counted);
    // A reply that has found no server has not received the pace of the voice.
    if (!starting_) pace_ = rest.pace;
    if (result.usage.prompt > 0) {
        history_.record_prompt_tokens(result.usage.prompt);
        watch_.record_prompt_tokens(result.usage.prompt);
    }
    tokens_said_ = result.usage.prompt + result.usage.generated;
    history_.record_unspoken_text(now(), rest.unspoken);
    discard_draft();
    if (starting_ && starting_->draft) count_wasted(starting_->draft->drafted);
    // A reply without a server has not released them. A prefill follows a given text.
    if (!is_given_text_) release_slots();
    auto unstarted = take_unstarted_remainder();
    history_.on_turn_ended(now(), unstarted ? finish_reason::interrupted : result.finish_reason);
    add_to_metrics(result);
    if (!unstarted) remainder_model_ = props_.model;
    remainder_ = unstarted ? std::move(*unstarted) : std::move(rest);
    prefill_.reset();
    if (ended_ || scope_->is_closed()) return;
    if (is_given_text_) return warm();
    request_history_ids();
}

/// If a resumed turn could not start, returns its remainder, for the next attempt to resume.
std::optional<reply_remainder> conversation_shell::take_unstarted_remainder() {
    const auto starting = std::exchange(starting_, nullptr);
    if (starting && starting->begun) return reply_remainder{};
    if (!starting || !starting->resumed || starting->draft) return std::nullopt;
    return std::move(starting->resumed->rest);
}

void conversation_shell::add_to_metrics(const reply_result& result) {
    const auto& u = result.usage;
    if (result.finish_reason == finish_reason::interrupted) ++metrics_.interrupted;
    metrics_.generated += u.generated;
    metrics_.drafted += u.drafted;
    metrics_.cached += u.cached;
    metrics_.evaluated += u.evaluated;
    metrics_.warmed += u.warmed;
    metrics_.slot_wait_ms += result.metrics.slot_wait_ms;
    metrics_.longest_turn_wait_ms =
        std::max(metrics_.longest_turn_wait_ms, result.metrics.first_slot_wait_ms);
}

// --- ends

void conversation_shell::on_owner_destroyed() {
    ended_ = true;
    discard_draft();
    before_.reset();
    prefill_.reset();
    if (const auto job = file_job_.lock()) job->abort(errc::client_destroyed);
    failed_servers_.clear();
    link_.reset();
}

void conversation_shell::on_context_destroyed() noexcept {
    ended_ = true;
    draft_.reset();
    before_.reset();
    if (prefill_) prefill_->on_context_destroyed();
    prefill_.reset();
    failed_servers_.clear();
    link_.reset();
}

}  // namespace tandem::detail
