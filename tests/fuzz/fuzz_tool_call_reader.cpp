#include "fuzzing.hpp"
#include "gateway/answers/tool_call_reader.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

// The text and the calls of an answer do not depend on its split. Text without calls is unchanged.
// Each call has a known function and an object of arguments.
namespace {

using namespace tandem;
using namespace tandem::gateway;

const call_rules& rules() {
    static const call_rules some{.functions = {"now", "weather"}, .max_calls = 5};
    return some;
}

struct answer {
    std::string text;
    std::vector<tool_call> calls;

    void add(text_and_calls more) {
        text += more.text;
        std::ranges::move(more.calls, std::back_inserter(calls));
    }
};

answer read_in_parts(std::string_view text, std::size_t seed) {
    tool_call_reader reader(rules());
    answer all;
    while (!text.empty()) {
        std::size_t bytes = 0;
        for (auto n = 1 + seed % 17; n > 0 && bytes < text.size(); --n)
            bytes += text::decode_first_character(text.substr(bytes)).bytes;
        all.add(reader.feed(text.substr(0, bytes)));
        text.remove_prefix(bytes);
        seed = seed * 7 + 3;
    }
    all.add(reader.finish());
    fuzzing::require(reader.has_calls() == !all.calls.empty());
    return all;
}

bool are_same(const tool_call& a, const tool_call& b) {
    return a.id == b.id && a.name == b.name && a.arguments == b.arguments;
}

void require_right(const tool_call& c) {
    fuzzing::require(c.name == "now" || c.name == "weather");
    fuzzing::require(!c.id.empty());
    fuzzing::require(nlohmann::json::parse(c.arguments, nullptr, false).is_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto seed = in.number(255);
    const auto text = sanitized_utf8(in.rest());
    const auto whole = read_in_parts(text, 0);
    const auto parts = read_in_parts(text, seed);
    fuzzing::require(parts.text == whole.text);
    fuzzing::require(std::ranges::equal(parts.calls, whole.calls, are_same));
    fuzzing::require(whole.calls.size() <= rules().max_calls);
    for (const auto& c : whole.calls) require_right(c);
    if (whole.calls.empty()) fuzzing::require(whole.text == text);
    fuzzing::require(whole.text.size() <= text.size());
    return 0;
}
