#include "gateway/adapter_answer.hpp"
#include "gateway/adapter_request.hpp"
#include "gateway/endpoints.hpp"
#include "gateway/ids.hpp"

#include <string>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

std::variant<const adapter_job*, api_error> load(gateway_core& core, std::string_view name,
                                                 std::string_view body) {
    const auto scale = read_load_request(body, core.options.max_body_bytes);
    if (const auto* error = std::get_if<api_error>(&scale)) return *error;
    return core.desk->load(name, std::get<double>(scale), random_id("job-", core.random));
}

}  // namespace

awaitable<void> answer_adapters(http_exchange& exchange, const gateway_core& core) {
    co_await exchange.send(200, adapter_list_body(core.desk->adapters()));
}

awaitable<void> answer_load_adapter(http_exchange& exchange, gateway_core& core,
                                    std::string_view name) {
    const auto job = load(core, name, exchange.body());
    if (const auto* error = std::get_if<api_error>(&job)) co_return co_await exchange.send(*error);
    co_await exchange.send(202, accepted_body(*std::get<const adapter_job*>(job)));
}

awaitable<void> answer_job(http_exchange& exchange, const gateway_core& core, std::string_view id) {
    const auto* const job = core.desk->jobs().find(id);
    if (!job) co_return co_await exchange.send(unknown_job(id));
    co_await exchange.send(200, job_body(*job));
}

}  // namespace tandem::gateway
