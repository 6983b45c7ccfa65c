#include "fuzzing.hpp"
#include "wire/stream/sse_parser.hpp"

#include <string>
#include <vector>

// The events of a stream do not depend on how its bytes are split.
namespace {

using namespace tandem;

struct outcome {
    std::vector<std::string> events;
    error_code error;
    bool partial = false;

    bool operator==(const outcome&) const = default;
};

void read(wire::sse_parser& parser, std::string_view bytes, outcome& out) {
    // The copy is destroyed after the call, so that stored views into it are detected.
    const std::string copy(bytes);
    parser.feed(copy);
    wire::sse_event e;
    while (parser.next(e))
        out.events.push_back(e.what == wire::sse_event::kind::keep_alive
                                 ? ":"
                                 : std::string(e.type) + '=' + std::string(e.data));
    out.error = parser.error();
    out.partial = parser.has_partial();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto bound = 1 + in.number(255);
    const auto seed = in.number(255);
    wire::sse_parser whole(bound), split(bound);
    outcome expected, found;
    read(whole, in.rest(), expected);
    fuzzing::in_parts(in.rest(), seed, [&](std::string_view part) { read(split, part, found); });
    fuzzing::require(found.events == expected.events && found.error == expected.error);
    fuzzing::require(found.error || found.partial == expected.partial);
    return 0;
}
