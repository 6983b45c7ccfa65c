// Voice sessions of gateways that are killed, in front of two real servers.

#include "cluster/gateway_process.hpp"
#include "cluster/store_fixture.hpp"
#include "cluster/voice_listener.hpp"
#include "support/real_server.hpp"
#include "support/talk.hpp"
#include "tandem_mock/server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using namespace std::chrono_literals;

struct known_answer {
    std::string question;
    std::string text;
};

/// The answers of the model that have several sentences.
std::vector<known_answer> find_long_answers() {
    constexpr std::size_t min_bytes = 120;
    std::vector<known_answer> known;
    for (const auto& d : mock::load_dialogues(talk_file)) {
        const auto& m = d.messages;
        if (m.size() == 2 && m[0].role == "user" && m[1].content.size() >= min_bytes)
            known.push_back({m[0].content, m[1].content});
    }
    return known;
}

class real_moving_sessions : public store_fixture {
 protected:
    void SetUp() override {
        const auto missing = real_server::why_unavailable();
        if (missing.empty()) {
            for (auto& s : servers_) s.emplace(std::vector<std::string>{"--parallel", "2"});
            return;
        }
        if (real_server::is_required()) FAIL() << missing;
        GTEST_SKIP() << missing;
    }

    std::unique_ptr<gateway_process> make_gateway() {
        gateway::gateway_options o;
        o.port = 0;
        o.model = "talk";
        for (const auto& s : servers_) o.service.servers.push_back(s->url());
        o.service.client.server.proxy = "none";
        o.service.client.generation.temperature = 0;
        o.cluster =
            cluster::cluster_options{.store = cluster::parse_store_address(store.url()).address,
                                     .gateway_id = "g" + std::to_string(++made_)};
        return std::make_unique<gateway_process>(std::move(o));
    }

    std::optional<real_server> servers_[2];
    int made_ = 0;
};

TEST_F(real_moving_sessions, lose_no_word_when_their_gateway_is_killed) {
    const auto answers = find_long_answers();
    ASSERT_GE(answers.size(), 6u);
    std::deque<std::unique_ptr<gateway_process>> gateways;
    for (int i = 0; i < 3; ++i) gateways.push_back(make_gateway());
    for (std::size_t i = 0; i < 6; ++i) {
        voice_listener l([&] { return gateways.front()->port(); });
        l.on_chunk = [&](int chunks) {
            if (chunks != 1 + static_cast<int>(i % 2)) return;
            gateways.front()->kill();
            gateways.pop_front();
        };
        EXPECT_EQ(l.ask(answers[i].question), answers[i].text);
        EXPECT_EQ(l.fault(), "");
        EXPECT_EQ(l.lost(), 1);
        gateways.push_back(make_gateway());
    }
}

}  // namespace
