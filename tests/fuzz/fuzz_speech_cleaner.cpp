#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/speech/speech_text_maker.hpp"

#include "tandem/utf8.hpp"

#include <string>

// The speech of a chunk is valid UTF-8 and not only white space. Unless words are replaced, it is
// at most about twice as long as the text. Its runs cover all of the speech and the text.
namespace {

using namespace tandem;

text::speech_options options_of(std::size_t choice) {
    text::speech_options o{static_cast<emoji_speech>(choice & 1),
                           static_cast<code_speech>((choice >> 1) & 1),
                           static_cast<url_speech>((choice >> 2) & 1)};
    o.marks = static_cast<mark_speech>((choice >> 3) % 3);
    o.mark_tags = {"laughs", "a"};
    if (choice & 32) o.replace = {{"a", "the letter a"}, {"%", "percent"}, {"b c", "d"}};
    return o;
}

void check(const chunk& c, bool replaces) {
    std::size_t speech = 0, text = 0;
    for (const auto& r : c.speech_runs) {
        speech += r.speech;
        text += r.text;
    }
    fuzzing::require(c.speech_runs.empty() ? c.speech == c.text
                                           : speech == c.speech.size() && text == c.text.size());
    fuzzing::require(replaces || c.speech.size() <= 2 * c.text.size() + 1);
    fuzzing::require(text::find_invalid_utf8(c.speech) == std::string::npos);
    fuzzing::require(c.speech.empty() || !text::is_all_white_space(c.speech));
    for (const auto& m : c.marks) fuzzing::require(m.at <= text::count_characters(c.speech));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto choice = in.number(63);
    text::speech_text_maker voice(options_of(choice));
    while (!in.rest().empty()) {
        chunk c{.text = sanitized_utf8(in.bytes(1 + in.number(255)))};
        voice.fill_speech(c);
        check(c, choice & 32);
    }
    return 0;
}
