#include "gateway/sessions/conversation_sharing.hpp"

#include "loop/clock.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace tandem::gateway {
namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;

// The store usually answers within a millisecond. Waiting longer pays off, because another server
// would have to evaluate the whole prompt.
constexpr duration place_limit = std::chrono::milliseconds(50);

std::string place_key(const std::string& pin) {
    return "place:" + pin;
}

std::string response_key(const std::string& key) {
    return "response:" + key;
}

// Does not use `from` once the wait has begun: it may be destroyed, and then drops the handler.
awaitable<cluster::found_text> async_find_text(cluster::cluster_member& from, std::string key,
                                               duration limit) {
    co_return co_await boost::asio::async_initiate<decltype(use_awaitable),
                                                   void(cluster::found_text)>(
        [&](auto handler) {
            const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
            from.texts().find(key, limit, [waiting](auto text) { (*waiting)(std::move(text)); });
        },
        use_awaitable);
}

// The other gateway answers its client while it writes the text, so the client's next request may
// arrive before the text.
awaitable<cluster::found_text> async_find_late_text(const gateway_core& core,
                                                    const std::string& key) {
    constexpr auto pause = std::chrono::milliseconds(50);
    constexpr auto limit = cluster::store_link::answer_limit;
    auto found = co_await async_find_text(*core.cluster, key, limit);
    if (found.text || !found.is_answered) co_return found;
    boost::asio::steady_timer timer(core.executor, pause);
    co_await timer.async_wait(use_awaitable);
    if (core.cluster) found = co_await async_find_text(*core.cluster, key, limit);
    co_return found;
}

}  // namespace

awaitable<void> async_fetch_last_server(gateway_core& core, const std::string& pin) {
    if (!core.cluster || pin.empty()) co_return;
    auto found = co_await async_find_text(*core.cluster, place_key(pin), place_limit);
    if (!found.text) co_return;
    const auto now = detail::now();
    const auto* const known = core.places.find(now, pin);
    if (known && known->server == *found.text) co_return;
    const auto bytes = pin.size() + found.text->size();
    core.places.put(now, pin, {.server = *std::move(found.text)}, bytes);
}

void remember_last_server(gateway_core& core, const std::string& pin, conversation talk,
                          std::size_t bytes, const reply_result& result) {
    if (pin.empty()) return;
    auto place = make_conversation_place(std::move(talk), result);
    if (!place) return;
    const auto now = detail::now();
    if (core.cluster)
        core.cluster->texts().put(place_key(pin), place->server, affinity_table_limits.ttl);
    core.places.put(now, pin, *std::move(place), estimate_place_bytes(bytes, result));
}

awaitable<response_search> async_fetch_response(gateway_core& core, const std::string& key) {
    if (!core.cluster) co_return response_search::not_found;
    const auto found = co_await async_find_late_text(core, response_key(key));
    if (!found.is_answered) co_return response_search::no_answer;
    auto response = found.text ? parse_kept_response(*found.text) : std::nullopt;
    if (!response) co_return response_search::not_found;
    const auto bytes = estimate_message_bytes(response->messages);
    core.responses.put(detail::now(), key, *std::move(response), bytes);
    co_return response_search::found;
}

void keep_response(gateway_core& core, const std::string& key, kept_response response,
                   std::size_t bytes) {
    const auto now = detail::now();
    if (core.cluster)
        core.cluster->texts().put_long(now, response_key(key), kept_response_limits.ttl,
                                       count_text_bytes(response.messages),
                                       [&] { return serialize_kept_response(response); });
    core.responses.put(now, key, std::move(response), bytes);
}

}  // namespace tandem::gateway
