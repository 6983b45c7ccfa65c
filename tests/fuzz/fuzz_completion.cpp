#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "wire/stream/completion_reader.hpp"

#include <string>
#include <vector>

// The events of an answer do not depend on how its bytes are split, and all texts are valid.
namespace {

using namespace tandem;

struct outcome {
    std::vector<std::string> events;
    std::vector<std::string> words;

    bool operator==(const outcome&) const = default;
};

void require_valid(const std::string& text) {
    fuzzing::require(text::find_invalid_utf8(text) == std::string::npos);
}

void add(const wire::token_event& e, outcome& out) {
    fuzzing::require(e.what != wire::token_event::kind::error && e.events >= 1);
    for (const auto* text : {&e.content, &e.stopping_word}) require_valid(*text);
    std::string ids;
    for (const auto id : e.tokens) ids += std::to_string(id) + ',';
    out.events.push_back(std::to_string(static_cast<int>(e.what)) + ' ' + e.content + ' ' + ids +
                         std::to_string(e.predicted) + '/' + std::to_string(e.events));
}

void read(wire::completion_reader& reader, std::string_view bytes, outcome& out) {
    if (reader.fault()) return;
    // The copy is destroyed after the call, so that stored views into it are detected.
    const std::string copy(bytes);
    reader.feed(copy);
    wire::token_event e;
    while (reader.next(e)) add(e, out);
}

void end(const wire::completion_reader& reader, outcome& out) {
    const auto why = reader.fault() ? *reader.fault() : reader.make_end_failure({}, {});
    fuzzing::require(static_cast<bool>(why.ec) && !why.diag.client_message.empty());
    out.words = {why.ec.message(), why.diag.client_message, why.diag.server_message};
    for (const auto& words : out.words) require_valid(words);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr int statuses[] = {200, 200, 200, 200, 200, 200, 400, 503};
    fuzzing::input in(data, size);
    const auto status = statuses[in.number(7)];
    const auto seed = in.number(255);
    wire::completion_reader whole, split;
    outcome expected, found;
    whole.begin(status);
    split.begin(status);
    read(whole, in.rest(), expected);
    fuzzing::in_parts(in.rest(), seed, [&](std::string_view part) { read(split, part, found); });
    end(whole, expected);
    end(split, found);
    fuzzing::require(found == expected);
    return 0;
}
