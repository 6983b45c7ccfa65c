#include "conversation/context_care.hpp"
#include "conversation/conversation_shell.hpp"
#include "conversation/prompt_making.hpp"
#include "loop/clock.hpp"
#include "reply/reply_shell.hpp"
#include "server/client_core.hpp"
#include "server/going_on.hpp"
#include "transport/tls_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

// How a conversation's turn starts: a server, a prompt that fits, and then the reply.
namespace tandem::detail {
namespace {

// A turn looks no further than this for a server that can be reached.
constexpr int most_servers_tried = 16;

// A reply that is to be short needs less room; a prompt that is longer than the context has none.
std::string too_long_text(int tokens, const conversations::context_use& use) {
    const int room = use.context - tokens;
    return fmt::format(
        "system prompt and last exchange have {} tokens; with {} for the reply they do not fit the "
        "context of {}; {}, or start the server with a larger --ctx-size",
        tokens, use.reserve, use.context,
        room > 0 ? fmt::format("set max_tokens to {} or less", room) : "shorten them");
}

}  // namespace

std::optional<failure> conversation_shell::refuse_turn() const {
    if (home_->closed())
        return failure{errc::client_destroyed, {.client_message = "the service was destroyed"}};
    if (ended_)
        return failure{errc::session_not_found,
                       {.client_message = fmt::format("conversation {} has ended", id_)}};
    if (running_ != 0)
        return failure{errc::operation_in_progress,
                       {.client_message = fmt::format(
                            "conversation {} is still replying; interrupt() it first", id_)}};
    return std::nullopt;
}

std::optional<failure> conversation_shell::refuse_resume(time_point at) const {
    if (!rest_ || !history_.can_resume(at))
        return failure{errc::nothing_to_resume,
                       {.client_message = "no turn was interrupted within resume_grace, or the "
                                          "next one has begun"}};
    const bool is_cut_short = !rest_->generated && !rest_->text.generated().empty();
    if (is_cut_short && is_constrained(*turn_options_))
        return failure{
            errc::nothing_to_resume,
            {.client_message = "a turn that is constrained by a grammar, a JSON schema or tools "
                               "cannot be resumed once it was cut: a new request would begin the "
                               "grammar anew, behind text that it knows nothing of"}};
    return std::nullopt;
}

void conversation_shell::turn_begins(reply_shell& reply) {
    reply_ = reply.weak_from_this();
    running_ = reply.id();
    host_->reply_began();
    shunned_.clear();
    if (prefill_) prefill_->hurry();
}

void conversation_shell::begin_turn(reply_shell& reply, const options_ptr& options,
                                    start_handler done) {
    if (start_again(reply, done)) return;
    const auto why = refuse_turn();
    take_options(options, !why);
    if (why) return done(why->ec, why->diag, {});
    turn_begins(reply);
    rest_.reset();
    ++metrics_.turns;
    for (auto& m : std::exchange(said_meanwhile_, {})) history_.append(std::move(m));
    history_.begin_turn();
    history_.begin_reply(reply.id());
    starting_ = std::make_shared<turn_start>(turn_start{
        .reply = reply.id(), .done = std::move(done), .max_tokens = options->max_tokens});
    find_server(starting_);
}

void conversation_shell::resume_turn(reply_shell& reply, start_handler done) {
    if (start_again(reply, done)) return;
    if (const auto why = refuse_turn()) return done(why->ec, why->diag, {});
    // The grace must not end between the question and the deed.
    const auto at = now();
    if (const auto why = refuse_resume(at)) return done(why->ec, why->diag, {});
    auto unheard = history_.resume(at);
    turn_begins(reply);
    history_.begin_reply(reply.id());
    ++metrics_.resumed;
    const auto start = std::make_shared<turn_start>(turn_start{
        .reply = reply.id(), .done = std::move(done), .max_tokens = turn_options_->max_tokens});
    starting_ = start;
    auto rest = *std::exchange(rest_, {});
    // One that was interrupted before it had a prompt starts again.
    if (rest.generated || !rest.text.text().empty()) {
        rest.unspoken = std::move(*unheard);
        start->resumed =
            reply_origin{.rest = std::move(rest), .spoken = std::string(history_.spoken())};
    }
    find_server(start);
}

/// A turn that found no server tries again: its message is in the history already.
bool conversation_shell::start_again(const reply_shell& reply, const start_handler& done) {
    if (!starting_ || starting_->reply != reply.id()) return false;
    starting_->done = done;
    starting_->servers_tried = 0;
    starting_->unreachable.reset();
    find_server(starting_);
    return true;
}

void conversation_shell::go_on(const reply_shell& reply, start_handler done) {
    if (ended_ || running_ != reply.id())
        return done(errc::session_not_found, {.client_message = "the conversation has ended"}, {});
    // A server that is being removed must not wait for a reply that leaves it.
    if (const auto left = std::exchange(generating_at_, nullptr)) host_->turn_ended(left);
    find_server(std::make_shared<turn_start>(turn_start{.reply = reply.id(),
                                                        .done = std::move(done),
                                                        .max_tokens = turn_options_->max_tokens,
                                                        .goes_on = true,
                                                        .has_text = reply.has_begun(),
                                                        .left = reply.server()}));
}

bool conversation_shell::is_current(const start_ptr& start, int look) const noexcept {
    return !ended_ && running_ == start->reply && start->look == look;
}

void conversation_shell::look_is_over(const start_ptr& start) noexcept {
    ++start->look;
    looking_.reset();
}

void conversation_shell::fail(const start_ptr& start, const failure& why) {
    look_is_over(start);
    const bool is_unconnected = is_of_connecting(why.ec);
    start->done(why.ec, why.diag, {.is_hopeless = is_unconnected && host_->was_none_reached()});
}

// --- where

void conversation_shell::pin(core_ptr core) {
    if (core == core_) return;
    if (core_) {
        // Where it never spoke there is nothing to leave.
        if (has_spoken_here_ || !known_.text().empty()) ++metrics_.moves;
        home_->log(log_level::info, "conversation {}: goes to server {}", id_, core->shown_url());
        retire();
    }
    // Another server may have another vocabulary.
    known_ = {};
    has_spoken_here_ = false;
    history_.forget_measurements();
    prefill_.reset();
    core_ = std::move(core);
    if (history_.options().isolate) core_->keeper().isolate(id_);
}

// What it leaves there nobody comes back for.
void conversation_shell::retire() {
    if (const auto job = file_job_.lock()) job->abort(errc::server_gone);
    if (!core_->shut_down()) core_->keeper().retire(id_);
}

// One that failed this reply before is asked again where all of them did.
auto conversation_shell::place(const turn_start& start) -> std::variant<core_ptr, failure> {
    auto placed = host_->place({.pinned = core_, .elsewhere = start.goes_on, .without = shunned_});
    const bool is_first_look = !start.unreachable;
    if (std::holds_alternative<core_ptr>(placed) || shunned_.empty() || !is_first_look)
        return placed;
    shunned_.clear();
    return host_->place({.pinned = core_, .elsewhere = start.goes_on});
}

void conversation_shell::find_server(const start_ptr& start) {
    looking_ = start;
    const int look = ++start->look;
    auto placed = place(*start);
    if (const auto* why = std::get_if<failure>(&placed))
        return start->unreachable ? no_other(start) : fail(start, *why);
    const bool moves = core_ && core_ != std::get<core_ptr>(placed);
    pin(std::get<core_ptr>(std::move(placed)));
    if (start->resumed && moves) start->resumed->rest->text.forget_ids();
    core_->prepare([weak = weak_from_this(), start, look](error_code ec, const diagnostics& diag,
                                                          const server_props& props) {
        const auto self = weak.lock();
        if (!self || !self->is_current(start, look)) return;
        if (ec) return self->no_answer(start, {ec, diag});
        self->props_ = props;
        self->server_found(start);
    });
}

// A server may have been started again with another model, which numbers its tokens otherwise.
bool conversation_shell::meets_another_model() {
    const bool is_other = !known_.text().empty() && known_model_ != props_.model;
    if (is_other) known_ = {};
    return is_other;
}

void conversation_shell::no_answer(const start_ptr& start, failure why) {
    core_->request_failed(why.ec);
    if (!core_->keeper().was_server_met()) why = transport::blame_silent_handshake(std::move(why));
    host_->server_failed(core_, why);
    find_another(start, why);
}

// What a template refuses, others refuse as well, unless the server says that it failed itself.
void conversation_shell::no_prompt(const start_ptr& start, const failure& why) {
    const bool is_of_server =
        kind_of(why.ec, false) != failure_kind::final || why.diag.http_status >= 500;
    if (is_of_server || start->goes_on) return no_answer(start, why);
    fail(start, why);
}

void conversation_shell::find_another(const start_ptr& start, const failure& why) {
    start->unreachable = why;
    shunned_.push_back(core_);
    if (home_->closed() || ++start->servers_tried == most_servers_tried) return no_other(start);
    find_server(start);
}

// What another server says is not the end of a reply whose own may be back.
void conversation_shell::no_other(const start_ptr& start) {
    auto why = *start->unreachable;
    const bool is_of_another = start->goes_on && core_.get() != start->left;
    if (is_of_another && kind_of(why.ec, false) != failure_kind::away) {
        why.ec = errc::no_model;
        why.diag.client_message = fmt::format("no server goes on with the reply; {} does not: {}",
                                              core_->shown_url(), why.diag.client_message);
    }
    fail(start, why);
}

void conversation_shell::server_found(const start_ptr& start) {
    if (start->has_text) return went_on(start);
    const bool is_other = meets_another_model() || rest_model_ != props_.model;
    if (is_other && start->resumed) start->resumed->rest->text.forget_ids();
    if (start->resumed) return start_reply(start, *std::exchange(start->resumed, {}));
    make_prompt(start);
}

// --- what is sent

void conversation_shell::render_history(prompt_handler done) {
    if (!history_.options().raw)
        return render_prompt(core_, history_.messages(), *turn_options_, std::move(done));
    std::string prompt;
    for (const auto& m : history_.messages()) prompt += m.content;
    done({}, {}, std::move(prompt));
}

void conversation_shell::make_prompt(const start_ptr& start) {
    render_history([weak = weak_from_this(), start, look = start->look](
                       error_code ec, const diagnostics& diag, std::string prompt) {
        const auto self = weak.lock();
        if (!self || !self->is_current(start, look)) return;
        if (ec) return self->no_prompt(start, {ec, diag});
        self->check_size(start, self->known_.begin(std::move(prompt)));
    });
}

// Most prompts fit by any count; only the others are counted.
void conversation_shell::check_size(const start_ptr& start, known_prompt prompt) {
    const auto context = static_cast<std::size_t>(props_.context_per_slot);
    const auto reserved =
        static_cast<std::size_t>(conversations::reserve_for(history_.options(), start->max_tokens));
    if (context == 0 || most_tokens(prompt) + reserved <= context)
        return start_reply(start, {.prompt = std::move(prompt)});
    count_prompt(core_, std::move(prompt),
                 [weak = weak_from_this(), start, look = start->look](
                     error_code ec, const diagnostics& diag, known_prompt counted) {
                     const auto self = weak.lock();
                     if (!self || !self->is_current(start, look)) return;
                     if (ec) return self->no_prompt(start, {ec, diag});
                     self->fit(start, std::move(counted));
                 });
}

void conversation_shell::fit(const start_ptr& start, known_prompt counted) {
    const int tokens = static_cast<int>(counted.ids.size());
    const auto costs = history_.costs();
    const auto use = context_use(costs, tokens, start->max_tokens);
    const auto plan = conversations::plan_trim(use);
    // A reply that may continue elsewhere loses nothing for a server that is too small for it.
    if (plan.drop > 0 && (plan.fits || !start->goes_on)) {
        drop_oldest(plan.drop);
        return make_prompt(start);
    }
    if (plan.fits) return start_reply(start, {.prompt = std::move(counted)});
    const failure why{errc::prompt_too_long, {.client_message = too_long_text(tokens, use)}};
    return start->goes_on ? find_another(start, why) : fail(start, why);
}

void conversation_shell::start_reply(const start_ptr& start, reply_origin origin) {
    starting_.reset();
    look_is_over(start);
    generating_at_ = core_;
    host_->turn_began(core_);
    auto here = start_here(std::move(origin));
    if (prefill_ && !start->goes_on) here.warmed = prefill_->slot();
    start->done({}, {}, std::move(here));
}

void conversation_shell::went_on(const start_ptr& start) {
    look_is_over(start);
    generating_at_ = core_;
    host_->turn_began(core_);
    start->done({}, {}, start_here({}));
}

reply_start conversation_shell::start_here(reply_origin origin) {
    return {
        .core = core_, .origin = std::move(origin), .owner = id_, .lease = host_->lease(*core_)};
}

}  // namespace tandem::detail
