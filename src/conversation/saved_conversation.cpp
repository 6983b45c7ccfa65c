#include "tandem/saved_conversation.hpp"

#include "wire/conversation_json.hpp"

#include <utility>

namespace tandem {

std::string saved_text(const saved_conversation& c) {
    return wire::conversation_text(c);
}

std::optional<config_fault> read_saved(std::string_view text, saved_conversation& out) {
    saved_conversation read;
    if (auto fault = wire::read_conversation(text, read)) return fault;
    if (const auto faults = check(read.options); !faults.empty())
        return config_fault{"options." + faults.front().field, faults.front().message};
    out = std::move(read);
    return std::nullopt;
}

}  // namespace tandem
