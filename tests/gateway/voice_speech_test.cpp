// Voice sessions with words to replace and marks for the voice.

#include "gateway/voice_fixture.hpp"

#include <string>
#include <utility>

namespace {

using namespace tandem;
using namespace tandem::testing;

class speaking_gateway : public voice_gateway {
 protected:
    speaking_gateway() {
        answers_with("Who?", "Well [laughs] **Dr.** Smith has 5 kWh of it. And a *dog*.");
    }

    static json turn_with(json turn_options) {
        auto turn = start_of("Who?");
        turn_options["first_chunk_min_tokens"] = 0;
        turn["options"] = std::move(turn_options);
        return turn;
    }
    static json speaking_turn() {
        return turn_with({{"speech_replace", {{"Dr.", "Doctor"}, {"kWh", "kilowatt hours"}}},
                          {"speech_marks", "report"},
                          {"speech_mark_tags", {"laughs"}}});
    }
    /// The heard part of the first chunk, as it appears in the next prompt.
    std::string history_after(const json& heard) {
        auto c = voice();
        c.say(speaking_turn());
        json part = heard;
        part["chunk"] = c.read("chunk")["id"];
        c.say({{"type", "interrupt"}, {"heard", part}});
        c.read("end");
        c.say(start_of("And you?"));
        listen(c);
        const auto prompt = mock_server->observe().of_path("/completion").back().prompt;
        const auto begin = prompt.rfind("assistant\nWell") + 10;
        return prompt.substr(begin, prompt.find("<|", begin) - begin);
    }
};

TEST_F(speaking_gateway, speaks_other_words_and_reports_marks) {
    start();
    auto c = voice();
    c.say(speaking_turn());
    const auto first = c.read("chunk");
    EXPECT_EQ(first["text"], "Well [laughs] **Dr.** Smith has 5 kWh of it.");
    EXPECT_EQ(first["speech"], "Well Doctor Smith has 5 kilowatt hours of it.");
    EXPECT_EQ(first["marks"], json::parse(R"([{"at":5,"tag":"laughs"}])"));
    EXPECT_EQ(first["language"], "en");
    c.say(spoken(first));
    EXPECT_FALSE(c.read("chunk").contains("marks"));
}

TEST_F(speaking_gateway, keeps_the_words_of_the_model_that_were_heard) {
    start();
    EXPECT_EQ(history_after({{"chars", 4}}), "Well");
    EXPECT_EQ(history_after({{"chars", 9}}), "Well [laughs]");
    EXPECT_EQ(history_after({{"words", 2}}), "Well [laughs] **Dr.**");
    EXPECT_EQ(history_after({{"said", "Well Doctor Smith has 5 kilowatt"}}),
              "Well [laughs] **Dr.** Smith has 5");
    EXPECT_EQ(history_after({{"said", "Well Doctor Smith has 5 kilowatt hours"}}),
              "Well [laughs] **Dr.** Smith has 5 kWh");
}

TEST_F(speaking_gateway, has_words_of_its_own_that_a_turn_may_replace) {
    options.service.client.speech.replace = {{"Dr.", "Doctor"}};
    options.service.client.speech.mark_tags = {"laughs"};
    start();
    auto c = voice();
    c.say(turn_with({{"chunk_max_tokens", 0}}));
    EXPECT_EQ(c.read("chunk")["speech"], "Well Doctor Smith has 5 kWh of it.");
    auto other = voice();
    other.say(turn_with({{"speech_replace", json::object()}, {"speech_marks", "keep"}}));
    EXPECT_EQ(other.read("chunk")["speech"], "Well [laughs] Dr. Smith has 5 kWh of it.");
}

}  // namespace
