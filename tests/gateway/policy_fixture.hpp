#pragma once

#include "gateway/voice_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/poll_until.hpp"
#include "support/scripted_server.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

/// What a policy was asked.
struct asked_question {
    std::string all{};
    std::string head{};
    json body{};
};

/// A gateway that asks an outside policy about prompts, which allows all unless the test says
/// otherwise.
class policed_gateway : public voice_gateway {
 protected:
    policed_gateway() {
        options.policy.url = policy_.url();
        // Far longer than a test waits where it is not the test's matter.
        options.policy.timeout = 1min;
        options.service.server.logger = log.logger();
    }
    ~policed_gateway() override {
        end();
        for (auto& h : held_) h.may_go.open();
    }

    /// Every question, from now on. What is cut short is followed by nothing, and the connection
    /// stays open.
    void policy_answers(std::string text) {
        const std::lock_guard lock(mutex_);
        answer_ = std::move(text);
        is_silent_ = false;
    }
    void policy_is_silent() {
        const std::lock_guard lock(mutex_);
        is_silent_ = true;
    }
    /// Questions with this text wait until the test says what their answer is.
    void policy_ponders(const std::string& text) {
        const std::lock_guard lock(mutex_);
        held_.emplace_back().text = text;
    }
    void policy_decides(const std::string& text, bool is_allowed) {
        held_answer* held = nullptr;
        {
            const std::lock_guard lock(mutex_);
            for (auto& h : held_)
                if (h.text == text) held = &h;
            held->answer = whole_answer(json{{"allowed", is_allowed}}.dump());
        }
        held->may_go.open();
    }

    std::vector<asked_question> questions() {
        const std::lock_guard lock(mutex_);
        return questions_;
    }
    /// Waits until it was.
    bool policy_was_asked(std::size_t times = 1) {
        return poll_until([&] { return questions().size() >= times; });
    }
    /// Waits until the gateway has closed connections of questions without an answer.
    bool policy_was_left(int times = 1) {
        return poll_until([&] {
            const std::lock_guard lock(mutex_);
            return left_ >= times;
        });
    }

    captured_log log;

 private:
    struct held_answer {
        std::string text;
        std::string answer;
        tandem::testing::gate may_go;
    };
    using awaitable = boost::asio::awaitable<void>;

    // With its own part of the state under the lock, which no wait is within.
    awaitable serve(scripted_peer& peer) {
        auto* const held = take_question(co_await peer.read_request());
        if (held) co_await held->may_go.opened();
        const auto text = answer_to(held);
        if (!text.empty()) co_await peer.send(text);
        if (!stays_open(text)) co_return;
        co_await peer.wait_for_close();
        const std::lock_guard lock(mutex_);
        ++left_;
    }
    held_answer* take_question(std::string request) {
        const std::lock_guard lock(mutex_);
        const auto end_of_head = request.find("\r\n\r\n");
        asked_question q{.head = request.substr(0, end_of_head + 2)};
        if (end_of_head != request.npos)
            q.body = json::parse(request.substr(end_of_head + 4), nullptr, false);
        q.all = std::move(request);
        questions_.push_back(std::move(q));
        for (auto& h : held_)
            if (questions_.back().all.find(h.text) != std::string::npos) return &h;
        return nullptr;
    }
    std::string answer_to(const held_answer* held) {
        const std::lock_guard lock(mutex_);
        if (is_silent_) return {};
        return held ? held->answer : answer_;
    }
    bool stays_open(const std::string& sent) {
        const std::lock_guard lock(mutex_);
        return is_silent_ || sent.find("Content-Length: 100000000\r\n") != sent.npos;
    }

    std::mutex mutex_;
    std::string answer_ = whole_answer(R"({"allowed":true})");
    bool is_silent_ = false;
    std::deque<held_answer> held_;
    std::vector<asked_question> questions_;
    int left_ = 0;
    scripted_server policy_{[this](scripted_peer& peer) { return serve(peer); }};
};

}  // namespace tandem::testing
