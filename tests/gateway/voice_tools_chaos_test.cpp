// Conversations with functions, while users interrupt, functions are late, and servers are killed.

#include "gateway/voice_fixture.hpp"
#include "support/run_settings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;

using dice = std::mt19937_64;

bool happens(dice& d, int percent) {
    return static_cast<int>(d() % 100) < percent;
}

void pause_up_to(dice& d, std::uint64_t ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(d() % (ms + 1)));
}

std::string render_call(const std::string& zone) {
    return R"(<tool_call>
{"name": "clock", "arguments": {"zone": ")" +
           zone + "\"}}\n</tool_call>";
}

/// The end of a prompt whose last message ends with `words`.
std::string end_of_prompt(const std::string& words) {
    const auto prompt = mock::render_prompt({{"user", words}});
    return prompt.substr(prompt.find(words));
}

std::size_t count_of(std::string_view text, std::string_view words) {
    std::size_t n = 0;
    for (auto at = text.find(words); at != text.npos; at = text.find(words, at + words.size())) ++n;
    return n;
}

/// The zones of the calls in a message, in their order.
std::vector<std::string> zones_in(std::string_view message) {
    constexpr std::string_view before = "\"zone\": \"";
    std::vector<std::string> zones;
    for (auto at = message.find(before); at != message.npos; at = message.find(before, at)) {
        at += before.size();
        zones.emplace_back(message.substr(at, message.find('"', at) - at));
    }
    return zones;
}

/// Counts the faults in a rendered prompt: calls without a result, results without a call, and
/// results in the place of another call's result. A prompt may end after calls, for example if the
/// slot is prefilled while their functions run.
int orphans_in(std::string_view prompt) {
    constexpr std::string_view header = "<|im_start|>";
    int orphans = 0;
    std::vector<std::string> open;
    for (auto at = prompt.find(header); at != prompt.npos;) {
        at += header.size();
        const auto next = prompt.find(header, at);
        const auto message = prompt.substr(at, next == prompt.npos ? next : next - at);
        if (message.starts_with("tool\n")) {
            const bool is_right = !open.empty() && (message.find(" of ") == message.npos ||
                                                    message.find(open[0]) != message.npos);
            orphans += !is_right;
            if (!open.empty()) open.erase(open.begin());
        } else {
            orphans += !open.empty();
            open =
                message.starts_with("assistant\n") ? zones_in(message) : std::vector<std::string>();
        }
        at = next;
    }
    return orphans;
}

/// The model's replies, by the words at the end of the prompt.
const std::map<std::string, std::string>& model_replies() {
    static const auto utc = render_call("UTC");
    static const std::map<std::string, std::string> replies{
        {"What time is it?", "One moment.\n" + utc},
        {"Which clock?", utc},
        {"Two clocks?", "Let me look. Please wait.\n" + utc + "\n" + render_call("CET")},
        {"Well?", "I am well. Are you well, too? That would please me."},
        {"Goodbye.", "Goodbye. Take care."},
        {"noon", "It is noon. Is it late?"},
        {"ask again", "Once more.\n" + utc},
        {"broken", "The clock is broken. I am sorry."},
        {"The result comes later.", "I am looking."},
        {"No result: the function took too long.", "The clock is slow."}};
    return replies;
}

bool is_reply_of_model(std::string_view text) {
    return std::ranges::any_of(model_replies(), [&](const auto& known) {
        const std::string_view whole = known.second;
        const auto words = whole.substr(0, whole.find("<tool_call>"));
        return words.substr(0, words.find_last_not_of('\n') + 1) == text;
    });
}

/// The counters of all conversations together.
struct totals {
    std::atomic<int> turns{0}, barge_ins{0}, calls{0}, results{0}, dropped{0}, failed{0};
};

/// A client with one conversation. check() compares the last prompt with what it must contain.
class talker {
 public:
    talker(std::uint16_t port, std::uint64_t seed, std::string name, totals& all)
        : voice_(port), dice_(seed), name_(std::move(name)), all_(all) {}

    void talk() {
        constexpr std::array questions{"What time is it?", "Which clock?", "Two clocks?", "Well?"};
        open_session();
        for (int i = 0; i < 4; ++i) {
            ask(questions[dice_() % questions.size()]);
            if (!happens(dice_, 60)) {
                listen();
                continue;
            }
            ++all_.barge_ins;
            if (happens(dice_, 50)) listen_until_call();
            pause_up_to(dice_, 60);
            if (happens(dice_, 50)) say({{"type", "interrupt"}});
        }
        // Runs two last turns, because a result with `keep` that arrives during a turn appears only
        // in the prompt of the next turn.
        for (const auto* last : {"Well?", "Goodbye."}) {
            ask(last);
            listen();
        }
        say({{"type", "end"}});
        while (take(voice_.read())) {
        }
    }

    void check(const std::string& last_prompt) const {
        for (const auto& [reply, ends] : ends_) EXPECT_EQ(ends, 1) << name_ << ", reply " << reply;
        for (const auto& [call, content] : results_) {
            if (dropped_.contains(call) && !kept_.contains(call)) continue;
            ++all_.results;
            EXPECT_EQ(count_of(last_prompt, content), 1u)
                << name_ << " lost or repeats " << content << "\n"
                << log_ << last_prompt;
        }
    }
    const std::string& name() const { return name_; }

 private:
    // Tries again while the gateway is overloaded, as it may be on a slow machine.
    void open_session() {
        json start{{"type", "start"},
                   {"messages", json::array({{{"role", "system"}, {"content", name_}}})}};
        start["options"]["tools"] = json::parse(
            R"([{"type":"function","function":{"name":"clock","parameters":{"type":"object"}}}])");
        for (;;) {
            say(start);
            const auto m = voice_.read();
            ASSERT_TRUE(m.is_object()) << name_;
            if (m["type"] == "ready") return;
            ASSERT_EQ(m["code"], "overloaded") << name_ << ": " << m;
            pause_up_to(dice_, 200);
        }
    }
    void ask(const std::string& text) {
        ++all_.turns;
        send_late_results();
        say({{"type", "start"}, {"text", text}, {"turn", "t" + std::to_string(++turn_)}});
        is_over_ = was_called_ = false;
    }
    void listen() {
        while (!is_over_ && take(voice_.read())) {
        }
        EXPECT_TRUE(is_over_) << name_;
    }
    void listen_until_call() {
        while (!is_over_ && !was_called_ && take(voice_.read())) {
        }
    }

    void say(const json& m) {
        log_ += "> " + m.dump() + "\n";
        voice_.say(m);
    }
    bool take(const json& m) {
        if (m.is_null()) return false;
        log_ += "< " + m.dump() + "\n";
        const std::string type = m["type"];
        if (type == "chunk") take_chunk(m);
        if (type == "call") take_call(m);
        if (type == "call_dropped") take_dropped(m);
        if (type == "end" || type == "error") take_end(m);
        return true;
    }
    void take_chunk(const json& m) {
        ends_.try_emplace(m["reply"], 0);
        spoken_[m["reply"]] += m["text"];
        say({{"type", "continue"}, {"chunk", m["id"]}});
    }
    void take_call(const json& m) {
        ++all_.calls;
        ends_.try_emplace(m["reply"], 0);
        EXPECT_TRUE(called_.insert(m["id"]).second) << name_ << " again: " << m;
        EXPECT_TRUE(called_.insert(m["reply"].get<std::string>() + m["arguments"].dump()).second)
            << name_ << " again: " << m;
        if (is_current(m)) was_called_ = true;
        zones_[m["id"]] = m["arguments"]["zone"];
        const auto mood = dice_() % 100;
        if (mood < 4) return;  // never answers
        if (mood < 14) {
            say({{"type", "result"}, {"call", m["id"]}, {"later", true}});
            late_.push_back(m["id"]);
            return;
        }
        if (mood < 40) pause_up_to(dice_, 40);
        send_result(m["id"], happens(dice_, 30));
    }
    void send_result(const std::string& call, bool is_kept) {
        const auto mood = dice_() % 100;
        const auto content = name_ + " result " + std::to_string(results_.size()) + " of " +
                             zones_[call] + ": " +
                             (mood < 20   ? "ask again"
                              : mood < 35 ? "broken"
                                          : "noon");
        results_[call] = content;
        if (is_kept) kept_.insert(call);
        say({{"type", "result"}, {"call", call}, {"content", content}, {"keep", is_kept}});
    }
    void send_late_results() {
        for (const auto& call : std::exchange(late_, {})) send_result(call, true);
    }
    void take_dropped(const json& m) {
        ++all_.dropped;
        EXPECT_TRUE(dropped_.insert(m["call"]).second) << name_ << " dropped again: " << m;
    }
    void take_end(const json& m) {
        if (!m.contains("reply")) {
            EXPECT_EQ(m["code"], "unknown_call") << name_ << ": " << m;
            return;
        }
        ++ends_[m["reply"]];
        check_text(m);
        if (m["type"] == "error") {
            ++all_.failed;
            std::cout << name_ << ": " << m << "\n";
        }
        if (is_current(m) && m.value("finish_reason", "") != "tool_calls") is_over_ = true;
    }
    /// A reply that was not interrupted has the model's words, even if the reply moved to another
    /// server.
    void check_text(const json& m) {
        EXPECT_EQ(m.value("text", ""), spoken_[m["reply"]]) << name_ << ": " << m;
        if (m.value("finish_reason", "interrupted") == "interrupted") return;
        EXPECT_TRUE(is_reply_of_model(m["text"].get<std::string>())) << name_ << ": " << m;
    }
    bool is_current(const json& m) const { return m["turn"] == "t" + std::to_string(turn_); }

    voice_client voice_;
    dice dice_;
    std::string name_;
    totals& all_;
    int turn_ = 0;
    bool is_over_ = false;
    bool was_called_ = false;
    std::map<std::string, int> ends_;            // of each reply
    std::map<std::string, std::string> spoken_;  // of each reply
    std::map<std::string, std::string> zones_;   // by call
    std::set<std::string> called_;
    std::map<std::string, std::string> results_;  // by call
    std::set<std::string> kept_, dropped_;
    std::vector<std::string> late_;
    std::string log_;
};

class voice_tools_chaos : public voice_gateway {
 protected:
    voice_tools_chaos() {
        server_options.tool_template = true;
        server_options.parallel = 8;
        server_options.ctx_size = 8 * 8192;
        server_options.tokens_per_second = 600;
        for (const auto& [words, reply] : model_replies())
            server_options.replies.push_back({end_of_prompt(words), reply});
        options.voice.call_timeout = 1s;
        options.service.client.failover.retries = 8;
        options.service.client.failover.resume_within = 1min;  // enough even on a slow machine
        options.audit = nullptr;
        for (auto& s : servers_) {
            s.emplace(server_options);
            options.service.servers.push_back(s->url());
        }
        open_gate();
    }
    ~voice_tools_chaos() override { end(); }

    void talk(std::size_t conversations, std::uint64_t seed) {
        std::vector<std::thread> crowd;
        std::atomic<std::size_t> next{0};
        talkers_.resize(conversations);
        for (int i = 0; i < 16; ++i)
            crowd.emplace_back([&] {
                for (auto k = next++; k < conversations; k = next++) {
                    talkers_[k] = std::make_unique<talker>(
                        port, seed * 1000 + k, "caller " + std::to_string(k) + ".", all_);
                    talkers_[k]->talk();
                }
            });
        std::thread killer([&] { kill_servers(seed); });
        for (auto& t : crowd) t.join();
        is_done_ = true;
        killer.join();
        for (auto& s : servers_) collect(*s);
    }

    /// Whether each server has received some requests since its start. However slow the machine is,
    /// no server is killed before this.
    bool are_all_used() const {
        return std::ranges::all_of(servers_, [](const std::optional<mock::server>& s) {
            return s->observe().of_path("/completion").size() >= 5;
        });
    }
    /// Kills one server at a time, and waits until that server is back before killing the next one.
    void kill_servers(std::uint64_t seed) {
        dice d(seed);
        while (!is_done_) {
            std::this_thread::sleep_for(50ms);
            if (!are_all_used()) continue;
            auto& victim = servers_[d() % servers_.size()];
            auto again = server_options;
            again.port = victim->port();
            victim->stop();
            collect(*victim);
            pause_up_to(d, 300);
            victim.emplace(again);
            ++kills_;
        }
    }

    /// Checks each prompt, and keeps the last prompt of each conversation.
    void collect(const mock::server& s) {
        for (const auto& r : s.observe().of_path("/completion")) {
            const auto at = r.prompt.find("caller ");
            if (at == std::string::npos) continue;
            ++prompts_;
            const auto orphans = orphans_in(r.prompt);
            EXPECT_EQ(orphans, 0) << r.prompt;
            const auto name = r.prompt.substr(at, r.prompt.find('.', at) + 1 - at);
            auto& last = last_prompts_[name];
            if (r.prompt.find("Goodbye.<") != std::string::npos) last = r.prompt;
        }
    }

    std::array<std::optional<mock::server>, 2> servers_;
    std::vector<std::unique_ptr<talker>> talkers_;
    totals all_;
    std::atomic<bool> is_done_{false};
    std::map<std::string, std::string> last_prompts_;
    int kills_ = 0;
    int prompts_ = 0;
};

// The full test runs with TANDEM_TOOL_CONVERSATIONS=200.
TEST_F(voice_tools_chaos, loses_no_result_and_leaves_no_orphan) {
    const auto conversations =
        static_cast<int>(test::number_from_environment("TANDEM_TOOL_CONVERSATIONS", 60));
    const auto seed = test::number_from_environment("TANDEM_CHAOS_SEED", 1);
    talk(static_cast<std::size_t>(conversations), seed);
    for (const auto& t : talkers_) t->check(last_prompts_[t->name()]);
    EXPECT_GT(all_.calls, conversations);
    std::cout << conversations << " conversations, seed " << seed << ": " << all_.turns
              << " turns, " << all_.barge_ins << " barge-ins, " << all_.calls << " calls, "
              << all_.results << " results in history, " << all_.dropped << " calls dropped, "
              << kills_ << " servers killed, " << prompts_ << " prompts checked, " << all_.failed
              << " replies failed\n";
    EXPECT_EQ(all_.failed, 0);
}

}  // namespace
