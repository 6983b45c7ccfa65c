#pragma once

#include "recording/recorded_completion_json.hpp"
#include "recording/recorded_traffic.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::testing {

/// Writes a recording line by line, with one millisecond between lines.
class recorded_lines {
 public:
    recorded_lines() { add(wire::recording_start{.began = "now"}); }

    /// Adds a request of reply 1 that continues after `text_bytes` bytes. Returns its number.
    std::uint64_t ask(std::size_t text_bytes, std::string_view server = "http://a") {
        return ask(text_bytes, 1, "p", server);
    }
    std::uint64_t ask(std::size_t text_bytes, std::uint64_t reply, std::string_view prompt,
                      std::string_view server = "http://a") {
        add(wire::recorded_request{
            .number = ++requests_,
            .server = std::string(server),
            .method = "POST",
            .path = "/completion",
            .body = fmt::format(R"({{"prompt":"{}","id_slot":0}})", prompt),
            .reply_key = recorded_request_key{.reply = reply, .text_bytes = text_bytes}});
        return requests_;
    }
    /// Adds a request to another path, answered with 200 and `answer`.
    void call(std::string path, std::string body, std::string answer,
              std::string server = "http://a") {
        add(wire::recorded_request{.number = ++requests_,
                                   .server = std::move(server),
                                   .method = body.empty() ? "GET" : "POST",
                                   .path = std::move(path),
                                   .body = std::move(body)});
        status(200);
        bytes(std::move(answer));
        end();
    }
    void status(int http_status) { add(wire::recorded_status{requests_, http_status}); }
    void bytes(std::string b) { add(wire::recorded_bytes{requests_, std::move(b)}); }
    /// Adds status 200 and one event for each token.
    void tokens(const std::vector<std::string>& texts) {
        status(200);
        int predicted = 0;
        for (const auto& t : texts) token(t, ++predicted);
    }
    void token(const std::string& text, int predicted) { bytes(token_bytes(text, predicted)); }
    void final_event(int predicted) {
        wire::token_event e;
        e.what = wire::token_event::kind::final;
        e.stop = wire::stop_type::eos;
        e.predicted = predicted;
        e.prompt_tokens = 5;
        bytes(wire::encode_stream_event(e));
    }
    /// Adds a request of reply 1 that continues after `text_bytes` bytes, and a complete answer.
    void whole(std::size_t text_bytes, const std::vector<std::string>& texts) {
        ask(text_bytes);
        tokens(texts);
        final_event(static_cast<int>(texts.size()) + 1);
        end();
    }
    void end(error_code ec = {}, std::string message = {}) {
        add(wire::recorded_end{requests_, ec, std::move(message)});
    }
    void cut() { add(wire::recorded_cut{requests_}); }
    void wait(duration d) { at_ += d; }
    void add(wire::recording_entry entry) {
        lines_ += wire::format_recording_line({at_, std::move(entry)}) + '\n';
        at_ += std::chrono::milliseconds(1);
    }

    const std::string& text() const noexcept { return lines_; }
    detail::recorded_traffic traffic() const {
        std::string fault;
        auto read = detail::parse_traffic(lines_, fault);
        EXPECT_TRUE(read) << fault;
        return read ? *std::move(read) : detail::recorded_traffic();
    }

    static std::string token_bytes(const std::string& text, int predicted, int prompt_tokens = 5) {
        wire::token_event e;
        e.content = text;
        e.tokens = {predicted};
        e.predicted = predicted;
        e.prompt_tokens = prompt_tokens;
        e.id_slot = 0;
        return wire::encode_stream_event(e);
    }

 private:
    std::string lines_;
    duration at_{};
    std::uint64_t requests_ = 0;
};

}  // namespace tandem::testing
