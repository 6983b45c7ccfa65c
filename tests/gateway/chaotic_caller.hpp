#pragma once

#include "gateway/voice_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tandem::testing {

/// A bot with functions that behaves badly: it interrupts before, in and after calls, answers late,
/// twice or never, and loses its connection. It checks what the gateway says.
class chaotic_caller {
 public:
    using json = nlohmann::json;

    struct findings {
        std::vector<std::string> faults{};
        std::vector<std::string> results{};  ///< each sent result, by a word that only it contains
        std::string log{};                   ///< all messages
        int refused = 0;                     ///< results
        int calls = 0;
        int dropped = 0;
        int replies = 0;
        int failed = 0;
        int interrupts = 0;
        int lost_connections = 0;
    };

    chaotic_caller(std::uint16_t port, int number, std::uint64_t seed)
        : port_(port), number_(number), random_(seed) {}

    findings talk(int turns) {
        constexpr std::array questions{"Book a table.", "Book a table.", "Book two.",
                                       "Just look.",    "Tell me more.", "Write nonsense."};
        for (int i = 0; i < turns && client_; ++i) {
            begin(questions.at(below(questions.size())));
            while (client_ && read_turn()) {
            }
        }
        say_goodbye();
        return found_;
    }
    std::string farewell() const { return fmt::format("I am caller {}. Goodbye.", number_); }

 private:
    std::size_t below(std::size_t n) { return random_() % n; }
    bool chance(unsigned percent) { return below(100) < percent; }
    void fault(std::string what) {
        found_.faults.push_back(fmt::format("caller {}: {}", number_, what));
    }

    void begin(const std::string& text) {
        json m{{"type", "start"}, {"turn", fmt::format("t{}", ++turn_)}, {"text", text}};
        if (is_new_connection_ && !session_.empty()) m["session"] = session_;
        if (session_.empty()) m["options"]["tools"] = tools();
        is_new_connection_ = false;
        say(m);
        send_late_results(50);
    }
    static json tools() {
        json all = json::array();
        for (const auto* name : {"book", "look"})
            all.push_back(
                {{"type", "function"},
                 {"function",
                  {{"name", name},
                   {"parameters",
                    {{"type", "object"}, {"properties", {{"day", {{"type", "string"}}}}}}}}}});
        return all;
    }
    void say(const json& m) {
        found_.log += "-> " + m.dump() + "\n";
        if (client_) client_->say(m);
    }

    /// Reads a message; false if the turn is over, or the caller does not wait for its end.
    bool read_turn(bool is_patient = false) {
        const auto m = client_->read();
        if (m.is_null()) {
            fault("the connection ended");
            client_.reset();
            return false;
        }
        note(m);
        const auto type = m.value("type", "");
        const bool is_of_turn = m.value("turn", "") == fmt::format("t{}", turn_);
        if (type == "call") answer(m, is_patient);
        if (type == "call_dropped" && chance(30)) send_result(m["call"], chance(50));
        if (type == "chunk" && is_of_turn) {
            if (!is_patient && break_in(m)) return false;
            say({{"type", "continue"}, {"chunk", m["id"]}});
        }
        const bool is_end = type == "end" || (type == "error" && m.contains("reply"));
        return !(is_of_turn && is_end && m.value("finish_reason", "") != "tool_calls");
    }

    void note(const json& m) {
        found_.log += "<- " + m.dump() + "\n";
        const auto type = m.value("type", "");
        const auto reply = m.value("reply", "");
        if (type == "ready") session_ = m["session"];
        if (type == "chunk" || type == "call") {
            begun_.insert(reply);
            if (ended_.contains(reply)) fault(m.dump() + " after the end of its reply");
        }
        if (type == "chunk" && m.value("speech", "").find_first_of("{<") != std::string::npos)
            fault("a call in the speech: " + m.dump());
        if (type == "call" && ++found_.calls && !calls_.insert(m["id"]).second)
            fault("given out twice: " + m.dump());
        if (type == "call_dropped" && ++found_.dropped && !dropped_.insert(m["call"]).second)
            fault("dropped twice: " + m.dump());
        if (type == "end" || (type == "error" && !reply.empty())) note_end(m, reply);
        if (type != "error" || !reply.empty()) return;
        if (m["code"] == "unknown_call")
            ++found_.refused;
        else
            fault("unexpected: " + m.dump());
    }
    void note_end(const json& m, const std::string& reply) {
        ++found_.replies;
        if (m["type"] == "error") ++found_.failed;
        if (!ended_.insert(reply).second) fault("ended twice: " + m.dump());
    }

    void answer(const json& call, bool is_patient) {
        const auto dice = is_patient ? 0 : below(100);
        if (dice < 60) {
            send_result(call["id"], chance(50));
            if (dice < 5) send_result(call["id"], false);
        } else if (dice < 80) {
            say({{"type", "result"}, {"call", call["id"]}, {"later", true}});
            late_.push_back(call["id"]);
        } else if (dice < 92) {
            late_.push_back(call["id"]);
        }
    }
    void send_result(const std::string& call, bool keeps) {
        const auto word = fmt::format("r{}x{}#", number_, found_.results.size());
        constexpr std::array outcomes{"done.", "done.", "done.", "full.",
                                      "{\"error\":\"no line\"}"};
        found_.results.push_back(word);
        say({{"type", "result"},
             {"call", call},
             {"content", fmt::format("{} for {}: {}", word, call, outcomes.at(below(5)))},
             {"keep", keeps}});
    }
    void send_late_results(unsigned percent) {
        std::erase_if(late_, [&](const std::string& call) {
            if (!chance(percent)) return false;
            send_result(call, chance(50));
            return true;
        });
    }

    /// Whether the caller talks over the chunk.
    bool break_in(const json& chunk) {
        const auto dice = below(100);
        if (dice < 8) {
            say({{"type", "interrupt"}, {"heard", {{"chunk", chunk["id"]}, {"chars", 5}}}});
        } else if (dice < 12) {
            found_.log += "the connection is lost\n";
            client_->drop();
            client_ = std::make_unique<voice_client>(port_);
            is_new_connection_ = true;
            ++found_.lost_connections;
        } else if (dice >= 24) {
            return false;
        }
        ++found_.interrupts;
        return true;
    }

    /// A turn whose prompt shows what history keeps.
    void say_goodbye() {
        if (!client_) return;
        send_late_results(is_new_connection_ ? 0 : 100);
        begin(farewell());
        while (client_ && read_turn(true)) {
        }
        say({{"type", "end"}});
        while (client_) {
            const auto m = client_->read();
            if (m.is_null()) break;
            note(m);
        }
        for (const auto& reply : begun_)
            if (!ended_.contains(reply)) fault("no end of reply " + reply);
    }

    std::uint16_t port_;
    int number_;
    std::mt19937_64 random_;
    std::unique_ptr<voice_client> client_ = std::make_unique<voice_client>(port_);
    bool is_new_connection_ = true;
    std::string session_;
    int turn_ = 0;
    std::vector<std::string> late_;  // calls whose results are still to be sent
    std::set<std::string> begun_, ended_, calls_, dropped_;
    findings found_;
};

}  // namespace tandem::testing
