#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "text/chunks/reasoning_filter.hpp"

#include "tandem/utf8.hpp"

#include <string>
#include <string_view>

// The visible text and the reasoning do not depend on how the text is split. Together, they are not
// longer than the text.
namespace {

using namespace tandem;

/// The default tags, or short tags that the fuzzer finds quickly.
std::vector<tag_pair> tags_of(std::size_t choice) {
    if (choice == 0) return default_reasoning_tags();
    return {{"<a>", "</a>"}, {"<a>", "<b"}, {"aab", "ab"}, {"|", "|"}, {"\xC3\xA9", "a"}};
}

struct parted {
    std::string visible{};
    std::string reasoning{};

    void add(const text::visible_text& v) {
        visible += v.text;
        reasoning += v.reasoning;
    }
    friend bool operator==(const parted&, const parted&) = default;
};

parted read_in_parts(text::reasoning_filter filter, std::string_view whole, std::size_t seed) {
    parted out;
    std::string token;
    int fed = 0, counted = 0;
    const auto feed = [&](std::string_view part) {
        token += part;
        const auto bytes = token.size() - text::incomplete_suffix(token);
        const auto v = filter.feed(std::string_view(token).substr(0, bytes));
        fed += bytes > 0;
        counted += v.tokens;
        out.add(v);
        token.erase(0, bytes);
        fuzzing::require(filter.withheld() < 64 && counted <= fed);
    };
    fuzzing::in_parts(whole, seed, feed);
    const auto last = filter.finish();
    fuzzing::require(counted + last.tokens <= fed && filter.withheld() == 0);
    out.add(last);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const text::reasoning_filter filter(tags_of(in.number(1)));
    const auto seed = in.number(255);
    const auto whole = sanitized_utf8(in.rest());
    const auto read = read_in_parts(filter, whole, seed);
    fuzzing::require(read.visible.size() + read.reasoning.size() <= whole.size());
    fuzzing::require(text::find_invalid_utf8(read.visible) == std::string::npos);
    fuzzing::require(text::find_invalid_utf8(read.reasoning) == std::string::npos);
    auto at_once = filter;
    parted expected;
    expected.add(at_once.feed(whole));
    expected.add(at_once.finish());
    fuzzing::require(read == expected);
    return 0;
}
