#pragma once

#include "gateway/voice_client.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace tandem::testing {

/// A bot with one listener, who hears each chunk that is spoken. If its connection is lost, the bot
/// reconnects, and reports to the gateway what was heard.
class voice_listener {
 public:
    using json = nlohmann::json;
    /// `find_gateway` returns the port for each connection.
    explicit voice_listener(std::function<std::uint16_t()> find_gateway)
        : find_gateway_(std::move(find_gateway)) {}

    /// Called with the number of chunks so far: on_chunk when a chunk arrives, on_continued after
    /// the chunk was continued.
    std::function<void(int)> on_chunk = [](int) {};
    std::function<void(int)> on_continued = [](int) {};

    /// Asks the question `text`, and returns all that the listener hears of the answer.
    std::string ask(const std::string& text) {
        heard_.clear();
        is_speaking_ = false;
        question_ = {{"type", "start"}, {"turn", "t" + std::to_string(++turns_)}, {"text", text}};
        if (!client_) connect();
        client_->say(question_);
        while (listen()) {
        }
        return heard_;
    }
    const std::string& fault() const { return fault_; }
    int lost() const { return lost_; }
    std::chrono::nanoseconds max_pause() const { return max_pause_; }
    int close_code() const { return close_code_; }

 private:
    using clock = std::chrono::steady_clock;

    void connect() { client_.emplace(find_gateway_()); }

    bool listen() {
        const auto m = client_->read();
        if (m.is_null()) return come_back();
        const auto type = m["type"].get<std::string>();
        if (type == "ready") return is_ready(m);
        if (type == "chunk") return speak(m);
        if (type == "end") return m["finish_reason"] == "interrupted";
        fault_ = m.dump();
        return false;
    }
    bool is_ready(const json& m) {
        session_ = m["session"];
        if (is_speaking_) finish_chunk();
        if (!m["resumed"].get<bool>() || !m["turns"].empty()) return true;
        if (!heard_.empty()) return false;
        client_->say(question_);  // the question was lost with the connection
        return true;
    }
    bool speak(const json& m) {
        if (const auto pause = clock::now() - silent_since_; !heard_.empty() && !is_speaking_)
            max_pause_ = std::max<std::chrono::nanoseconds>(max_pause_, pause);
        heard_ += m["text"];
        last_ = m["id"];
        if (reply_ != m["reply"]) text_.clear();
        reply_ = m["reply"];
        text_ += m["text"];
        is_speaking_ = true;
        on_chunk(++chunks_);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        finish_chunk();
        on_continued(chunks_);
        return true;
    }
    void finish_chunk() {
        client_->say({{"type", "continue"}, {"chunk", last_}});
        is_speaking_ = false;
        silent_since_ = clock::now();
    }
    bool come_back() {
        close_code_ = client_->reason();
        ++lost_;
        json start{{"type", "start"}, {"session", session_}};
        is_speaking_ = !last_.empty() && lost_ % 2 == 0;
        if (!last_.empty()) start["last"] = {{"chunk", last_}, {"text", text_}};
        if (is_speaking_)
            start["last"]["speaking"] = true;
        else if (!last_.empty())
            start["last"]["share"] = 1;
        for (int i = 0; i < 1000; ++i) {
            connect();
            if (client_->is_open()) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        client_->say(session_.empty() ? question_ : start);
        return true;
    }

    std::function<std::uint16_t()> find_gateway_;
    std::optional<voice_client> client_;
    json question_;
    std::string session_;
    std::string heard_;
    std::string last_;   // the chunk that was spoken last
    std::string reply_;  // the reply of that chunk; text_ is its text up to the end of that chunk
    std::string text_;
    std::string fault_;
    bool is_speaking_ = false;
    int turns_ = 0;
    int chunks_ = 0;
    int lost_ = 0;
    int close_code_ = 0;
    clock::time_point silent_since_ = clock::now();
    std::chrono::nanoseconds max_pause_{0};
};

}  // namespace tandem::testing
