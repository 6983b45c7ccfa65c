#include "gateway/adapters/adapter_answer.hpp"
#include "gateway/adapters/adapter_request.hpp"
#include "gateway/answers/ids.hpp"
#include "gateway/server/endpoints.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

/// A body, or why there is none.
using desk_answer = std::variant<std::string, api_error>;

template <class Function>
awaitable<desk_answer> ask_there(std::shared_ptr<adapter_desk> desk, Function ask) {
    co_return ask(*desk);
}

/// Asks the desk on its loop.
template <class Function>
awaitable<desk_answer> ask_desk(gateway_loop& loop, Function ask) {
    auto& home = loop.core.first_loop();
    if (&home == &loop) co_return ask(*loop.core.desk);
    co_return co_await asio::co_spawn(home.executor, ask_there(loop.core.desk, std::move(ask)),
                                      asio::use_awaitable);
}

awaitable<void> send(http_exchange& exchange, int status, desk_answer answer) {
    if (const auto* error = std::get_if<api_error>(&answer))
        co_return co_await exchange.send(*error);
    co_await exchange.send(status, std::move(std::get<std::string>(answer)));
}

desk_answer loaded(adapter_desk& desk, const std::string& name, double scale, std::string id) {
    const auto job = desk.load(name, scale, std::move(id));
    if (const auto* error = std::get_if<api_error>(&job)) return *error;
    return accepted_body(*std::get<const adapter_job*>(job));
}

desk_answer found(const adapter_desk& desk, const std::string& id) {
    if (const auto* const job = desk.jobs().find(id)) return job_body(*job);
    return unknown_job(id);
}

}  // namespace

awaitable<void> answer_adapters(http_exchange& exchange, const gateway_core& core) {
    co_await exchange.send(200, adapter_list_body(core.desk->adapters()));
}

awaitable<void> answer_load_adapter(http_exchange& exchange, gateway_loop& loop,
                                    std::string_view name) {
    const auto read = read_load_request(exchange.body(), loop.core.options.max_body_bytes);
    if (const auto* error = std::get_if<api_error>(&read)) co_return co_await exchange.send(*error);
    const auto load = [name = std::string(name), scale = std::get<double>(read),
                       id = random_id("job-", loop.random)](adapter_desk& desk) {
        return loaded(desk, name, scale, id);
    };
    auto answer = co_await ask_desk(loop, load);
    co_await send(exchange, 202, std::move(answer));
}

awaitable<void> answer_job(http_exchange& exchange, gateway_loop& loop, std::string_view id) {
    const auto find = [id = std::string(id)](adapter_desk& desk) { return found(desk, id); };
    auto answer = co_await ask_desk(loop, find);
    co_await send(exchange, 200, std::move(answer));
}

}  // namespace tandem::gateway
