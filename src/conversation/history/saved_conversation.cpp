#include "tandem/saved_conversation.hpp"

#include "conversation/history/conversation_json.hpp"
#include "conversation/history/turn_history.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem {
inline namespace v0 {

namespace {

// Each exchange but the first must begin with a user message; the first may begin with a greeting,
// for example.
std::optional<config_fault> fault_of(const saved_exchange& e, std::size_t place) {
    const auto at = fmt::format("exchanges[{}].", place);
    if (const auto faults = check(conversation_options{.messages = e.messages}); !faults.empty())
        return config_fault{at + faults.front().field, faults.front().message};
    if (place > 0 && (e.messages.empty() || e.messages.front().role != "user"))
        return config_fault{at + "messages", "do not begin with a user message"};
    return std::nullopt;
}

// Whether `place` is in the text, between characters, and not before `least`.
bool is_place(const saved_open_turn& t, std::size_t place, std::size_t least) {
    return place >= least && place <= t.text.size() &&
           text::floor_to_character(t.text, place) == place;
}

// Whether the runs add up to the whole text and the whole speech of the chunk.
bool has_right_runs(const saved_chunk& c) {
    if (c.speech_runs.empty()) return c.speech.empty();
    std::size_t speech = 0;
    std::size_t text = 0;
    for (const auto& r : c.speech_runs) {
        speech += r.speech;
        text += r.text;
    }
    return speech == c.speech.size() && text == c.end - c.begin;
}

std::optional<config_fault> fault_of(const saved_open_turn& t) {
    const auto wrong = [](std::string field) {
        return config_fault{fmt::format("open_turn.{}", field), "is not a position in its text"};
    };
    if (!is_place(t, t.spoken, 0)) return wrong("spoken");
    if (!is_place(t, t.heard, t.spoken)) return wrong("heard");
    if (!is_place(t, t.handed_over, t.heard)) return wrong("handed_over");
    std::size_t end = 0;
    for (std::size_t i = 0; i < t.chunks.size(); ++i) {
        const auto& c = t.chunks[i];
        constexpr auto max_reply = std::uint64_t{1} << 53;
        const bool is_right = is_place(t, c.begin, end) && is_place(t, c.end, c.begin) &&
                              c.end <= t.handed_over && c.reply <= max_reply && has_right_runs(c);
        if (!is_right) return wrong(fmt::format("chunks[{}]", i));
        end = c.end;
    }
    return std::nullopt;
}

std::optional<config_fault> fault_of_open_turn(const saved_conversation& c) {
    if (!c.open_turn) return std::nullopt;
    const auto kept = c.open_turn->kept_messages;
    const auto messages = c.exchanges.empty() ? 0 : c.exchanges.back().messages.size();
    if (kept > messages)
        return config_fault{"open_turn.kept_messages",
                            fmt::format("is {}; the last exchange has {}", kept, messages)};
    return fault_of(*c.open_turn);
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
    if (auto fault = fault_of_open_turn(read)) return fault;
    if (const auto count = read.late_calls.size(); count > conversations::max_late_calls)
        return config_fault{"late_calls", fmt::format("has {} calls; the maximum is {}", count,
                                                      conversations::max_late_calls)};
    out = std::move(read);
    return std::nullopt;
}

}  // namespace v0
}  // namespace tandem
