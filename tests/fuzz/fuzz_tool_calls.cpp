#include "fuzzing.hpp"
#include "server/template_marks.hpp"
#include "text/characters/utf8.hpp"
#include "text/chunks/tool_call_splitter.hpp"
#include "wire/calls/server_messages.hpp"
#include "wire/calls/tool_call_formats.hpp"
#include "wire/calls/tool_call_reader.hpp"

#include "tandem/utf8.hpp"

#include <algorithm>
#include <string>
#include <string_view>

// Checks the calls that a model writes, and a server's answers about such calls. The words and the
// call that are found do not depend on how the text is split, and every call names one of the
// tools.
namespace {

using namespace tandem;

const generation_options with_tools{
    .tools = R"([{"function":{"name":"f"}},{"function":{"name":"get_time"}}])"};

struct parted {
    std::string words{};
    std::string call{};

    friend bool operator==(const parted&, const parted&) = default;
};

template <class Feed>
parted split(text::tool_call_splitter splitter, Feed feed) {
    parted all;
    const auto take = [&](text::tool_call_splitter::visible v) { all.words += v.text; };
    feed([&](std::string_view part) { take(splitter.feed(part, 1)); });
    take(splitter.finish());
    all.call = splitter.call();
    return all;
}

void check_splitter(const std::string& mark, const text::reply_delimiters& words,
                    std::string_view whole, std::size_t seed) {
    text::tool_call_splitter splitter(mark, words);
    const auto read_whole = [&](auto use) { use(whole); };
    const auto first_bytes =
        mark.substr(0, 1) + words.opening.substr(0, 1) + words.closing.substr(0, 1);
    if (whole.find_first_of(first_bytes) == std::string::npos)
        fuzzing::require(split(splitter, read_whole).words == whole);
    splitter.start_after_prompt(words.opening.substr(0, words.opening.size() / 2));
    const auto at_once = split(splitter, read_whole);
    const auto in_parts =
        split(splitter, [&](auto use) { fuzzing::in_parts(whole, seed, [&](auto p) { use(p); }); });
    fuzzing::require(at_once == in_parts);
    if (!words.opening.empty()) return;
    fuzzing::require(at_once.words + at_once.call == whole);
    fuzzing::require(mark.empty() || at_once.words.find(mark) == std::string::npos);
}

void check_streamed_call(std::string_view whole, std::size_t seed) {
    wire::tool_call_reader at_once, in_parts;
    const auto all = at_once.read(whole);
    std::string name, arguments, grown;
    fuzzing::in_parts(whole, seed, [&](std::string_view part) {
        grown += part;
        const auto piece = in_parts.read(grown);
        name += piece.name;
        arguments += piece.arguments;
    });
    fuzzing::require(name == all.name && arguments == all.arguments);
}

void check_calls(const std::vector<tool_call>& calls) {
    const auto names = wire::read_function_names(with_tools.tools);
    for (const auto& call : calls)
        fuzzing::require(std::ranges::find(names, call.name) != names.end() &&
                         text::find_invalid_utf8(call.arguments) == std::string::npos);
}

void check_answers(int status, std::string_view body) {
    const std::string copy(body);
    wire::parsed_reply reply;
    diagnostics diag;
    (void)wire::decode_parsed_reply({status, copy}, reply, diag);
    (void)wire::decode_forced_reply({status, copy}, reply, diag);
}

void check_marks(std::string_view whole) {
    const auto third = whole.size() / 3;
    const server::rendered_probes prompts{std::string(whole.substr(0, third)),
                                          std::string(whole.substr(third, third)),
                                          std::string(whole.substr(2 * third))};
    const auto marks = server::find_tool_call_mark(prompts, default_reasoning_tags());
    fuzzing::require(marks.preserved.size() <= server::max_preserved_tokens);
    (void)server::resembles_tool_call(marks, whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto seed = in.number(255);
    const auto mark = sanitized_utf8(in.bytes(in.number(8)));
    check_answers(in.number(1) == 0 ? 200 : 500, in.rest());
    const auto whole = sanitized_utf8(in.rest());
    check_splitter(mark, {}, whole, seed);
    check_splitter(mark, {.opening = mark + mark + "a", .closing = "<" + mark}, whole, seed);
    check_streamed_call(whole, seed);
    check_calls(wire::find_json_tool_calls(whole, with_tools));
    check_calls(wire::find_invoke_element_calls(whole, with_tools));
    if (const auto call = wire::decode_json_tool_call(whole, with_tools)) check_calls({*call});
    if (wire::decode_gpt_oss_call(whole))
        fuzzing::require(wire::find_gpt_oss_call(whole) <= whole.size());
    check_marks(whole);
    return 0;
}
