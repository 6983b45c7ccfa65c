#include "simulation/simulated_conversation.hpp"

#include "conversation/chatml.hpp"
#include "conversation/context_care.hpp"
#include "simulation/simulated_service.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace tandem::test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

// As conversation_shell has it.
constexpr int most_servers_tried = 16;

conversation_options random_options(rng& random) {
    constexpr duration graces[] = {0s, 1s, 5s};
    return {.interrupted = static_cast<history_policy>(pick(random, 0, 3)),
            .interrupted_mark = chance(random, 0.3) ? "..." : "",
            .resume_grace = graces[pick(random, 0, 2)],
            .reply_reserve = 16};
}

milliseconds up_to(rng& random, int most) {
    return milliseconds(pick(random, 0, most));
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

// --- what is said to it

void simulated_conversation::say(std::string words) {
    world_.check(history_.append({.role = "user", .content = words}),
                 "what the user says is taken between turns");
    expected_.said(std::move(words));
    compare();
}

void simulated_conversation::user_speaks() {
    if (ended_ || running_ != 0) return;
    if (turns_left_-- == 0) return end();
    say("User " + std::to_string(id_) + " says " + std::to_string(turns_left_));
    plan_ = random_plan(world_.random(), conversations::chatml_prompt(history_.messages()));
    plan_->rules.going_on.retries = 0;
    rest_.reset();
    world_.check(history_.begin_turn(), "a turn begins where none runs");
    expected_.turn_begins(plan_->model.text());
    start_turn(std::make_shared<turn_start>());
    if (chance(world_.random(), 0.1))
        world_.at(up_to(world_.random(), 5000), [this] { user_speaks_meanwhile(); });
}

void simulated_conversation::user_speaks_meanwhile() {
    if (running_ == 0 || ended_) return;
    world_.check(!history_.append({.role = "user", .content = "lost"}),
                 "nothing is taken while a turn runs");
    said_meanwhile_.emplace_back("And that.");
}

void simulated_conversation::interrupt() {
    if (ended_) return;
    if (running_ != 0) return reply().interrupt();
    history_.interrupted(world_.now());
    expected_.interrupted(world_.now());
    compare();
}

void simulated_conversation::fail_turn() {
    if (running_ != 0) reply().abandon(errc::server_gone);
}

void simulated_conversation::server_died() {
    if (generates_) reply().server_died();
}

void simulated_conversation::end() {
    if (ended_) return;
    interrupt();
    ended_ = true;
    compare();
    auto* const server = std::exchange(server_, nullptr);
    if (server && server->in_list) server->slots.retire(id_);
    service_.conversation_ended(*this, server);
}

// --- how a turn starts

void simulated_conversation::start_turn(start_ptr start) {
    start->reply = service_.next_id();
    running_ = start->reply;
    has_started_ = false;
    replies_.push_back(std::make_unique<simulated_reply>(world_, start->reply, *plan_, *this));
    history_.begin_reply(start->reply);
    compare();
    if (chance(world_.random(), 0.3))
        world_.at(up_to(world_.random(), chance(world_.random(), 0.3) ? 300 : 8000),
                  [this, turn = running_] {
                      if (turn == running_) interrupt();
                  });
    find_server(start);
}

void simulated_conversation::resume() {
    if (ended_ || running_ != 0) return;
    const bool may_resume = expected_.can_resume(world_.now());
    const auto unheard = history_.resume(world_.now());
    world_.check(unheard.has_value() == may_resume, "a turn goes on within its grace");
    if (!unheard) {
        world_.note("nothing to resume");
        return user_speaks();
    }
    world_.check(*unheard == expected_.resume(), "what was not heard is handed over again");
    world_.check(history_.spoken() == expected_.spoken(), "what was heard is not");
    auto start = std::make_shared<turn_start>();
    if (rest_ && (rest_->generated || !rest_->text.text().empty())) {
        start->rest = std::exchange(rest_, {});
        start->rest->unspoken = *unheard;
        start->spoken = expected_.spoken();
        world_.note(start->rest->generated ? "a whole turn is resumed" : "a turn is resumed");
    }
    start_turn(std::move(start));
}

bool simulated_conversation::is_current(const start_ptr& start) const noexcept {
    return !ended_ && running_ == start->reply;
}

void simulated_conversation::pin(service_server* server) {
    if (server == server_) return;
    if (server_) world_.note("a conversation moves");
    if (server_ && server_->in_list) server_->slots.let_go(id_);
    server_ = server;
}

void simulated_conversation::find_server(const start_ptr& start) {
    auto* const placed = service_.place(server_);
    const bool moves = server_ && placed && placed != server_;
    if (moves && start->rest) world_.note("a turn is resumed at another server");
    if (moves && start->rest) start->rest->text.forget_ids();
    // What was not started is not lost by an interrupt.
    if (start->rest) rest_ = start->rest;
    if (!placed) return reply().abandon(errc::no_model);
    pin(placed);
    service_.check_counts();
    world_.check(server_->in_list, "a conversation is pinned to a server of the list");
    world_.at(up_to(world_.random(), 400), [this, start] {
        if (!is_current(start)) return;
        if (!server_->in_list) return no_answer(start, errc::server_gone);
        if (!server_->slots.is_up()) return no_answer(start, errc::connect_failed);
        start_reply(start);
    });
}

void simulated_conversation::no_answer(const start_ptr& start, errc why) {
    const bool is_gone = service_.server_failed(server_, why);
    if (is_gone && ++start->servers_tried < most_servers_tried) return find_server(start);
    reply().abandon(why);
}

void simulated_conversation::start_reply(const start_ptr& start) {
    generates_ = has_started_ = true;
    rest_.reset();
    service_.turn_began(server_);
    const reply_site where{&server_->slots, id_, service_.lease()};
    if (!start->rest) return reply().start(where);
    reply().resume(where, std::move(*start->rest), start->spoken);
}

// --- what a reply tells

void simulated_conversation::handed_over(const chunk& c) {
    history_.handed_over(c);
    expected_.handed_over(c);
    // A second time changes nothing.
    if (chance(world_.random(), 0.1)) history_.handed_over(c);
    compare();
    plan_report(c);
}

void simulated_conversation::continued(chunk_id id) {
    history_.continued(world_.now(), id);
    expected_.continued(world_.now(), id);
    compare();
}

void simulated_conversation::ended(std::uint64_t reply_id, const reply_result& result,
                                   detail::reply_rest rest) {
    world_.check(reply_id == running_, "only the running reply ends");
    ++ends_;
    world_.note(result.error ? error_name(result.error)
                             : std::string(to_string(result.finish_reason)));
    running_ = 0;
    auto* const server = server_;
    if (std::exchange(generates_, false)) service_.turn_ended(server);
    if (result.error && server) service_.server_failed(server, result.error);
    history_.generated(world_.now(), rest.unspoken);
    history_.turn_ended(world_.now(), result.finish_reason);
    expected_.reply_ended(world_.now(), result.finish_reason,
                          has_started_ ? reply().spoken().size() + rest.unspoken.size() : 0);
    compare();
    for (auto& words : std::exchange(said_meanwhile_, {})) say(std::move(words));
    if (has_started_) rest_ = std::move(rest);
    // A turn that is whole is resumed with its own words: the text behind them may be forgotten.
    if (rest_ && rest_->generated && chance(world_.random(), 0.5))
        rest_->text = detail::continuation();
    trim();
    if (!ended_) plan_what_follows();
}

void simulated_conversation::plan_what_follows() {
    auto& random = world_.random();
    // The last chunks may still be spoken when the user talks over them.
    if (chance(random, 0.3)) world_.at(up_to(random, 1000), [this] { interrupt(); });
    const auto pause = up_to(random, chance(random, 0.5) ? 2000 : 9000);
    const bool resumes = chance(random, 0.4);
    world_.at(pause, [this, resumes] { resumes ? resume() : user_speaks(); });
}

void simulated_conversation::trim() {
    if (!chance(world_.random(), 0.2)) return;
    const auto costs = history_.costs();
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
                 "what is planned is dropped");
    compare();
}

