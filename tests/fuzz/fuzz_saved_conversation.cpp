#include "conversation/history/conversation_json.hpp"
#include "conversation/history/turn_history.hpp"
#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "wire/json/wire_limits.hpp"

#include <string>
#include <string_view>

// A saved conversation is either read completely or refused with a message. Writing and reading it
// again gives the same conversation, and turn_history keeps its late calls.
namespace {

using namespace tandem;

void require_refused(const config_fault& fault, const saved_conversation& out) {
    fuzzing::require(!fault.field.empty() && !fault.message.empty());
    fuzzing::require(text::find_invalid_utf8(fault.field + fault.message) == std::string::npos);
    fuzzing::require(out == saved_conversation{});
}

void require_within_bounds(const saved_conversation& c) {
    auto messages = c.options.messages.size();
    for (const auto& e : c.exchanges) {
        messages += e.messages.size();
        fuzzing::require(e.tokens >= -1);
        for (const auto& m : e.messages) fuzzing::require(!m.role.empty());
    }
    fuzzing::require(messages <= wire::max_saved_messages);
    fuzzing::require(c.last_turn.heard <= c.last_turn.handed_over);
    fuzzing::require(c.last_turn.handed_over <= c.last_turn.generated);
}

void require_kept_late_calls(std::string_view text) {
    saved_conversation saved;
    if (read_saved(text, saved)) return;
    fuzzing::require(saved.late_calls.size() <= conversations::max_late_calls);
    fuzzing::require(conversations::turn_history(saved).saved().late_calls == saved.late_calls);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto text = in.rest();
    saved_conversation read;
    if (const auto fault = wire::read_conversation(text, read)) {
        require_refused(*fault, read);
        return 0;
    }
    require_within_bounds(read);
    saved_conversation again;
    fuzzing::require(!wire::read_conversation(wire::serialize_conversation(read), again));
    fuzzing::require(again == read);
    require_kept_late_calls(text);
    return 0;
}
