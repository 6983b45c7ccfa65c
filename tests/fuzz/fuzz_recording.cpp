#include "fuzzing.hpp"
#include "recording/playback.hpp"
#include "text/characters/utf8.hpp"
#include "wire/stream/completion_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// A recording is either read or refused with a message. A recording that was read answers all
// requests in a finite number of steps.
namespace {

using namespace tandem;

constexpr auto peek_hold = std::chrono::milliseconds(250);
constexpr std::size_t request_count = 4;

bool is_valid(const std::string& bytes) {
    return text::find_invalid_utf8(bytes) == std::string::npos;
}

bool has_valid_answers(const detail::recorded_traffic& traffic) {
    return std::ranges::all_of(traffic.exchanges, [](const detail::recorded_exchange& x) {
        std::string body;
        for (const auto& piece : x.pieces) body += piece.bytes;
        return is_valid(body);
    });
}

transport::http_request completion(fuzzing::input& in, bool has_place, bool is_prefill) {
    const auto reply = in.number(3);
    const auto text_bytes = in.number(63);
    const auto n_predict = static_cast<int>(in.number(15)) - 1;
    const auto id_slot = static_cast<int>(in.number(3)) - 1;
    transport::http_request request{
        .path = std::string(wire::completion_path),
        .body = fmt::format(R"({{"prompt":"p{}","id_slot":{},"n_predict":{}}})", reply, id_slot,
                            n_predict)};
    if (has_place)
        request.reply_key = recorded_request_key{
            .scope_number = 1, .reply = reply, .text_bytes = text_bytes, .is_prefill = is_prefill};
    return request;
}

// Consumes the same number of bytes for each kind, so that a change of one request changes no other
// request.
transport::http_request request_from(fuzzing::input& in) {
    constexpr std::size_t prefill = 4, without_place = 5, health = 6, tokenize = 7;
    const auto kind = in.number(7);
    auto request = completion(in, kind != without_place, kind == prefill);
    if (kind == health) return {.method = "GET", .path = "/health"};
    if (kind == tokenize) return {.path = "/tokenize", .body = request.body};
    return request;
}

// Checks all properties that a transport relies on.
class checked_script {
 public:
    checked_script(std::shared_ptr<detail::playback> from, detail::answer_script script,
                   std::size_t max_steps)
        : from_(std::move(from)), script_(std::move(script)), max_steps_(max_steps) {}

    /// Runs the next step; false at the end.
    bool go_on() {
        const auto step = has_ended_ ? std::nullopt : script_();
        if (!step) return false;
        fuzzing::require(++steps_ <= max_steps_);
        fuzzing::require(step->delay >= duration{});
        fuzzing::require(from_->delay_of_step(*step, peek_hold) >= duration{});
        fuzzing::require(is_valid(step->message));
        const bool is_status = step->what == detail::answer_step::kind::status;
        has_ended_ = step->what == detail::answer_step::kind::end;
        fuzzing::require(has_ended_ || is_status == (steps_ == 1));
        bytes_ += step->bytes;
        return true;
    }
    const std::string& bytes() const noexcept { return bytes_; }

 private:
    std::shared_ptr<detail::playback> from_;
    detail::answer_script script_;
    std::size_t max_steps_;
    std::size_t steps_ = 0;
    bool has_ended_ = false;
    std::string bytes_;
};

void play_together(std::vector<checked_script>& scripts) {
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (auto& s : scripts) goes_on = s.go_on() || goes_on;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr double speeds[] = {1, 0, 0.01, 1000};
    fuzzing::input in(data, size);
    const auto speed = speeds[in.number(3)];
    const bool is_together = in.number(1) == 1;
    std::vector<transport::http_request> requests;
    while (requests.size() < request_count) requests.push_back(request_from(in));

    std::string fault;
    auto traffic = detail::parse_traffic(in.rest(), fault);
    fuzzing::require(traffic.has_value() == fault.empty() && is_valid(fault));
    if (!traffic) return 0;
    const bool is_text = has_valid_answers(*traffic);
    const auto player = std::make_shared<detail::playback>(*std::move(traffic));
    player->set_speed(speed);
    const auto server = player->servers().empty() ? "http://a" : player->servers().front();
    // All steps except a few at the end come from the input, so its size bounds their number.
    const auto max_steps = size + 4;
    std::vector<checked_script> scripts;
    for (const auto& r : requests) {
        scripts.emplace_back(player, player->answer(server, r, peek_hold), max_steps);
        while (!is_together && scripts.back().go_on()) {
        }
    }
    play_together(scripts);
    for (const auto& s : scripts) fuzzing::require(!is_text || is_valid(s.bytes()));
    return 0;
}
