#include "simulation/simulated_answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tandem::test {
namespace {

constexpr int min_piece_bytes = 60;
constexpr int max_piece_bytes = 700;

std::string_view name_of(wire::stop_type stop) {
    switch (stop) {
        case wire::stop_type::word:
            return "word";
        case wire::stop_type::limit:
            return "limit";
        default:
            return "eos";
    }
}

// Formats the event as llama-server does.
std::string data_of(const wire::token_event& e) {
    const bool is_final = e.what == wire::token_event::kind::final;
    auto text = fmt::format(R"({{"index":0,"content":{},"tokens":[{}],"stop":{},"id_slot":{},)",
                            nlohmann::json(e.content).dump(), fmt::join(e.tokens, ","), is_final,
                            e.id_slot);
    text +=
        fmt::format(R"("tokens_predicted":{},"tokens_evaluated":{})", e.predicted, e.prompt_tokens);
    if (is_final) text += fmt::format(R"(,"stop_type":"{}")", name_of(e.stop));
    return text + fmt::format(R"(,"timings":{{"cache_n":0,"prompt_n":{}}}}})", e.timings.evaluated);
}

std::string bytes_of(const std::vector<wire::token_event>& events) {
    std::string bytes;
    for (const auto& e : events) bytes += "data: " + data_of(e) + "\n\n";
    return bytes;
}

std::string tail_of(fault what, const std::vector<wire::token_event>& all) {
    switch (what) {
        case fault::garbage:
            return "data: {\"content\n\n";
        case fault::half_event:
            return "data: {\"index\":0,\"content\":\" lo";
        case fault::stream_error:
            return "data: {\"error\":{\"code\":500,\"message\":\"out of luck\",\"type\":"
                   "\"server_error\"}}\n\n";
        case fault::behind_the_end:
            return bytes_of({all.back(), all.front(), all.back()});
        default:
            return {};
    }
}

bool breaks_stream(fault what) {
    return what != fault::none && what != fault::behind_the_end;
}

}  // namespace

std::vector<errc> errors_of(fault what) {
    switch (what) {
        case fault::none:
        case fault::behind_the_end:
            return {};
        case fault::refused:
            return {errc::connect_failed};
        case fault::loading:
            return {errc::model_loading};
        case fault::server_error:
        case fault::stream_error:
            return {errc::server_error};
        case fault::garbage:
            return {errc::bad_response};
        case fault::never_begins:
        case fault::stall:
            return {errc::first_token_timeout, errc::between_tokens_timeout};
        case fault::reset:
        case fault::half_event:
            break;
    }
    return {errc::stream_incomplete};
}

failure refusal(fault what) {
    if (what == fault::refused) return {errc::connect_failed, {}};
    wire::completion_reader reader;
    const bool loads = what == fault::loading;
    reader.begin(loads ? 503 : 500);
    reader.feed(
        loads ? R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})"
              : R"({"error":{"code":500,"message":"out of luck","type":"server_error"}})");
    return reader.make_end_failure({}, {});
}

simulated_answer::simulated_answer(std::vector<wire::token_event> events, answer_plan plan)
    : events_(std::move(events)), plan_(plan) {
    if (!plan_.as_bytes) {
        if (plan_.what == fault::behind_the_end) events_.insert(events_.end(), 2, events_.back());
        return;
    }
    auto sent = events_;
    if (breaks_stream(plan_.what)) sent.resize(std::min(plan_.at, sent.size()));
    bytes_ = bytes_of(sent) + tail_of(plan_.what, events_);
    reader_.begin(200);
}

void simulated_answer::arrive(rng& random) {
    if (!plan_.as_bytes) {
        if (arrived_ < events_.size()) ++arrived_;
        return;
    }
    const auto rest = std::string_view(bytes_).substr(arrived_);
    const auto size = static_cast<std::size_t>(pick(random, min_piece_bytes, max_piece_bytes));
    const auto piece = rest.substr(0, size);
    arrived_ += piece.size();
    reader_.feed(piece);
}

bool simulated_answer::read(wire::token_event& out) {
    return plan_.as_bytes ? reader_.next(out) : read_event(out);
}

bool simulated_answer::read_event(wire::token_event& out) {
    const bool is_broken = breaks_stream(plan_.what) && read_ == plan_.at;
    if (is_broken || read_ == arrived_) return false;
    out = events_[read_++];
    return true;
}

failure simulated_answer::break_off() const {
    return {plan_.what == fault::reset ? errc::stream_incomplete : errors_of(plan_.what).front(),
            {}};
}

std::optional<failure> simulated_answer::failed() const {
    if (plan_.as_bytes && reader_.fault()) return reader_.fault();
    if (!breaks_stream(plan_.what) || plan_.what == fault::stall || !is_over()) return std::nullopt;
    if (!plan_.as_bytes) return break_off();
    const bool is_reset = plan_.what == fault::reset;
    return reader_.make_end_failure(is_reset ? error_code(errc::stream_incomplete) : error_code(),
                                    {});
}

bool simulated_answer::is_over() const noexcept {
    if (plan_.as_bytes) return arrived_ == bytes_.size();
    const bool is_broken = breaks_stream(plan_.what) && read_ == plan_.at;
    return is_broken || read_ == events_.size();
}

}  // namespace tandem::test
