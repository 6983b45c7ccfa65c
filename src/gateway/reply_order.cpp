#include "gateway/reply_order.hpp"

#include <fmt/format.h>

namespace tandem::gateway {

std::string pin_of(const admitted& who, const generation_request& request) {
    if (request.pin.empty()) return {};
    auto pin = who.key_name();
    pin += '\n';  // no part of a key's name
    return pin += request.pin;
}

namespace {

/// The server where the conversation was; empty if that is not known.
std::string last_server(detail::guarded<conversation_places>& places, const std::string& pin,
                        time_point now) {
    if (pin.empty()) return {};
    const auto known = places.lock();
    const auto* const place = known->find(now, pin);
    return place ? place->server : std::string();
}

}  // namespace

conversation open(detail::guarded<conversation_places>& places, const reply_order& order,
                  std::size_t loop, time_point now) {
    auto talk = order.model->bots.create(order.setup, last_server(places, order.pin, now), loop);
    if (order.setup.raw) talk.append({.role = "user", .content = order.prompt});
    return talk;
}

std::size_t bytes_of(const reply_order& order) {
    constexpr std::size_t copies = 3;
    auto bytes = order.prompt.size() + order.options.tools.size();
    for (const auto& m : order.setup.messages) {
        bytes += m.role.size() + m.content.size() + m.tool_call_id.size() + m.name.size();
        for (const auto& c : m.tool_calls)
            bytes += c.id.size() + c.name.size() + c.arguments.size();
    }
    return copies * bytes;
}

void warn_of(const logger& log, call_fault fault, std::string_view model,
             std::string_view request_id) {
    if (fault == call_fault::none || !log.enabled(log_level::warning)) return;
    log.write(
        log_level::warning,
        fmt::format("request {}: what {} wrote as a call of a tool {}, and is passed on as text",
                    request_id, model, to_string(fault)));
}

void keep_place(detail::guarded<conversation_places>& places, const std::string& pin,
                conversation talk, std::size_t bytes, const reply_result& result, time_point now) {
    if (pin.empty() || result.servers.empty() || result.usage.prompt == 0 ||
        result.finish_reason == finish_reason::error)
        return;
    // Ids of what the slot holds, and the text of the reply.
    constexpr int bytes_of_token = 8;
    const auto tokens = static_cast<std::size_t>(result.usage.prompt) +
                        static_cast<std::size_t>(result.usage.generated);
    places.lock()->put(
        now, pin, {result.servers.back(), std::make_shared<const conversation>(std::move(talk))},
        1024 + bytes + bytes_of_token * tokens);
}

}  // namespace tandem::gateway
