#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/sentence.hpp"
#include "tandem/utf8.hpp"

#include <string>
#include <string_view>
#include <vector>

// The joined sentences are the input bytes, for all tokens and languages, and whenever a hold
// expires. Text that arrives byte by byte gives the same sentences as text that arrives character
// by character.
namespace {

using namespace tandem;

constexpr const char* languages[] = {"",   "en", "de", "fr", "es", "it", "pt", "nl",
                                     "sv", "da", "pl", "cs", "tr", "ru", "el", "hi"};

void add(std::string& joined, const std::vector<std::string>& sentences) {
    for (const auto& s : sentences) {
        fuzzing::require(!s.empty());
        joined += s;
    }
}

void read_with_holds(fuzzing::input in, const sentence_options& options) {
    sentence_splitter splitter(options);
    std::string fed;
    std::string joined;
    while (!in.rest().empty()) {
        const auto how = in.number(31);
        const auto token = in.bytes(how % 16);
        fed += token;
        add(joined, splitter.feed(token));
        fuzzing::require(fed.starts_with(joined));
        if (how < 16) continue;
        const bool held = splitter.is_holding();
        const auto ended = splitter.hold_expired();
        fuzzing::require(held != ended.empty());
        add(joined, ended);
    }
    add(joined, splitter.finish());
    fuzzing::require(joined == fed && !splitter.is_holding());
}

/// Reads one character or one byte at a time.
std::vector<std::string> read_small(std::string_view text, bool bytes,
                                    const sentence_options& options) {
    sentence_splitter splitter(options);
    std::vector<std::string> all;
    const auto take = [&](std::vector<std::string> sentences) {
        for (auto& s : sentences) all.push_back(std::move(s));
    };
    while (!text.empty()) {
        const auto size = bytes ? 1 : text::decode_first_character(text).bytes;
        take(splitter.feed(text.substr(0, size)));
        text.remove_prefix(size);
    }
    take(splitter.finish());
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const sentence_options options{.language = languages[in.number(std::size(languages) - 1)]};
    read_with_holds(in, options);
    const auto text = sanitized_utf8(in.rest());
    fuzzing::require(read_small(text, true, options) == read_small(text, false, options));
    std::string whole;
    add(whole, split_sentences(text, options));
    fuzzing::require(whole == text);
    return 0;
}
