#pragma once

#include "prose.hpp"
#include "reply/machine/reply_machine.hpp"
#include "text/sentences/make_boundary_detector.hpp"
#include "wire/stream/completion_reader.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::testing {

/// The event that llama-server sends for the `n`th token. Only quotes in `text` are escaped.
inline std::string token_bytes(std::string_view text, int n) {
    std::string quoted;
    for (const char c : text) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    return fmt::format(
        "data: {{\"index\":0,\"content\":\"{}\",\"tokens\":[{}],\"stop\":false,\"id_slot\":-1,"
        "\"tokens_predicted\":{},\"tokens_evaluated\":57}}\n\n",
        quoted, 1000 + n, n);
}

/// The event that ends the stream after `n` tokens.
inline std::string final_bytes(int n) {
    return fmt::format(
        "data: {{\"index\":0,\"content\":\"\",\"tokens\":[],\"id_slot\":0,\"stop\":true,"
        "\"tokens_predicted\":{},\"tokens_evaluated\":57,\"stop_type\":\"eos\",\"stopping_word\":"
        "\"\",\"tokens_cached\":{},\"timings\":{{\"cache_n\":50,\"prompt_n\":7,\"prompt_ms\":1.5,"
        "\"predicted_n\":{},\"predicted_ms\":20.5}}}}\n\n",
        n, 57 + n, n);
}

/// The events of all tokens of the prose.
inline std::vector<std::string> prose_stream() {
    std::vector<std::string> events;
    for (const auto text : token_like_pieces(prose))
        events.push_back(token_bytes(text, static_cast<int>(events.size()) + 1));
    return events;
}

/// All code that processes a token, except for sockets: reads the bytes of an answer to /completion
/// and the events in it, and runs the machine of a reply with its chunker. Answers the machine's
/// actions immediately or ignores them. The consumer continues immediately after each chunk.
class token_path {
 public:
    explicit token_path(detail::pacing_rules pacing, std::vector<tag_pair> tags = usual_tags())
        : machine_(1, rules_of(pacing, std::move(tags)),
                   text::make_boundary_detector(boundary_rule::spoken, "en"), {}) {
        machine_.on_chunk_requested(now_);
        machine_.start(now_);
        machine_.take_actions();
        machine_.on_server_found(now_, 2, {.prompt = {.text = std::string(200, 'p')}});
        perform_actions();
    }

    /// The reasoning tags of the default configuration.
    static std::vector<tag_pair> usual_tags() { return config{}.speech.reasoning_tags; }

    void feed(std::string_view bytes) {
        now_ += std::chrono::milliseconds(1);
        if (requests_ == 0) return;
        reader_.feed(bytes);
        // Like completion_call, ignores the remaining events of a request that was cut.
        while (requests_ > 0 && reader_.next(event_)) {
            machine_.on_event_read(now_, event_);
            perform_actions();
        }
    }
    /// Reads the next token of the running request in decoded form.
    void read(std::string_view text) {
        now_ += std::chrono::milliseconds(1);
        event_.content = text;
        event_.tokens.assign(1, 1'117);
        event_.predicted = ++predicted_;
        event_.prompt_tokens = 57;
        machine_.on_event_read(now_, event_);
        perform_actions();
    }
    bool ended() const noexcept { return machine_.ended(); }
    int chunks() const noexcept { return chunks_; }
    int cuts() const noexcept { return cuts_; }
    const detail::reply_machine& machine() const noexcept { return machine_; }

 private:
    static detail::reply_rules rules_of(detail::pacing_rules pacing, std::vector<tag_pair> tags) {
        using namespace std::chrono_literals;
        return {.pacing = pacing,
                .peek_hold = 250ms,
                .first_token_timeout = 60s,
                .between_tokens_timeout = 10s,
                .continue_timeout = 30s,
                .reasoning_tags = std::move(tags)};
    }

    void perform_actions() {
        for (auto actions = machine_.take_actions(); !actions.empty();
             actions = machine_.take_actions())
            for (auto& a : actions) std::visit([this](auto& value) { perform(value); }, a);
        deadline_ = machine_.deadline();
    }
    void perform(const detail::action::request_slot&) {
        machine_.on_slot_granted(now_, 0, true, {});
    }
    void perform(const detail::action::send_request&) {
        reader_ = wire::completion_reader();
        reader_.begin(wire::http_ok);
        ++requests_;
        predicted_ = 0;
        machine_.on_response_started(now_);
    }
    void perform(const detail::action::close_connection&) {
        --requests_;
        ++cuts_;
    }
    void perform(const detail::action::tokenize_prompt&) {
        machine_.on_prompt_tokenized(now_, std::vector<wire::token_id>(57, 1));
    }
    void perform(const detail::action::hand_over& a) {
        ++chunks_;
        machine_.on_continued(now_, a.value.id);
        machine_.on_chunk_requested(now_);
    }
    template <class Other>
    void perform(const Other&) {}

    time_point now_{std::chrono::hours(1)};
    wire::completion_reader reader_;
    wire::token_event event_;
    detail::reply_machine machine_;
    std::optional<time_point> deadline_;
    int requests_ = 0;  // running requests
    int predicted_ = 0;
    int chunks_ = 0;
    int cuts_ = 0;
};

}  // namespace tandem::testing
