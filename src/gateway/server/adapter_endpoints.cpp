#include "gateway/adapters/adapter_answer.hpp"
#include "gateway/adapters/adapter_request.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/server/endpoints.hpp"

#include <string>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

/// The response body, or an error.
using desk_answer = std::variant<std::string, api_error>;

awaitable<void> send(http_exchange& exchange, int status, desk_answer answer) {
    if (const auto* error = std::get_if<api_error>(&answer))
        co_return co_await exchange.send(*error);
    co_await exchange.send(status, std::move(std::get<std::string>(answer)));
}

desk_answer loaded(adapter_deployer& desk, const std::string& name, double scale, std::string id) {
    const auto job = desk.load(name, scale, std::move(id));
    if (const auto* error = std::get_if<api_error>(&job)) return *error;
    return job_accepted_body(*std::get<const adapter_job*>(job));
}

desk_answer found(const adapter_deployer& desk, const std::string& id) {
    if (const auto* const job = desk.jobs().find(id)) return job_body(*job);
    return make_job_not_found_error(id);
}

}  // namespace

awaitable<void> answer_adapters(http_exchange& exchange, const gateway_core& core) {
    co_await exchange.send(200, adapter_list_body(core.desk->adapters()));
}

awaitable<void> answer_load_adapter(http_exchange& exchange, gateway_core& core,
                                    std::string_view name) {
    const auto read = read_load_request(exchange.body(), core.options.max_body_bytes);
    if (const auto* error = std::get_if<api_error>(&read)) co_return co_await exchange.send(*error);
    auto answer = loaded(*core.desk, std::string(name), std::get<double>(read),
                         make_random_id("job-", core.random));
    co_await send(exchange, 202, std::move(answer));
}

awaitable<void> answer_job(http_exchange& exchange, const gateway_core& core, std::string_view id) {
    auto answer = found(*core.desk, std::string(id));
    co_await send(exchange, 200, std::move(answer));
}

}  // namespace tandem::gateway
