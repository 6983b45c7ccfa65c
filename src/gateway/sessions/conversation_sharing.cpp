#include "gateway/sessions/conversation_sharing.hpp"

#include "loop/clock.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace tandem::gateway {
namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;

// The store answers within a millisecond, and evaluating the prompt elsewhere takes much longer.
constexpr duration place_limit = std::chrono::milliseconds(50);

std::string place_key(const std::string& pin) {
    return "place:" + pin;
}

std::string response_key(const std::string& key) {
    return "response:" + key;
}

awaitable<std::optional<std::string>> async_find_text(std::shared_ptr<cluster::cluster_member> from,
                                                      std::string key, duration limit) {
    co_return co_await boost::asio::async_initiate<decltype(use_awaitable),
                                                   void(std::optional<std::string>)>(
        [&](auto handler) {
            const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
            from->texts().find(key, limit, [waiting](auto text) { (*waiting)(std::move(text)); });
        },
        use_awaitable);
}

}  // namespace

awaitable<void> async_learn_place(gateway_core& core, const std::string& pin) {
    if (!core.cluster || pin.empty()) co_return;
    auto server = co_await async_find_text(core.cluster, place_key(pin), place_limit);
    if (!server) co_return;
    const auto now = detail::now();
    const auto* const known = core.places.find(now, pin);
    if (known && (known->server.empty() || known->server == *server)) co_return;
    const auto bytes = pin.size() + server->size();
    core.places.put(now, pin, {.server = *std::move(server)}, bytes);
}

void remember_place(gateway_core& core, const std::string& pin, conversation talk,
                    std::size_t bytes, const reply_result& result) {
    if (pin.empty()) return;
    auto place = find_place(std::move(talk), result);
    if (!place) return;
    if (core.cluster)
        core.cluster->texts().put(place_key(pin), place->server, affinity_table_limits.ttl);
    core.places.put(detail::now(), pin, *std::move(place), bytes_of_place(bytes, result));
}

awaitable<void> async_learn_response(gateway_core& core, const std::string& key) {
    if (!core.cluster || core.responses.find(detail::now(), key)) co_return;
    const auto text = co_await async_find_text(core.cluster, response_key(key),
                                               cluster::store_link::answer_limit);
    if (!text) co_return;
    if (auto response = parse_response(*text))
        core.responses.put(detail::now(), key, *std::move(response), text->size());
}

void keep_response(gateway_core& core, const std::string& key, kept_response response,
                   std::size_t bytes) {
    if (core.cluster)
        core.cluster->texts().put(response_key(key), serialize_response(response),
                                  kept_response_limits.ttl);
    core.responses.put(detail::now(), key, std::move(response), bytes);
}

}  // namespace tandem::gateway
