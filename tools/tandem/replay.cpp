#include "replay.hpp"

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

replay::replay(boost::asio::io_context& ioc, config settings, replay_rules rules,
               std::vector<dialogue> dialogues, replay_view& view)
    : ioc_(ioc),
      generation_(settings.generation),
      continue_timeout_(settings.continue_timeout),
      rules_(rules),
      dialogues_(std::move(dialogues)),
      view_(view),
      totals_(count_replies(dialogues_)) {
    client_.emplace(ioc.get_executor(), std::move(settings));
}

void replay::start(std::function<void()> on_done) {
    on_done_ = std::move(on_done);
    workers_ = 1;
    co_spawn(ioc_, run(), [this](std::exception_ptr e) { worker_ended(e); });
}

void replay::stop() {
    stopping_ = true;
    for (const auto& r : running_) r->interrupt();
    close_if_stopped();
}

void replay::close_if_stopped() {
    if (stopping_ && running_.empty()) client_.reset();
}

awaitable<void> replay::run() {
    diagnostics diag;
    error_code ec;
    const auto props = co_await client_->async_prepare(redirect_error(use_awaitable, ec), &diag);
    if (stopping_) co_return;
    if (ec) {
        view_.failed({.error = ec, .diagnostics = diag, .t_ns = ns_of(clock::now())});
        co_return;
    }
    view_.server_ready(props);
    const auto wanted = static_cast<std::size_t>(rules_.concurrency);
    for (std::size_t i = 0; i < std::min(wanted, dialogues_.size()); ++i) {
        ++workers_;
        co_spawn(ioc_, work(), [this](std::exception_ptr e) { worker_ended(e); });
    }
}

void replay::worker_ended(std::exception_ptr e) {
    if (e) std::rethrow_exception(e);
    if (--workers_ > 0) return;
    client_.reset();
    on_done_();
}

awaitable<void> replay::work() {
    while (!stopping_ && next_ < dialogues_.size()) co_await run_dialogue(dialogues_[next_++]);
}

awaitable<void> replay::run_dialogue(const dialogue& d) {
    auto messages = d.messages;
    for (int turn = 0; turn < d.replies() && !stopping_; ++turn) {
        if (!d.turns.empty()) messages.push_back({"user", d.turns[static_cast<std::size_t>(turn)]});
        auto text = co_await run_turn(d, {d.id, turn}, messages);
        if (!text) co_return;
        messages.push_back({"assistant", std::move(*text)});
    }
}

awaitable<std::optional<std::string>> replay::run_turn(const dialogue& d, turn_name where,
                                                       const std::vector<chat_message>& messages) {
    reply_result fault;
    auto prompt = co_await prompt_of(d, messages, fault);
    if (stopping_) co_return std::nullopt;
    view_.started({where, d.prompt ? *d.prompt : messages.back().content});
    // Output that failed while that was shown stops the run.
    if (stopping_) co_return std::nullopt;
    if (!fault.error) co_return co_await run_reply(d, where, std::move(prompt));
    tell_end({.where = where, .result = fault, .t_ns = ns_of(clock::now())});
    co_return std::nullopt;
}

awaitable<std::string> replay::prompt_of(const dialogue& d,
                                         const std::vector<chat_message>& messages,
                                         reply_result& fault) {
    if (d.prompt) co_return *d.prompt;
    co_return co_await client_->async_apply_template(
        messages, redirect_error(use_awaitable, fault.error), &fault.diagnostics);
}

awaitable<std::optional<std::string>> replay::run_reply(const dialogue& d, turn_name where,
                                                        std::string prompt) {
    auto options = generation_;
    if (d.max_tokens) options.max_tokens = *d.max_tokens;
    const auto running = std::make_shared<paced_reply>(
        ioc_.get_executor(), client_->start(std::move(prompt), std::move(options)), where,
        rules_.pace, continue_timeout_);
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
    if (end.result.finish_reason == finish_reason::error) co_return std::nullopt;
    co_return end.result.text;
}

void replay::tell_end(const end_event& e) {
    totals_.add(e.result);
    view_.ended(e);
}

}  // namespace tandem::command
