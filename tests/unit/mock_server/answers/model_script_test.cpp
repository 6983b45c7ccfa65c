#include "answers/model_script.hpp"

#include "answers/fallback_text.hpp"
#include "answers/tokenizer.hpp"
#include "answers/tool_template.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace tandem::mock {
namespace {

const dialogue weather{"weather",
                       {{"system", "Be brief."},
                        {"user", "Rain?"},
                        {"assistant", "Yes. Take a coat."},
                        {"user", "Tomorrow?"},
                        {"assistant", "No."}}};

std::string first_prompt() {
    return render_prompt({{"system", "Be brief."}, {"user", "Rain?"}});
}

TEST(model_script, follows_a_dialogue_turn_by_turn) {
    const model_script s({weather}, {});
    EXPECT_EQ(s.continuation(first_prompt()), "Yes. Take a coat.");
    EXPECT_EQ(s.continuation(first_prompt() +
                             "Yes. Take a coat.<|im_end|>\n<|im_start|>user\nTomorrow?<|im_end|>\n"
                             "<|im_start|>assistant\n"),
              "No.");
}

TEST(model_script, follows_a_dialogue_with_any_tools) {
    const auto tools = nlohmann::ordered_json::parse(R"([{"function":{"name":"f"}}])");
    const model_script s({weather, {"time", {{"user", "Time?"}, {"assistant", "Noon."}}}}, {});
    const chat_message system{{.role = "system", .content = "Be brief."}};
    const chat_message rain{{.role = "user", .content = "Rain?"}};
    const chat_message time{{.role = "user", .content = "Time?"}};
    EXPECT_EQ(s.continuation(render_with_tools({system, rain}, tools)), "Yes. Take a coat.");
    EXPECT_EQ(s.continuation(render_with_tools({time}, tools)), "Noon.");
}

TEST(model_script, continues_inside_a_reply) {
    const model_script s({weather}, {});
    EXPECT_EQ(s.continuation(first_prompt() + "Yes. Ta"), "ke a coat.");
    EXPECT_EQ(s.continuation(first_prompt() + "Yes. Take a coat."), "");
}

TEST(model_script, tells_dialogues_with_the_same_prompt_apart_by_what_was_said) {
    dialogue other = weather;
    other.messages[2].content = "No, sunshine.";
    const model_script s({weather, other}, {});
    EXPECT_EQ(s.continuation(first_prompt()), "Yes. Take a coat.");
    EXPECT_EQ(s.continuation(first_prompt() + "No,"), " sunshine.");
}

TEST(model_script, matches_the_longest_suffix_of_a_prompt) {
    const model_script s({}, {{"you?", "Fine."}, {"How are you?", "Well, thanks."}});
    EXPECT_EQ(s.continuation("Hello. How are you?"), "Well, thanks.");
    EXPECT_EQ(s.continuation("And you?Fi"), "ne.");
}

TEST(model_script, continues_inside_a_reply_that_contains_its_own_suffix) {
    const model_script s({}, {{"Q:", "one Q: two"}});
    EXPECT_EQ(s.continuation("Q:one Q:"), " two");
}

TEST(model_script, answers_any_prompt_with_an_empty_suffix) {
    const model_script s({}, {{"", "Always."}});
    EXPECT_EQ(s.continuation("Whatever"), "Always.");
    EXPECT_EQ(s.continuation("WhateverAlw"), "ays.");
}

TEST(model_script, has_a_stable_reply_of_several_sentences_for_any_prompt) {
    const model_script s({}, {});
    const std::string reply = s.continuation("Tell me something");
    EXPECT_EQ(reply, s.continuation("Tell me something"));
    EXPECT_NE(reply, s.continuation("Tell me something else"));
    EXPECT_GE(std::count(reply.begin(), reply.end(), '.'), 3);
}

TEST(model_script, continues_its_fall_back_reply_after_every_token) {
    const model_script s({}, {});
    const std::string prompts[] = {"Tell me a story.", "", first_prompt(),
                                   first_prompt() + "A prefilled beginning",
                                   "Let me tell you about the moon. And L"};
    for (const std::string& prompt : prompts) {
        const std::string reply = s.continuation(prompt);
        std::string said;
        for (token_id id : tokenize(reply, false)) {
            said += get_token_bytes(id);
            EXPECT_EQ(said + s.continuation(prompt + said), reply);
        }
    }
}

TEST(model_script, does_not_take_an_earlier_turn_for_the_present_one) {
    const model_script s({}, {});
    const std::string first = render_prompt({{"user", "A"}});
    const std::string second =
        first + s.continuation(first) + "<|im_end|>\n" + render_prompt({{"user", "B"}});
    EXPECT_EQ(s.continuation(second), make_fallback_reply(second));
}

TEST(dialogue_file, reads_json_lines) {
    const std::string path = testing::TempDir() + "dialogues.jsonl";
    std::ofstream(path) << R"({"id":"a","messages":[{"role":"user","content":"Hi"}]})"
                        << "\n\n";
    const auto dialogues = load_dialogues(path);
    ASSERT_EQ(dialogues.size(), 1u);
    EXPECT_EQ(dialogues[0].id, "a");
    EXPECT_EQ(dialogues[0].messages[0].content, "Hi");
    std::remove(path.c_str());
}

TEST(dialogue_file, names_the_line_that_is_wrong) {
    const std::string path = testing::TempDir() + "broken.jsonl";
    std::ofstream(path) << "{\"id\":\"a\",\"messages\":[]}\n{\"id\":\"b\"}\n";
    try {
        load_dialogues(path);
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("broken.jsonl:2:"), std::string::npos) << e.what();
    }
    std::remove(path.c_str());
}

TEST(chat_template, leaves_a_last_assistant_message_open) {
    EXPECT_EQ(render_prompt({{"user", "Hi"}, {"assistant", "Sure, I"}}),
              "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nSure, I");
}

TEST(chat_template, has_no_header_for_an_empty_assistant_message_at_the_end) {
    EXPECT_EQ(render_prompt({{"user", "Hi"}, {"assistant", ""}}),
              "<|im_start|>user\nHi<|im_end|>\n");
}

}  // namespace
}  // namespace tandem::mock
