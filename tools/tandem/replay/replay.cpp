#include "replay/replay.hpp"

#include "os/together.hpp"
#include "text/shown_url.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <climits>

#include <algorithm>
#include <cstdint>

namespace tandem::command {
namespace {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

std::vector<std::string> shown_urls_of(const service_config& settings) {
    auto urls = server_urls(settings);
    std::ranges::transform(urls, urls.begin(), shown_url);
    return urls;
}

const char* state_name(server_status::health state) {
    using health = server_status::health;
    if (state == health::up) return "up";
    return state == health::loading ? "loading" : "down";
}

// How a reply ended that could not start.
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

replay::replay(boost::asio::io_context& ioc, service_config settings, replay_rules rules,
               std::vector<dialogue> dialogues, replay_view& view)
    : ioc_(ioc),
      settings_(std::move(settings)),
      rules_(rules),
      dialogues_(std::move(dialogues)),
      view_(view),
      totals_(count_replies(dialogues_, rules.conversations), shown_urls_of(settings_)),
      servers_(ioc.get_executor(), settings_),
      rest_(ioc) {}

void replay::start(std::function<void()> on_done) {
    on_done_ = std::move(on_done);
    co_spawn(ioc_, run(), [this](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
        on_done_();
    });
}

void replay::stop() {
    stopping_ = true;
    for (const auto& r : running_) r->interrupt();
    rest_.cancel();
    // With no reply running, only the first questions may still wait for an answer.
    if (running_.empty()) servers_.close();
}

awaitable<void> replay::run() {
    co_await servers_.ask(rules_.wait);
    if (!stopping_) servers_.tell(view_);
    for (const auto& s : servers_.all()) totals_.server_is(s.url, s.state());
    if (!stopping_ && servers_.answering() > 0) {
        co_await run_prompts(dialogues_of(true));
        servers_.close();
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
    co_await together(ioc_.get_executor(),
                      std::min(static_cast<std::size_t>(rules_.concurrency), runs),
                      [&](std::size_t) { return work(list, next); });
}

awaitable<void> replay::work(const dialogue_list& list, std::size_t& next) {
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

awaitable<void> replay::run_prompts(dialogue_list list) {
    co_await run_all(list);
    if (!list.empty() && list.size() < dialogues_.size()) co_await let_slots_rest();
}

// The service does not know that the slots were just used.
awaitable<void> replay::let_slots_rest() {
    if (stopping_) co_return;
    error_code ec;
    rest_.expires_after(servers_.reuse_guard());
    co_await rest_.async_wait(redirect_error(use_awaitable, ec));
}

awaitable<void> replay::run_prompt(const dialogue& d, const std::string& id) {
    const turn_name where{id, 0};
    if (!tell_start(where, *d.prompt)) co_return;
    auto& server = servers_.next();
    const auto running = std::make_shared<paced_reply>(
        ioc_.get_executor(), server.talk->start(*d.prompt, options_of(d)), where, rules_.pace,
        settings_.server.continue_timeout);
    running->is_on(server.url);
    co_await speak(running, d);
    servers_.reply_failed(server, running->end().result.error);
    totals_.server_is(server.url, server.state());
}

// --- conversations

awaitable<void> replay::run_conversations(dialogue_list list) {
    if (stopping_ || list.empty()) co_return;
    auto settings = settings_;
    settings.servers = servers_.that_may_serve();
    service_.emplace(ioc_.get_executor(), std::move(settings));
    co_await run_all(list);
    co_await learn_states();
    service_.reset();
}

awaitable<void> replay::learn_states() {
    error_code ec;
    const auto servers = co_await service_->async_servers(redirect_error(use_awaitable, ec));
    for (const auto& s : servers)
        if (s.state != server_status::health::unknown)
            totals_.server_is(shown_url(s.url), state_name(s.state));
}

awaitable<void> replay::run_conversation(const dialogue& d, const std::string& id) {
    auto talk = begin(d);
    for (int turn = 0; turn < d.replies() && !stopping_; ++turn) {
        const auto said = said_in(d, turn);
        const bool ended_well = co_await run_turn(d, {id, turn}, said, talk);
        if (!ended_well) break;
    }
    error_code ec;
    const auto state = co_await talk.async_state(redirect_error(use_awaitable, ec));
    totals_.add(state.metrics);
}

// Of `messages`, the last one is what is said in the first turn.
conversation replay::begin(const dialogue& d) {
    auto options = settings_.conversation;
    options.messages = d.messages;
    if (d.turns.empty()) options.messages.pop_back();
    return service_->create(std::move(options));
}

awaitable<bool> replay::run_turn(const dialogue& d, turn_name where, const chat_message& said,
                                 conversation& talk) {
    if (!tell_start(where, said.content)) co_return false;
    diagnostics diag;
    if (const auto ec = talk.append(said, &diag)) {
        const auto fault = failed(ec, diag.to_string());
        tell_end({.where = where, .result = fault, .t_ns = ns_of(clock::now())});
        co_return false;
    }
    const auto running =
        std::make_shared<paced_reply>(ioc_.get_executor(), talk.generate(options_of(d)), where,
                                      rules_.pace, settings_.server.continue_timeout, &talk);
    co_await speak(running, d);
    co_return running->end().result.finish_reason != finish_reason::error;
}

// --- any reply

generation_options replay::options_of(const dialogue& d) const {
    auto options = settings_.server.generation;
    if (d.max_tokens) options.max_tokens = *d.max_tokens;
    return options;
}

bool replay::tell_start(turn_name where, std::string_view prompt) {
    if (stopping_) return false;
    view_.started({where, prompt});
    // Output that fails while that is shown stops the run.
    return !stopping_;
}

awaitable<void> replay::speak(const std::shared_ptr<paced_reply>& running, const dialogue& d) {
    running_.insert(running);
    if (d.interrupt_after) running->interrupt_after(*d.interrupt_after);
    while (const auto c = co_await running->next_chunk()) {
        totals_.add(*c);
        view_.chunk_came(running->event_of(*c));
        co_await running->speak(*c);
    }
    running_.erase(running);
    tell_end(running->end());
}

void replay::tell_end(const end_event& e) {
    totals_.add(e);
    view_.ended(e);
}

}  // namespace tandem::command
