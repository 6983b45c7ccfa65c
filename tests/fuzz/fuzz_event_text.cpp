#include "fuzzing.hpp"
#include "wire/json/wire_limits.hpp"
#include "wire/stream/completion_reader.hpp"

#include "tandem/utf8.hpp"

#include <string>

// The joined texts of a stream's events are the server's bytes, with replacement characters for
// invalid bytes. The text before each possible cut ends with a whole character.
namespace {

using namespace tandem;

std::string quoted(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && c != '"' && c != '\\')
            out += c;
        else
            out.append("\\u00") += {digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}

struct stream {
    wire::completion_reader reader;
    std::string joined;
    int events = 0;  // the number of events with text in `joined`

    /// Reads an event, and returns its text.
    std::string read(const std::string& bytes) {
        wire::token_event e;
        reader.feed(bytes);
        fuzzing::require(reader.next(e));
        joined += e.content;
        if (!e.content.empty()) events += e.events;
        return e.content;
    }
};

std::string event_with(std::string_view text, bool in_todays_form) {
    const std::string content =
        (in_todays_form ? "{\"index\":0,\"content\":\"" : "{\"content\":\"") + quoted(text) +
        "\",\"tokens\":[1],\"stop\":false";
    return "data: " + content +
           ",\"id_slot\":-1,\"tokens_predicted\":1,\"tokens_evaluated\":1}\n\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto seed = in.number(255);
    const auto text = in.rest();
    stream s;
    s.reader.begin(200);
    std::size_t given = 0;
    int all = 0;
    fuzzing::in_parts(text, seed, [&](std::string_view part) {
        ++all;
        given += part.size();
        const auto now = s.read(event_with(part, (seed + given) % 2 == 0));
        fuzzing::require(sanitized_utf8(now) == now);
        if (now.empty() || given > wire::max_withheld_bytes) return;
        fuzzing::require(s.joined == sanitized_utf8(text.substr(0, given)) && s.events == all);
    });
    s.read("data: {\"content\":\"\",\"stop\":true}\n\n");
    fuzzing::require(s.joined == sanitized_utf8(text) && s.events == all);
    return 0;
}
