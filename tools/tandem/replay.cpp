#include "replay.hpp"

#include "together.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace tandem::command {
namespace {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

int count_replies(const std::vector<dialogue>& dialogues) {
    int sum = 0;
    for (const auto& d : dialogues) sum += d.replies();
    return sum;
}

}  // namespace

replay::replay(boost::asio::io_context& ioc, service_config settings, replay_rules rules,
               std::vector<dialogue> dialogues, replay_view& view)
    : ioc_(ioc),
      settings_(std::move(settings)),
      servers_(ioc.get_executor(), settings_),
      rules_(rules),
      dialogues_(std::move(dialogues)),
      view_(view),
      totals_(count_replies(dialogues_)) {}

void replay::start(std::function<void()> on_done) {
    on_done_ = std::move(on_done);
    co_spawn(ioc_, run(), [this](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
        servers_.close();
        on_done_();
    });
}

void replay::stop() {
    stopping_ = true;
    for (const auto& r : running_) r->interrupt();
    close_if_stopped();
}

void replay::close_if_stopped() {
    if (stopping_ && running_.empty()) servers_.close();
}

awaitable<void> replay::run() {
    co_await servers_.ask();
    if (stopping_) co_return;
    servers_.tell(view_);
    if (servers_.answering() == 0) co_return;
    const auto wanted = static_cast<std::size_t>(rules_.concurrency);
    co_await together(ioc_.get_executor(), std::min(wanted, dialogues_.size()),
                      [this](std::size_t) { return work(); });
}

awaitable<void> replay::work() {
    while (!stopping_ && next_ < dialogues_.size())
        co_await run_dialogue(dialogues_[next_++], servers_.next());
}

awaitable<void> replay::run_dialogue(const dialogue& d, server& s) {
    auto messages = d.messages;
    for (int turn = 0; turn < d.replies() && !stopping_; ++turn) {
        if (!d.turns.empty()) messages.push_back({"user", d.turns[static_cast<std::size_t>(turn)]});
        auto text = co_await run_turn(d, {d.id, turn}, s, messages);
        if (!text) co_return;
        messages.push_back({"assistant", std::move(*text)});
    }
}

awaitable<std::optional<std::string>> replay::run_turn(const dialogue& d, turn_name where,
                                                       server& s,
                                                       const std::vector<chat_message>& messages) {
    reply_result fault;
    auto prompt = co_await prompt_of(d, s, messages, fault);
    if (stopping_) co_return std::nullopt;
    view_.started({where, d.prompt ? *d.prompt : messages.back().content});
    // Output that failed while that was shown stops the run.
    if (stopping_) co_return std::nullopt;
    if (!fault.error) co_return co_await run_reply(d, where, s, std::move(prompt));
    tell_end({.where = where, .result = fault, .t_ns = ns_of(clock::now()), .server = s.url});
    servers_.reply_failed(s, fault.error);
    co_return std::nullopt;
}

awaitable<std::string> replay::prompt_of(const dialogue& d, server& s,
                                         const std::vector<chat_message>& messages,
                                         reply_result& fault) {
    if (d.prompt) co_return *d.prompt;
    co_return co_await s.talk->async_apply_template(
        messages, redirect_error(use_awaitable, fault.error), &fault.diagnostics);
}

awaitable<std::optional<std::string>> replay::run_reply(const dialogue& d, turn_name where,
                                                        server& s, std::string prompt) {
    auto options = settings_.server.generation;
    if (d.max_tokens) options.max_tokens = *d.max_tokens;
    const auto running = std::make_shared<paced_reply>(
        ioc_.get_executor(), s.talk->start(std::move(prompt), std::move(options)), where,
        rules_.pace, settings_.server.continue_timeout);
    running->is_on(s.url);
    running_.insert(running);
    if (d.interrupt_after) running->interrupt_after(*d.interrupt_after);
    while (const auto c = co_await running->next_chunk()) {
        totals_.add(*c);
        view_.chunk_came(running->event_of(*c));
        co_await running->speak(*c);
    }
    running_.erase(running);
    const auto end = running->end();
    tell_end(end);
    close_if_stopped();
    servers_.reply_failed(s, end.result.error);
    if (end.result.finish_reason == finish_reason::error) co_return std::nullopt;
    co_return end.result.text;
}

void replay::tell_end(const end_event& e) {
    totals_.add(e.result);
    view_.ended(e);
}

}  // namespace tandem::command
