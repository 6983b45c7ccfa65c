// Voice sessions whose model thinks.

#include "gateway/voice_fixture.hpp"

#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;

class thinking_gateway : public voice_gateway {
 protected:
    thinking_gateway() { answers_with("Hm?", "<think>They hum. Why do they hum? I do not know."); }

    json end_of(const json& turn_options) {
        auto c = voice();
        auto first = start_of("Hm?");
        first["options"] = turn_options;
        c.say(first);
        said_.clear();
        return listen(c, said_);
    }
    json last_rendering() {
        return json::parse(mock_server->observe().of_path("/apply-template").back().body);
    }

    std::string said_;
};

TEST_F(thinking_gateway, turns_thinking_off_if_the_template_can) {
    start();
    const auto end = end_of(json::object());
    EXPECT_EQ(last_rendering()["chat_template_kwargs"], json({{"enable_thinking", false}}));
    EXPECT_EQ(said_, "") << "this template cannot";
    EXPECT_GT(end["usage"]["reasoning"], 0);
    EXPECT_GT(end["metrics"]["reasoning_ms"], 0);
    EXPECT_EQ(end["metrics"]["reasoning_cut"], false);
    end_of({{"reasoning_effort", "high"}});
    EXPECT_FALSE(last_rendering().contains("chat_template_kwargs"));
    EXPECT_EQ(last_rendering()["reasoning_effort"], "high");
}

TEST_F(thinking_gateway, speaks_under_the_limit_of_a_session) {
    start();
    for (const auto* limit : {"reasoning_limit_tokens", "reasoning_limit_ms"}) {
        const auto end = end_of({{limit, 3}});
        EXPECT_NE(said_, "") << limit;
        EXPECT_EQ(said_.find("</think>"), std::string::npos);
        EXPECT_EQ(end["finish_reason"], "eos") << end;
        EXPECT_EQ(end["metrics"]["reasoning_cut"], true);
    }
}

TEST_F(thinking_gateway, speaks_under_a_limit_of_its_own) {
    options.service.client.speech.reasoning_limit_tokens = 3;
    start();
    const auto end = end_of(json::object());
    EXPECT_NE(said_, "");
    EXPECT_EQ(end["usage"]["reasoning"], 3);
}

}  // namespace
