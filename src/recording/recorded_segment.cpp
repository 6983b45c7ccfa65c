#include "recording/recorded_segment.hpp"

#include "wire/stream/completion_reader.hpp"

#include <string_view>
#include <utility>

namespace tandem::detail {
namespace {

// Divides the bytes of an answer among its events. Each event ends at the end of a line.
class event_divider {
 public:
    event_divider(recorded_segment& into, int http_status) : into_(into), end_(into.from) {
        reader_.begin(http_status);
    }

    void read(const timed_bytes& piece) {
        std::string_view rest = piece.bytes;
        while (!rest.empty()) {
            const auto line = rest.substr(0, rest.find('\n') + 1);
            const auto part = line.empty() ? rest : line;
            rest.remove_prefix(part.size());
            read(part, piece.at);
        }
    }
    void finish() {
        into_.tail = std::move(raw_);
        into_.is_faulty = reader_.fault().has_value();
    }

 private:
    void read(std::string_view part, duration at) {
        raw_ += part;
        reader_.feed(part);
        for (wire::token_event said; reader_.next(said);) {
            const auto begin = std::exchange(end_, end_ + said.content.size());
            into_.events.push_back(
                {at, std::exchange(raw_, {}), std::exchange(said, {}), begin, end_});
        }
    }

    recorded_segment& into_;
    std::size_t end_;
    std::string raw_;
    wire::completion_reader reader_;
};

}  // namespace

bool recorded_segment::is_stream() const noexcept {
    return exchange->http_status == wire::http_ok;
}

bool recorded_segment::has_final() const noexcept {
    return !events.empty() && events.back().event.what == wire::token_event::kind::final &&
           events.back().end == to;
}

recorded_segment parse_segment(const recorded_exchange& x) {
    recorded_segment s{.exchange = &x,
                       .request = wire::parse_recorded_request(x.request.body),
                       .from = x.request.reply_key->text_bytes};
    s.to = s.from;
    if (!s.is_stream()) return s;
    event_divider divider(s, *x.http_status);
    for (const auto& piece : x.pieces) divider.read(piece);
    divider.finish();
    if (!s.events.empty()) s.to = s.events.back().end;
    return s;
}

}  // namespace tandem::detail
