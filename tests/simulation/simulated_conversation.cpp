#include "simulation/simulated_conversation.hpp"

#include "conversation/chatml.hpp"
#include "conversation/history/context_trimming.hpp"
#include "server/retry_policy.hpp"
#include "simulation/simulated_service.hpp"
#include "text/characters/utf8.hpp"

#include <utility>

namespace tandem::test {

using namespace std::chrono_literals;

namespace {

// The same limit as in conversation_shell.
constexpr int max_servers_tried = 16;

conversation_options random_options(rng& random) {
    constexpr duration graces[] = {0s, 1s, 5s};
    return {.interrupted = static_cast<history_policy>(pick(random, 0, 3)),
            .interrupted_mark = chance(random, 0.3) ? "..." : "",
            .resume_grace = graces[pick(random, 0, 2)],
            .reply_reserve = 16};
}

}  // namespace

simulated_conversation::simulated_conversation(simulated_service& service, slots::owner_id id)
    : service_(service),
      world_(service.world()),
      id_(id),
      options_(random_options(world_.random())),
      history_(options_),
      expected_(options_),
      turns_left_(pick(world_.random(), 1, 5)) {}

void simulated_conversation::begin() {
    user_speaks();
    // Some users hang up.
    if (chance(world_.random(), 0.2)) world_.at(up_to(world_.random(), 30'000), [this] { end(); });
}

// --- the user

void simulated_conversation::say_late_results() {
    for (auto& words : std::exchange(late_results_, {})) say(std::move(words));
}

void simulated_conversation::say(std::string words) {
    say_late_results();
    world_.check(history_.append({.role = "user", .content = words}),
                 "the history accepts messages between turns");
    expected_.said(std::move(words));
    compare();
}

void simulated_conversation::user_speaks() {
    if (ended_ || running_ != 0) return;
    if (turns_left_-- == 0) return end();
    const auto words = "User " + std::to_string(id_) + " says " + std::to_string(turns_left_);
    if (core_ && chance(world_.random(), 0.3)) return draft(words);
    say(words);
    take_turn();
}

/// Starts a turn in which the model reads the results of its calls.
void simulated_conversation::read_results() {
    if (ended_ || running_ != 0) return;
    world_.note("a turn begins with results");
    say_late_results();
    take_turn();
}

void simulated_conversation::take_turn() {
    begin_turn(random_plan(world_.random(), conversations::render_chatml(history_.messages())),
               false);
}

void simulated_conversation::begin_turn(reply_plan plan, bool awaits_draft) {
    plan_ = std::move(plan);
    rest_.reset();
    world_.check(history_.begin_turn(), "a turn begins when no turn runs");
    expected_.prepare_turn(plan_->model.text_before_call());
    start_turn({}, awaits_draft);
    if (chance(world_.random(), 0.1))
        world_.at(up_to(world_.random(), 5000), [this] { user_speaks_meanwhile(); });
}

void simulated_conversation::user_speaks_meanwhile() {
    if (running_ == 0 || ended_) return;
    world_.check(!history_.append({.role = "user", .content = "lost"}),
                 "the history accepts no message while a turn runs");
    said_meanwhile_.emplace_back("And that.");
}

void simulated_conversation::interrupt() {
    if (ended_) return;
    if (running_ != 0) return reply().interrupt();
    history_.on_interrupted(world_.now());
    expected_.on_interrupted(world_.now());
    compare();
}

// Mirrors conversation_shell.
void simulated_conversation::leave_server(const detail::server_leave_reason& reason) {
    if (draft_ && !draft_->is_over()) draft_->leave_server(reason);
    if (running_ == 0) return;
    const bool hangs = reason.what == detail::server_leave_reason::kind::hangs;
    if (const auto start = checking_; start && hangs && plan_->rules.retry_policy.retries > 0) {
        world_.note("a turn leaves a server that hangs");
        return try_other_server(start, reason.why);
    }
    reply().leave_server(reason);
}

void simulated_conversation::server_died(const simulated_server& which) {
    if (draft_) draft_->server_died(which);
    if (running_ != 0) reply().server_died(which);
}

void simulated_conversation::end() {
    if (ended_) return;
    drop_draft();
    interrupt();
    ended_ = true;
    compare();
    auto* const core = std::exchange(core_, nullptr);
    if (core && !core->is_shut_down()) core->slots().retire(id_);
    service_.on_conversation_ended(*this, core);
}

// --- start of a turn

void simulated_conversation::start_turn(std::optional<detail::reply_origin> resumed,
                                        bool awaits_draft) {
    running_ = service_.next_id();
    shunned_.clear();
    has_started_ = false;
    starting_ = std::make_shared<starting_turn>(starting_turn{
        .reply = running_, .resumed = std::move(resumed), .is_drafted = awaits_draft});
    replies_.push_back(std::make_unique<simulated_reply>(
        world_, running_, *plan_,
        simulated_source{[this](const start_handler& done) { begin_turn(done); },
                         [this](const failure&, const start_handler& done) { go_on(done); },
                         [this](const simulated_server& at, const error_code& why) {
                             service_.on_server_failed(&at, why);
                         }},
        *this));
    history_.begin_reply(running_);
    compare();
    if (chance(world_.random(), 0.3))
        world_.at(up_to(world_.random(), chance(world_.random(), 0.3) ? 300 : 8000),
                  [this, turn = running_] {
                      if (turn == running_) interrupt();
                  });
    reply().start();
}

void simulated_conversation::resume() {
    if (ended_ || running_ != 0) return;
    const bool may_resume = expected_.can_resume(world_.now());
    const auto unheard = history_.resume(world_.now());
    world_.check(unheard.has_value() == may_resume,
                 "a turn can be resumed during its grace period");
    if (!unheard) {
        world_.note("nothing to resume");
        return user_speaks();
    }
    world_.check(*unheard == expected_.resume(), "text that was not heard is handed over again");
    world_.check(history_.spoken() == expected_.spoken(),
                 "text that was heard is not handed over again");
    std::optional<detail::reply_origin> origin;
    if (rest_ && (rest_->generated || !rest_->text.text().empty())) {
        origin = {.rest = std::exchange(rest_, {}), .spoken = expected_.spoken()};
        origin->rest->unspoken = *unheard;
        world_.note(origin->rest->generated ? "a whole turn is resumed" : "a turn is resumed");
    }
    start_turn(std::move(origin));
}

/// Called again if no server was found at first. The turn's message is already in the history.
void simulated_conversation::begin_turn(const start_handler& done) {
    starting_->done = done;
    starting_->servers_tried = 0;
    starting_->unreachable.reset();
    // If a draft still runs, the search for a server waits until the draft is over.
    if (draft_ && !draft_->is_over()) return draft_->commit();
    if (draft_) return continue_from_draft(starting_);
    find_server(starting_);
}

void simulated_conversation::go_on(const start_handler& done) {
    if (ended_) return done({.why = {errc::session_not_found, {}}});
    if (const auto* left = std::exchange(generating_at_, nullptr)) service_.on_turn_ended(left);
    find_server(std::make_shared<starting_turn>(
        starting_turn{.reply = running_, .done = done, .goes_on = true}));
}

bool simulated_conversation::is_current(const start_ptr& start, int check_id) const noexcept {
    return !ended_ && running_ == start->reply && start->check_id == check_id;
}

void simulated_conversation::end_server_check(const start_ptr& start) noexcept {
    ++start->check_id;
    checking_.reset();
}

void simulated_conversation::pin(simulated_server* core) {
    if (core == core_) return;
    if (core_) world_.note("a conversation moves");
    if (core_ && !core_->is_shut_down()) core_->slots().retire(id_);
    core_ = core;
}

/// The turn's whole text is known, so the reply needs no server.
void simulated_conversation::start_generated_reply() {
    world_.note("a turn needs no server");
    const auto start = std::exchange(starting_, nullptr);
    has_started_ = true;
    if (rest_model_ != model_) start->resumed->rest->text.forget_ids();
    start->done({.origin = *std::move(start->resumed)});
}

void simulated_conversation::find_server(const start_ptr& start) {
    if (start->resumed && start->resumed->rest->generated) return start_generated_reply();
    checking_ = start;
    const int check_id = ++start->check_id;
    auto* placed = service_.place(core_, start->goes_on, shunned_);
    if (!placed && start->unreachable) return fail_without_server(start);
    if (!placed && !std::exchange(shunned_, {}).empty())
        placed = service_.place(core_, start->goes_on, {});
    if (!placed) {
        end_server_check(start);
        return start->done({.why = {errc::no_model, {}}});
    }
    const bool moves = core_ && placed != core_;
    pin(placed);
    if (start->resumed && moves) {
        world_.note("a turn is resumed at another server");
        start->resumed->rest->text.forget_ids();
    }
    service_.check_counts();
    core_->prepare([this, start, check_id](const error_code& ec) {
        if (!is_current(start, check_id)) return;
        if (ec) return on_server_check_failed(start, {ec, {}});
        model_ = core_->model();
        on_server_found(start);
    });
}

void simulated_conversation::on_server_check_failed(const start_ptr& start, const failure& why) {
    core_->on_request_failed(why.ec);
    service_.on_server_failed(core_, why.ec);
    try_other_server(start, why);
}

void simulated_conversation::try_other_server(const start_ptr& start, const failure& why) {
    start->unreachable = why;
    shunned_.push_back(core_);
    if (++start->servers_tried == max_servers_tried) return fail_without_server(start);
    find_server(start);
}

void simulated_conversation::fail_without_server(const start_ptr& start) {
    auto why = *start->unreachable;
    const bool is_of_another = start->goes_on && core_ != reply().server();
    if (is_of_another && detail::classify_failure(why.ec, false) != detail::failure_kind::away)
        why.ec = errc::no_model;
    end_server_check(start);
    start->done({.why = why});
}

void simulated_conversation::on_server_found(const start_ptr& start) {
    end_server_check(start);
    if (!start->goes_on) {
        starting_.reset();
        has_started_ = true;
    }
    generating_at_ = core_;
    service_.on_turn_started(core_);
    service_.check_counts();
    detail::reply_origin origin{.prompt = {.text = plan_->model.prompt()},
                                .call_mark = std::string(call_mark)};
    if (start->resumed) {
        origin = std::move(*start->resumed);
        if (rest_model_ != model_) origin.rest->text.forget_ids();
    }
    start->done({.where = {core_, id_}, .origin = std::move(origin)});
}

// --- events of a reply

void simulated_conversation::on_handed_over(const chunk& c) {
    history_.on_handed_over(c);
    expected_.on_handed_over(c);
    // The history must not change if the same chunk is handed over again.
    if (chance(world_.random(), 0.1)) history_.on_handed_over(c);
    compare();
    plan_report(c);
}

void simulated_conversation::on_continued(chunk_id id) {
    history_.on_continued(world_.now(), id);
    expected_.on_continued(world_.now(), id);
    compare();
}

void simulated_conversation::on_called(std::uint64_t reply_id, std::vector<tool_call> calls) {
    world_.check(reply_id == running_, "only the running reply calls functions");
    history_.record_calls(calls);
    expected_.record_calls(calls);
    compare();
    // Some functions are slow, answer twice, or never answer.
    for (const auto& call : calls)
        for (int n = pick(world_.random(), 0, 2); n > 0; --n)
            world_.at(up_to(world_.random(), chance(world_.random(), 0.7) ? 1000 : 20'000),
                      [this, id = call.id] { answer_call(id); });
}

// Mirrors conversation_shell.
void simulated_conversation::answer_call(const std::string& id) {
    const bool is_final = chance(world_.random(), 0.7);
    const auto content = is_final ? "result of " + id : "The result comes later.";
    const bool is_open = expected_.answer_call(id, content, is_final);
    world_.note(is_open ? "a call is answered" : "a result comes too late");
    world_.check(history_.answer_call(id, content, is_final) == is_open,
                 "the first final result of a call counts until the turn is settled");
    if (!is_open && is_final) take_late_result(id, content);
    compare();
}

void simulated_conversation::take_late_result(const std::string& id, const std::string& content) {
    const auto words = expected_.take_late_result(id, content);
    const auto message = history_.make_late_result_message(id, content);
    world_.check(message.has_value() == words.has_value(), "a late result counts exactly once");
    if (!message || !words) return;
    world_.note("a late result is words of the user");
    world_.check(message->content == *words, "a late result names its call");
    late_results_.push_back(*words);
}

void simulated_conversation::on_ended(std::uint64_t reply_id, const reply_result& result,
                                      detail::reply_remainder rest) {
    world_.check(reply_id == running_, "only the running reply ends");
    ++ends_;
    world_.note(result.error ? error_name(result.error)
                             : std::string(to_string(result.finish_reason)));
    running_ = 0;
    checking_.reset();
    if (const auto* left = std::exchange(generating_at_, nullptr)) service_.on_turn_ended(left);
    history_.record_unspoken_text(world_.now(), rest.unspoken);
    // A resumed turn that failed to start keeps its previous state.
    const auto starting = std::exchange(starting_, nullptr);
    drop_draft();
    if (core_ && !core_->is_shut_down()) core_->slots().let_go(id_);
    const bool never_began = starting && starting->resumed && !starting->is_drafted;
    const auto why = never_began ? finish_reason::interrupted : result.finish_reason;
    history_.on_turn_ended(world_.now(), why);
    expected_.on_reply_ended(world_.now(), why,
                             has_started_ ? reply().spoken().size() + rest.unspoken.size() : 0);
    compare();
    for (auto& words : std::exchange(said_meanwhile_, {})) say(std::move(words));
    rest_ = never_began ? std::move(*starting->resumed->rest) : std::move(rest);
    if (!never_began) rest_model_ = model_;
    // A fully generated turn is resumed from its unspoken text, so the transcript may be dropped.
    if (rest_->generated && chance(world_.random(), 0.5)) rest_->text = detail::reply_transcript();
    trim();
    if (!ended_) plan_what_follows();
}

void simulated_conversation::plan_what_follows() {
    auto& random = world_.random();
    // The user may interrupt the last chunks while they are still being spoken.
    if (chance(random, 0.3)) world_.at(up_to(random, 1000), [this] { interrupt(); });
    const auto pause = up_to(random, chance(random, 0.5) ? 2000 : 9000);
    if (history_.open_calls() < replies_.back()->calls() && chance(random, 0.5))
        return world_.at(pause, [this] { read_results(); });
    const bool resumes = chance(random, 0.4);
    world_.at(pause, [this, resumes] { resumes ? resume() : user_speaks(); });
}

void simulated_conversation::trim() {
    if (!chance(world_.random(), 0.2)) return;
    const auto costs = history_.measure_exchanges();
    world_.check(costs.size() == expected_.exchanges(), "each exchange has its cost");
    std::size_t bytes = 0;
    for (const auto& c : costs) bytes += c.bytes;
    const auto plan = conversations::plan_trim({.context = 60,
                                                .reserve = options_.reply_reserve,
                                                .slack = options_.trim_slack,
                                                .prompt = static_cast<int>(bytes / 4),
                                                .exchanges = costs});
    if (plan.drop > 0) world_.note("exchanges are dropped");
    world_.check(plan.drop < costs.size(), "the last exchange stays");
    world_.check(history_.drop_oldest(plan.drop) == expected_.drop(plan.drop),
                 "the planned exchanges are dropped");
    compare();
}

// --- the voice

/// Reports arrive late, out of order, more than once, or never.
void simulated_conversation::plan_report(const chunk& c) {
    auto& random = world_.random();
    const auto all = text::count_characters(c.speech);
    for (int n = pick(random, -2, 3); n > 0; --n) {
        const auto characters =
            static_cast<std::size_t>(pick(random, 0, static_cast<int>(all) + 1));
        world_.at(up_to(random, chance(random, 0.7) ? 3000 : 20'000),
                  [this, id = c.id, characters, all] { report(id, characters, all); });
    }
}

void simulated_conversation::report(chunk_id id, std::size_t characters, std::size_t of) {
    const auto now = world_.now();
    const bool is_known = expected_.heard(now, id, characters);
    const auto share = static_cast<double>(characters) / static_cast<double>(of);
    world_.note(is_known ? "a report counts" : "a report comes too late");
    const bool is_taken = chance(world_.random(), 0.5)
                              ? history_.record_heard(now, id, characters)
                              : history_.record_heard_share(now, id, share);
    world_.check(is_taken == is_known, "reports count until the turn is settled");
    compare();
}

// --- checks

detail::reply_machine::transitions simulated_conversation::made() const {
    detail::reply_machine::transitions all;
    for (const auto& r : replies_) all |= r->made();
    return all;
}

void simulated_conversation::compare() const {
    world_.check(history_.transcript() == expected_.transcript(),
                 "the history follows the policy for generated, handed over and heard text");
    const auto turn = history_.last_turn();
    world_.check(turn.generated >= turn.handed_over && turn.handed_over >= turn.heard,
                 "generated >= handed over >= heard");
    if (!expected_.is_open()) return;
    world_.check(turn.generated == expected_.generated() &&
                     turn.handed_over == expected_.handed_over() && turn.heard == expected_.heard(),
                 "the ledger counts each byte once");
}

void simulated_conversation::check_end() const {
    world_.check(ended_ && running_ == 0 && !generating_at_, "each conversation ends");
    world_.check(ends_ == replies_.size(), "each turn ends exactly once");
    for (const auto& r : replies_) r->check_end();
    for (const auto& d : old_drafts_) d->check_end();
    const conversations::turn_history loaded(history_.saved());
    world_.check(loaded.transcript() == expected_.transcript(),
                 "the saved text contains the history");
}

}  // namespace tandem::test
