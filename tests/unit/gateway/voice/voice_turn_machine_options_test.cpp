#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

// The generation options in the start messages of a session.
namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr voice_socket bot_socket = 7;

TEST(voice_session, has_the_options_of_its_first_start_and_each_turn_its_own) {
    auto setup = voice_session_driver::defaults();
    setup.generation.top_k = 7;
    voice_session_driver s(setup);
    s.attach(bot_socket, R"({"type":"start","text":"Hello","options":{"temperature":0.5}})");
    s.say(bot_socket, R"({"type":"start","text":"Wait","options":{"max_tokens":9}})");
    s.end(1, finish_reason::interrupted);
    s.say(bot_socket, hello);
    s.end(2, finish_reason::interrupted);
    ASSERT_EQ(s.generated.size(), 3u);
    EXPECT_EQ(s.generated[0]->options.temperature, 0.5);
    EXPECT_EQ(s.generated[0]->options.top_k, 7);
    EXPECT_EQ(s.generated[1]->options.temperature, 0.5);
    EXPECT_EQ(s.generated[1]->options.max_tokens, 9);
    EXPECT_EQ(s.generated[2]->options.max_tokens, 0);
}

TEST(voice_session, gives_the_context_of_a_turn_to_no_other_one) {
    voice_session_driver s;
    s.attach(bot_socket, R"({"type":"start","text":"Hello","options":{"context":"Noon."}})");
    s.end(1, finish_reason::interrupted);
    s.say(bot_socket, hello);
    ASSERT_EQ(s.generated.size(), 2u);
    EXPECT_EQ(s.generated[0]->options.context, "Noon.");
    EXPECT_EQ(s.generated[1]->options.context, "");
}

TEST(voice_session, refuses_options_that_do_not_go_with_those_it_has) {
    voice_session_driver s;
    s.attach(bot_socket, R"({"type":"start","options":{"grammar":"root ::= \"a\""}})");
    s.heard_by(bot_socket);
    s.say(bot_socket, R"({"type":"start","text":"Hello","options":{"json_schema":"{}"}})");
    const auto sent = s.sent(bot_socket);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["param"], "options.json_schema");
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_session, reports_options_that_cannot_be_used_though_nobody_has_spoken) {
    auto setup = voice_session_driver::defaults();
    setup.generation.grammar = "root ::= \"a\"";
    voice_session_driver s(setup);
    s.attach(bot_socket, R"({"type":"start","options":{"json_schema":"{}"}})");
    EXPECT_THAT(s.heard_by(bot_socket), ElementsAre("ready", "error invalid_value"));
    s.say(bot_socket, hello);
    EXPECT_EQ(s.generated.size(), 1u);
}

TEST(voice_session, refuses_to_require_a_call_without_tools) {
    const auto refusal = [](voice_session_driver& s) {
        const auto last = s.sent(bot_socket).back();
        return std::string(last["param"]) + ": " + std::string(last["message"]);
    };
    const auto why =
        "options.tool_choice: options.tool_choice requires a call, but there are no tools";
    for (const auto* const choice : {R"("required")", R"({"function":{"name":"book"}})"}) {
        voice_session_driver s;
        s.attach(bot_socket,
                 std::string(R"({"type":"start","text":"Hi","options":{"tool_choice":)") + choice +
                     "}}");
        EXPECT_EQ(refusal(s), why);
        s.say(bot_socket, R"({"type":"start","text":"Hi","options":{"tools":[{"type":"function",)"
                          R"("function":{"name":"book"}}]}})");
        ASSERT_EQ(s.generated.size(), 1u);
        EXPECT_EQ(s.generated[0]->options.tool_choice, "");
    }
}

TEST(voice_session, may_leave_out_the_tools_of_a_call_that_its_first_start_requires) {
    voice_session_driver s;
    s.attach(bot_socket, R"({"type":"start","text":"Hi","options":{"tool_choice":"required",)"
                         R"("tools":[{"type":"function","function":{"name":"book"}}]}})");
    s.end(1, finish_reason::interrupted);
    s.say(bot_socket, R"({"type":"start","text":"Hi","options":{"tools":[]}})");
    EXPECT_EQ(s.generated.size(), 2u);
}

// A model with one adapter, "formal".
struct with_adapters {
    const std::vector<std::string> models{"talk"};
    const adapter_set adapters{{{.name = "formal", .id = 0}}, models};

    voice_setup setup() const {
        auto s = voice_session_driver::defaults();
        s.adapters = [this](const auto& wanted) {
            return adapters.select_adapters("talk", wanted);
        };
        return s;
    }
};

TEST(voice_session, has_the_adapters_of_its_first_start) {
    const with_adapters model;
    voice_session_driver s(model.setup());
    s.attach(bot_socket, R"({"type":"start","options":{"lora":[{"id":"formal","scale":0.5}]}})");
    s.say(bot_socket, hello);
    ASSERT_EQ(s.generated.size(), 1u);
    EXPECT_THAT(s.generated[0]->options.lora, ElementsAre(adapter_scale{.id = 0, .scale = 0.5}));
}

TEST(voice_session, refuses_the_one_start_that_names_an_adapter_which_is_not_there) {
    const with_adapters model;
    for (const std::string words : {R"("text":"Hi",)", ""}) {
        SCOPED_TRACE(words);
        voice_session_driver s(model.setup());
        s.attach(bot_socket,
                 R"({"type":"start",)" + words + R"("options":{"lora":[{"id":"formall"}]}})");
        const auto sent = s.sent(bot_socket);
        ASSERT_EQ(sent.size(), 2u);
        EXPECT_EQ(sent[1]["param"], "options.lora[0].id");
        s.say(bot_socket, hello);
        EXPECT_THAT(s.sent(bot_socket), IsEmpty());
        EXPECT_EQ(s.generated.size(), 1u);
    }
}

TEST(voice_resume_grace, that_ready_cannot_report_is_refused_if_it_is_too_short) {
    voice_session_driver s;
    s.attach(7);
    s.sent(7);
    s.say(7, R"({"type":"start","text":"Hi","conversation":{"resume_grace_ms":100}})");
    const auto sent = s.sent(7);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["param"], "conversation.resume_grace_ms");
    EXPECT_THAT(std::string(sent[0]["message"]), ::testing::HasSubstr("at least 65000"));
    s.say(7, R"({"type":"start","text":"Hi","conversation":{"resume_grace_ms":70000}})");
    ASSERT_EQ(s.opened.size(), 1u);
    EXPECT_EQ(s.opened[0].resume_grace, std::chrono::seconds(70));
}

TEST(voice_resume_grace, of_a_session_that_moved_is_that_of_its_conversation) {
    voice_session_driver before;
    before.attach(7, hello);
    auto record = before.turns.record();
    record.conversation = "saved";
    auto setup = voice_session_driver::defaults();
    setup.conversation.resume_grace = std::chrono::seconds(30);
    voice_session_driver s(voice_turn_machine(setup, record, {}, {}));
    s.attach(8, R"({"type":"start","session":"s-1"})");
    EXPECT_EQ(s.sent(8)[0]["limits"]["resume_grace_ms"], 30000);
}

}  // namespace
}  // namespace tandem::gateway
