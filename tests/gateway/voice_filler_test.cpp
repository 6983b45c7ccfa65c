// Words for a listener who waits for a slow server.

#include "gateway/voice_fixture.hpp"

#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class voice_filler_gateway : public voice_gateway {
 protected:
    voice_filler_gateway() { server_options.prompt_tokens_per_second = 40; }

    static json question(bool history) {
        auto turn = start_of("And you?");
        turn["filler"] = {
            {"after_ms", 20}, {"texts", json::array({"One moment."})}, {"history", history}};
        return turn;
    }
};

TEST_F(voice_filler_gateway, speaks_before_a_late_answer) {
    start();
    auto c = voice();
    c.say(question(false));
    const auto filler = c.read("chunk");
    EXPECT_EQ(filler["speech"], "One moment.") << filler;
    EXPECT_EQ(filler["filler"], true);
    c.say(spoken(filler));
    const auto answer = c.read();
    EXPECT_EQ(answer["id"], "1-1") << answer;
    EXPECT_EQ(answer["speech"], "Fine.");
    c.say(spoken(answer));
    EXPECT_EQ(listen(c)["text"], "Fine. Thanks. And well rested.");
    c.say(start_of("Long"));
    c.read("chunk");
    EXPECT_THAT(last_prompt(), Not(HasSubstr("One moment.")));
}

TEST_F(voice_filler_gateway, keeps_its_words_in_history_on_request) {
    start();
    auto c = voice();
    c.say(question(true));
    listen(c);
    c.say(start_of("Long"));
    c.read("chunk");
    EXPECT_THAT(last_prompt(), HasSubstr("One moment. Fine. Thanks. And well rested.<"));
}

TEST_F(voice_filler_gateway, has_its_words_checked) {
    options.prompts.denied = {"moment"};
    start();
    auto c = voice();
    c.say(question(false));
    EXPECT_EQ(c.read("error")["code"], "content_policy");
}

}  // namespace
