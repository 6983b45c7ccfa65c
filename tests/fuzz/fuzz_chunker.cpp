#include "fuzzing.hpp"
#include "text/characters/utf8.hpp"
#include "text/chunks/chunker.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include "tandem/utf8.hpp"

#include <string>
#include <string_view>
#include <vector>

// For all tokens and limits, the joined pieces are the text, and each piece ends between
// characters.
namespace {

using namespace tandem;
using status = text::chunker::status;

/// The input text, and the pieces of it that the chunker returned.
struct reply {
    std::string fed;
    int tokens_fed = 0;
    std::string handed_out;
    int tokens_handed_out = 0;
};

void take_all(text::chunker& chunks, reply& r) {
    while (chunks.current() == status::ready) {
        const auto p = chunks.take_chunk();
        fuzzing::require(!p.text.empty() && p.text.size() <= text::max_chunk_bytes);
        fuzzing::require(text::find_invalid_utf8(p.text) == std::string::npos);
        r.handed_out += p.text;
        r.tokens_handed_out += p.tokens;
    }
}

void feed(text::chunker& chunks, std::string_view token, reply& r) {
    chunks.feed(token);
    r.fed += token;
    r.tokens_fed += !token.empty();
}

text::chunk_limits limits_of(fuzzing::input& in) {
    const auto number = [&in] { return static_cast<int>(in.number(30)); };
    const int first_min = number();
    const int first_max = number();
    const int max = number();
    return {first_min, first_max, max, number()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto limits = limits_of(in);
    const auto rule = in.number(1) == 0 ? boundary_rule::spoken : boundary_rule::classic;
    text::chunker chunks(text::make_boundary_detector(rule), limits);
    reply r;
    while (!in.rest().empty()) {
        const auto how = in.number(31);
        const auto token = sanitized_utf8(in.bytes(how % 8));
        feed(chunks, token, r);
        if (how & 8) chunks.on_hold_expired();
        if (how & 16) take_all(chunks, r);
        fuzzing::require(r.handed_out + std::string(chunks.untaken_text()) == r.fed);
    }
    chunks.finish();
    take_all(chunks, r);
    fuzzing::require(chunks.current() == status::reading && chunks.untaken_text().empty());
    fuzzing::require(r.handed_out == r.fed && r.tokens_handed_out == r.tokens_fed);
    return 0;
}
