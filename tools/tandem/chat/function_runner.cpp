#include "chat/function_runner.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include "tandem/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tandem::command {
namespace {

// A longer result would fill the context of a small model.
constexpr std::size_t max_result_bytes = std::size_t{64} << 10;

void fail(function_result& result, const std::string& why) {
    result.how = function_result::outcome::failed;
    result.content = "Error: " + sanitized_utf8(why);
}

void read(process_result end, function_result& result) {
    if (!end.fault.empty()) return fail(result, end.fault);
    if (text::find_invalid_utf8(end.out) != std::string::npos)
        return fail(result, "its output is not valid UTF-8");
    result.how = function_result::outcome::returned;
    result.content = text::trim_white_space(end.out);
}

}  // namespace

function_runner::function_runner(boost::asio::any_io_executor executor,
                                 const std::vector<command_function>& functions, listener on_result)
    : executor_(executor),
      functions_(functions),
      on_result_(std::move(on_result)),
      all_ended_(executor, boost::asio::steady_timer::time_point::max()) {}

void function_runner::start(const std::vector<tool_call>& calls) {
    for (const auto& call : calls) results_.push_back({.call = call});
    running_ = results_.size();
    for (std::size_t i = 0; i < results_.size(); ++i)
        start_coroutine(executor_, run(i), [self = shared_from_this()] {
            if (--self->running_ == 0) self->all_ended_.cancel();
        });
}

awaitable<void> function_runner::wait() {
    if (running_ > 0) co_await wait_for_timer(all_ended_);
}

void function_runner::stop() {
    stopped_ = true;
    for (const auto& p : programs_) p->stop();
}

const command_function* function_runner::find(const std::string& name) const {
    const auto found = std::ranges::find(functions_, name, &command_function::name);
    return found == functions_.end() ? nullptr : &*found;
}

awaitable<void> function_runner::run(std::size_t index) {
    auto& result = results_[index];
    if (stopped_) co_return;
    if (const auto* f = find(result.call.name))
        co_await run_program(*f, result);
    else
        fail(result, fmt::format("there is no function \"{}\"", result.call.name));
    if (result.how != function_result::outcome::interrupted) on_result_(result);
}

awaitable<void> function_runner::run_program(const command_function& f, function_result& result) {
    const auto begun = std::chrono::steady_clock::now();
    const auto program =
        std::make_shared<subprocess>(executor_, f.command, result.call.arguments + '\n');
    programs_.push_back(program);
    program->start({.time = f.limit, .out_bytes = max_result_bytes});
    auto end = co_await program->wait();
    result.took = end.at - begun;
    if (!program->was_stopped()) read(std::move(end), result);
}

}  // namespace tandem::command
