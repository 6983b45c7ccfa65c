#include "replay/replay.hpp"

#include "config/config_defaults.hpp"
#include "run/simulated_user.hpp"
#include "text/url_text.hpp"

#include <boost/asio/bind_executor.hpp>
#include <climits>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace tandem::command {
namespace {

std::vector<std::string> shown_urls_of(const service_config& settings) {
    auto urls = server_urls(settings);
    std::ranges::transform(urls, urls.begin(), redact_url);
    return urls;
}

const char* state_name(server_status::health state) {
    using health = server_status::health;
    if (state == health::up) return "up";
    return state == health::loading ? "loading" : "down";
}

// Returns the result of a reply that could not start.
reply_result failed(const error_code& ec, std::string words) {
    reply_result r;
    r.error = ec;
    r.diagnostics.client_message = std::move(words);
    return r;
}

}  // namespace

int count_replies(const std::vector<dialogue>& dialogues, int conversations) {
    std::int64_t sum = 0;
    for (const auto& d : dialogues) sum += d.replies();
    return static_cast<int>(std::min<std::int64_t>(sum * conversations, INT_MAX));
}

int count_expectations(const std::vector<dialogue>& dialogues, int conversations) {
    std::int64_t sum = 0;
    for (const auto& d : dialogues) sum += std::ssize(d.expected);
    return static_cast<int>(std::min<std::int64_t>(sum * conversations, INT_MAX));
}

replay::replay(boost::asio::io_context& ioc, service_config settings, instruments i,
               replay_rules rules, std::vector<dialogue> dialogues, replay_view& view)
    : ioc_(ioc),
      settings_(std::move(settings)),
      instruments_(std::move(i)),
      rules_(rules),
      dialogues_(std::move(dialogues)),
      view_(view),
      totals_(count_replies(dialogues_, rules.conversations), shown_urls_of(settings_)),
      servers_(ioc.get_executor(), settings_, instruments_,
               dialogues_of(true).empty() ? detail::service_slot_defaults
                                          : detail::command_slot_defaults) {
    totals_.expect_checks(count_expectations(dialogues_, rules.conversations));
}

void replay::start(std::function<void()> on_done) {
    start_coroutine(ioc_.get_executor(), run(), std::move(on_done));
}

void replay::stop() {
    stopping_ = true;
    for (const auto& r : running_) r->interrupt();
    for (auto* wait : waits_) wait->cancel();
    // Cancels the initial requests to the servers, which may be pending if no reply is running.
    if (running_.empty()) servers_.close();
}

awaitable<void> replay::run() {
    co_await servers_.fetch_props(rules_.wait);
    if (!stopping_) servers_.report_to(view_);
    for (const auto& s : servers_.all()) totals_.set_server_state(s.url, s.state());
    if (!stopping_ && servers_.count_answering() > 0) {
        co_await run_all(dialogues_of(true));
        co_await run_conversations(dialogues_of(false));
    }
    servers_.close();
}

auto replay::dialogues_of(bool raw) const -> dialogue_list {
    dialogue_list list;
    for (const auto& d : dialogues_)
        if (d.prompt.has_value() == raw) list.push_back(&d);
    return list;
}

awaitable<void> replay::run_all(const dialogue_list& list) {
    const auto runs = list.size() * static_cast<std::size_t>(rules_.conversations);
    std::size_t next = 0;
    co_await run_concurrently(ioc_.get_executor(),
                              std::min(static_cast<std::size_t>(rules_.concurrency), runs),
                              [&](std::size_t) { return run_queued_dialogues(list, next); });
}

awaitable<void> replay::run_queued_dialogues(const dialogue_list& list, std::size_t& next) {
    const auto each = static_cast<std::size_t>(rules_.conversations);
    while (!stopping_ && next < list.size() * each) {
        const auto& d = *list[next / each];
        const auto id = run_id(d.id, static_cast<int>(next++ % each), rules_.conversations);
        if (d.prompt)
            co_await run_prompt(d, id);
        else
            co_await run_conversation(d, id);
    }
}

// --- raw prompts

awaitable<void> replay::run_prompt(const dialogue& d, const std::string& id) {
    const reply_name where{id, 0};
    if (!report_start(where, *d.prompt)) co_return;
    auto& server = servers_.next_answering_server();
    const auto running = std::make_shared<paced_reply>(
        ioc_.get_executor(), server.talk->start(*d.prompt, options_of(d)), where, rules_.pace,
        settings_.client.limits.continue_timeout);
    running->set_server_url(server.url);
    co_await speak(running, d);
    turn_outcome outcome;
    outcome.add(running->make_end_event().result);
    report_end(running->make_end_event(), check_turn(d, 0, outcome));
    servers_.on_reply_failed(server, running->make_end_event().result.error);
    totals_.set_server_state(server.url, server.state());
}

// --- conversations

awaitable<void> replay::run_conversations(dialogue_list list) {
    if (stopping_ || list.empty()) co_return;
    auto settings = settings_;
    settings.servers = servers_.usable_server_urls();
    service_.emplace(ioc_.get_executor(), std::move(settings), instruments_);
    // Clients and service share a table for each server, which remembers the warnings it has
    // logged. Closes the clients only now, so that the tables survive.
    servers_.close();
    co_await run_all(list);
    co_await fetch_server_states();
    service_.reset();
}

awaitable<void> replay::fetch_server_states() {
    error_code ec;
    const auto servers = co_await service_->async_servers(redirect_error(use_awaitable, ec));
    for (const auto& s : servers)
        if (s.state != server_status::health::unknown)
            totals_.set_server_state(redact_url(s.url), state_name(s.state));
}