// --- the voice

/// Reports come late, out of order, twice, or never.
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
    const bool is_taken = chance(world_.random(), 0.5) ? history_.heard(now, id, characters)
                                                       : history_.heard_share(now, id, share);
    world_.check(is_taken == is_known, "reports count until the turn is settled");
    compare();
}

// --- what is checked

void simulated_conversation::compare() const {
    world_.check(history_.transcript() == expected_.transcript(),
                 "history is what the policy says of what was generated, handed over and heard");
    const auto turn = history_.last_turn();
    world_.check(turn.generated >= turn.handed_over && turn.handed_over >= turn.heard,
                 "generated >= handed over >= heard");
    if (!expected_.is_open()) return;
    world_.check(turn.generated == expected_.generated() &&
                     turn.handed_over == expected_.handed_over() && turn.heard == expected_.heard(),
                 "the ledger counts each byte once");
}

void simulated_conversation::check_end() const {
    world_.check(ended_ && running_ == 0 && !generates_, "each conversation ends");
    world_.check(ends_ == replies_.size(), "each turn ends exactly once");
    for (const auto& r : replies_) r->check_end();
    const conversations::turn_history loaded(history_.saved());
    world_.check(loaded.transcript() == expected_.transcript(), "what is saved is the history");
}

}  // namespace tandem::test
