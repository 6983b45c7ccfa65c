#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

#include <string>

// The sanitizer's output is valid and does not depend on how the text is split. Valid text is
// unchanged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tandem;
    fuzzing::input in(data, size);
    const auto seed = in.number(255);
    const auto bytes = in.rest();
    const auto whole = sanitized_utf8(bytes);
    fuzzing::require(text::find_invalid_utf8(whole) == std::string::npos);

    std::string split;
    utf8_sanitizer sanitizer;
    fuzzing::in_parts(bytes, seed, [&](std::string_view part) { sanitizer.append(part, split); });
    fuzzing::require(sanitizer.has_partial() == (text::incomplete_suffix(bytes) > 0));
    sanitizer.flush(split);
    fuzzing::require(split == whole && whole.size() <= 3 * bytes.size());
    fuzzing::require(sanitized_utf8(whole) == whole);
    // After a flush, the sanitizer behaves like a new one. `split` then contains the output of both
    // runs.
    sanitizer.append(bytes, split);
    sanitizer.flush(split);
    fuzzing::require(split == whole + whole);
    fuzzing::require((whole == bytes) ==
                     (text::find_invalid_utf8(bytes) == std::string_view::npos));

    std::size_t forward = 0, backward = 0;
    for (std::string_view rest = whole; !rest.empty(); ++forward)
        rest.remove_prefix(text::decode_first_character(rest).bytes);
    for (std::string_view rest = whole; !rest.empty(); ++backward)
        rest.remove_suffix(text::decode_last_character(rest).bytes);
    fuzzing::require(forward == backward);
    return 0;
}
