#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/speech/speech_cleaner.hpp"

#include "tandem/utf8.hpp"

#include <string>

// Speech is valid text, is not much longer than the chunk, and is either empty or not only white
// space.
namespace {

using namespace tandem;

text::speech_options options_of(std::size_t choice) {
    return {static_cast<emoji_speech>(choice & 1), static_cast<code_speech>((choice >> 1) & 1),
            static_cast<url_speech>((choice >> 2) & 1)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    text::speech_cleaner cleaner(options_of(in.number(7)));
    while (!in.rest().empty()) {
        const auto chunk = sanitized_utf8(in.bytes(1 + in.number(255)));
        const auto speech = cleaner.clean(chunk);
        fuzzing::require(speech.size() <= 2 * chunk.size() + 1);
        fuzzing::require(text::find_invalid_utf8(speech) == std::string::npos);
        fuzzing::require(speech.empty() || !text::is_all_white_space(speech));
    }
    return 0;
}