awaitable<void> replay::run_conversation(const dialogue& d, const std::string& id) {
    running_dialogue run{d, id, begin_conversation(d), canned_results(d)};
    for (int turn = 0; turn < d.replies() && !stopping_; ++turn) {
        run.turn = turn;
        run.outcome = {};
        const bool has_succeeded = co_await run_turn(run, get_turn_prompt(d, turn));
        if (!has_succeeded) break;
    }
    error_code ec;
    const auto state = co_await run.talk.async_state(redirect_error(use_awaitable, ec));
    totals_.add(state.metrics);
}

// If the dialogue has only `messages`, the last one is the text of the first turn.
conversation replay::begin_conversation(const dialogue& d) {
    auto options = settings_.conversation;
    options.messages = d.messages;
    if (d.turns.empty()) options.messages.pop_back();
    return service_->create(std::move(options));
}

awaitable<bool> replay::let_user_speak(running_dialogue& run, const chat_message& said) {
    if (!rules_.users.is_enabled() || said.role != "user") co_return !stopping_;
    view_.on_user_speaks();
    const auto seed = settings_.client.generation.seed.value_or(0);
    co_return co_await simulate_user_speech(
        run.talk, plan_user_speech(said.content, rules_.users, seed, run.id, run.replies),
        options_of(run.d), [this](clock::time_point at) { return wait_until(at); });
}

awaitable<bool> replay::wait_until(clock::time_point at) {
    if (stopping_) co_return false;
    boost::asio::steady_timer wait(ioc_, at);
    waits_.insert(&wait);
    co_await wait_for_timer(wait);  // stop() cancels the wait
    waits_.erase(&wait);
    co_return !stopping_;
}

awaitable<bool> replay::run_turn(running_dialogue& run, const chat_message& said) {
    const bool has_spoken = co_await let_user_speak(run, said);
    if (!has_spoken) co_return false;
    auto where = run.next_reply();
    if (!report_start(where, said.content)) co_return false;
    diagnostics diag;
    if (const auto ec = run.talk.append(said, diag)) {
        const auto fault = failed(ec, diag.to_string());
        run.outcome.add(fault);
        report_end({.where = where, .result = fault, .t_ns = to_monotonic_ns(clock::now())},
                   check_turn(run.d, run.turn, run.outcome));
        co_return false;
    }
    for (run.round = 1;; ++run.round) {
        std::vector<std::string> results;
        auto options = options_of(run.d);
        // Only the first reply must call a function. If the replies to results had to, the turn
        // might never speak.
        if (run.round > 1 && must_call(options)) options.tool_choice.clear();
        const auto ended = co_await run_reply(run, std::move(options), where, results);
        if (ended == finish_reason::error) co_return false;
        if (run.ends_turn(ended, results)) co_return true;
        where = run.next_reply();
        totals_.expect_reply();
        if (!report_start(where, fmt::format("{}", fmt::join(results, ", ")))) co_return false;
    }
}

awaitable<finish_reason> replay::run_reply(running_dialogue& run, generation_options options,
                                           reply_name where, std::vector<std::string>& results) {
    auto reply = run.talk.generate(std::move(options));
    if (!run.d.results.empty()) answer_calls(run, reply, results);
    const auto running =
        std::make_shared<paced_reply>(ioc_.get_executor(), std::move(reply), where, rules_.pace,
                                      settings_.client.limits.continue_timeout, &run.talk);
    co_await speak(running, run.d);
    auto e = running->make_end_event();
    const auto ended = e.result.finish_reason;
    run.outcome.add(e.result);
    report_end(std::move(e), run.ends_turn(ended, results)
                                 ? check_turn(run.d, run.turn, run.outcome)
                                 : std::nullopt);
    co_return ended;
}

// The handler may capture references, because it runs before the reply ends: see
// reply::async_tool_calls().
void replay::answer_calls(running_dialogue& run, tandem::reply& reply,
                          std::vector<std::string>& results) {
    reply.async_tool_calls(boost::asio::bind_executor(
        ioc_.get_executor(), [&](const error_code&, const called_functions& called) {
            for (const auto& call : called.calls) {
                results.push_back(run.results.next_result(call.name));
                run.talk.answer_call(call.id, results.back());
            }
        }));
}

// --- any reply

generation_options replay::options_of(const dialogue& d) const {
    return get_generation_options(d, settings_.client.generation);
}

bool replay::report_start(reply_name where, std::string_view prompt) {
    if (stopping_) return false;
    view_.on_reply_started({where, prompt});
    // Checks again, because on_reply_started() stops the run if its output fails.
    return !stopping_;
}

awaitable<void> replay::speak(const std::shared_ptr<paced_reply>& running, const dialogue& d) {
    running_.insert(running);
    if (d.interrupt_after) running->interrupt_after(*d.interrupt_after);
    while (const auto c = co_await running->next_chunk()) {
        totals_.add(*c);
        view_.on_chunk(running->make_chunk_event(*c));
        co_await running->speak(*c);
    }
    running_.erase(running);
}

std::optional<checked_turn> replay::check_turn(const dialogue& d, int turn,
                                               const turn_outcome& outcome) const {
    const auto found = d.expected.find(turn);
    const bool is_cut_off = stopping_ && outcome.finish_reason == finish_reason::interrupted;
    if (found == d.expected.end() || is_cut_off) return std::nullopt;
    return checked_turn{.line = d.line,
                        .turn = turn + 1,
                        .total_ms = outcome.total_ms,
                        .broken = find_broken_expectations(found->second, outcome)};
}

void replay::report_end(end_event e, std::optional<checked_turn> checked) {
    e.checked = std::move(checked);
    totals_.add(e);
    view_.on_reply_ended(e);
}

}  // namespace tandem::command
