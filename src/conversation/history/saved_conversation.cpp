#include "tandem/saved_conversation.hpp"

#include "conversation/history/conversation_json.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem {
inline namespace v0 {

namespace {

// Only the first exchange may begin differently, for example with a greeting.
std::optional<config_fault> fault_of(const saved_exchange& e, std::size_t place) {
    const auto at = fmt::format("exchanges[{}].", place);
    if (const auto faults = check(conversation_options{.messages = e.messages}); !faults.empty())
        return config_fault{at + faults.front().field, faults.front().message};
    if (place > 0 && (e.messages.empty() || e.messages.front().role != "user"))
        return config_fault{at + "messages", "do not begin with a user message"};
    return std::nullopt;
}

}  // namespace

std::string saved_text(const saved_conversation& c) {
    return wire::serialize_conversation(c);
}

std::optional<config_fault> read_saved(std::string_view text, saved_conversation& out) {
    saved_conversation read;
    if (auto fault = wire::read_conversation(text, read)) return fault;
    if (const auto faults = check(read.options); !faults.empty())
        return config_fault{"options." + faults.front().field, faults.front().message};
    for (std::size_t i = 0; i < read.exchanges.size(); ++i)
        if (auto fault = fault_of(read.exchanges[i], i)) return fault;
    out = std::move(read);
    return std::nullopt;
}

}  // namespace v0
}  // namespace tandem
