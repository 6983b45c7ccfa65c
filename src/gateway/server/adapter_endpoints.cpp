#include "gateway/adapters/adapter_answer.hpp"
#include "gateway/adapters/adapter_request.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/server/endpoints.hpp"

#include <variant>

namespace tandem::gateway {

using boost::asio::awaitable;

awaitable<void> answer_adapters(http_exchange& exchange, const gateway_core& core) {
    co_await exchange.send(200, adapter_list_body(core.deployer->adapters()));
}

awaitable<void> answer_load_adapter(http_exchange& exchange, gateway_core& core,
                                    std::string_view name) {
    const auto read = read_load_request(exchange.body(), core.options.max_body_bytes);
    if (const auto* error = std::get_if<api_error>(&read)) co_return co_await exchange.send(*error);
    const auto job =
        core.deployer->queue_job(name, std::get<double>(read), make_random_id("job-", core.random));
    if (const auto* error = std::get_if<api_error>(&job)) co_return co_await exchange.send(*error);
    co_await exchange.send(202, job_accepted_body(*std::get<const adapter_job*>(job)));
}

awaitable<void> answer_job(http_exchange& exchange, const gateway_core& core, std::string_view id) {
    const auto* const job = core.deployer->jobs().find(id);
    if (!job) co_return co_await exchange.send(make_job_not_found_error(id));
    co_await exchange.send(200, job_body(*job));
}

}  // namespace tandem::gateway
