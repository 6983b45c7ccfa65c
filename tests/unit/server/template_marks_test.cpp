#include "server/template_marks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tandem::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const std::array<template_probe, 3> probes = make_template_probes();
const std::string question = probes[0].messages.at(0).content;
const std::string words = probes[0].messages.at(1).content;
const std::string name = probes[0].messages.at(1).tool_calls.at(0).name;
const std::string result = probes[0].messages.at(2).content;
const std::string last_question = probes[2].messages.at(2).content;

/// How a template renders messages, in a shortened form.
struct template_text {
    const char* model;
    /// The text from the question to the reply, where the model begins to generate.
    std::string header;
    /// From the words of a reply to the name of the function, or nullopt if the template drops
    /// words before calls.
    std::optional<std::string> after_words;
    /// From the header to the name of the function in a reply without words.
    std::string alone;
    /// From the name to the result of the call.
    std::string rest;
    /// From the words of a reply without calls to the next question.
    std::string end;
    std::string opening;
    /// The text between header and words in the history. A new reply begins without this text.
    std::string before_words = "";
    std::string history_header = header;
    /// Whether `before_words` also precedes the words of a reply without calls.
    bool marks_words = false;
};

std::ostream& operator<<(std::ostream& out, const template_text& t) {
    return out << t.model;
}

template_marks marks_in(const rendered_probes& prompts) {
    return find_tool_call_mark(prompts, default_reasoning_tags());
}

rendered_probes render(const template_text& t) {
    const auto begin = "<bos>" + question + t.history_header;
    const auto alone = begin + t.alone + name + t.rest + result;
    const auto after_words =
        begin + t.before_words + words + t.after_words.value_or("") + name + t.rest + result;
    return {.call_after_text = t.after_words ? after_words : alone,
            .call_without_text = alone,
            .without_call = begin + (t.marks_words ? t.before_words : "") + words + t.end +
                            last_question + t.header};
}

const std::string im_header = "<|im_end|>\n<|im_start|>assistant\n";
const std::string im_end = "<|im_end|>\n<|im_start|>user\n";
const std::string json_call = R"({"name": ")";
const std::string json_rest = R"(", "arguments": {"key": "value"}})";
const std::string llama_header = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n";
const std::string llama_end = "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n";
const std::string xml_rest =
    ">\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call><|im_end|>\n";
const std::string kimi_call = "<|tool_calls_section_begin|><|tool_call_begin|>functions.";
const std::string deep_seek_call = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>";
const std::string deep_seek_rest =
    R"(<｜tool▁sep｜>{"key": "value"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>)";
const std::string command_call =
    "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"";
const std::string command_rest =
    "\", \"parameters\": {}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>";

const std::vector<template_text> templates{
    {"Hermes", im_header, std::nullopt, "<tool_call>\n" + json_call,
     json_rest + "\n</tool_call><|im_end|>\n<|im_start|>tool\n", im_end, "<tool_call>"},
    {"Qwen 3", im_header, "\n<tool_call>\n" + json_call, "<tool_call>\n" + json_call,
     json_rest + "\n</tool_call><|im_end|>\n<|im_start|>user\n", im_end, "<tool_call>"},
    {"Qwen3-Coder", im_header, "\n\n<tool_call>\n<function=", "<tool_call>\n<function=", xml_rest,
     im_end, "<tool_call>"},
    {"Qwen 3.5", im_header + "<think>\n",
     "\n\n<tool_call>\n<function=", "<think>\n\n</think>\n\n<tool_call>\n<function=", xml_rest,
     im_end, "<tool_call>", "<think>\n\n</think>\n\n", im_header},
    {"Seed-OSS", "<seed:eos><seed:bos>assistant\n", "\n\n<seed:tool_call>\n<function=",
     "<seed:tool_call>\n<function=", ">\n</function>\n</seed:tool_call><seed:eos><seed:bos>tool\n",
     "<seed:eos><seed:bos>user\n", "<seed:tool_call>"},
    {"Mistral Nemo", "[/INST]", std::nullopt, "[TOOL_CALLS][" + json_call,
     json_rest + "]</s>[TOOL_RESULTS]", "</s>[INST]", "[TOOL_CALLS]"},
    {"Mistral Small", "[/INST]", "[TOOL_CALLS]", "[TOOL_CALLS]",
     "[CALL_ID]123456789[ARGS]{}</s>[TOOL_RESULTS]", "</s>[INST]", "[TOOL_CALLS]"},
    {"Llama 3", llama_header, std::nullopt, json_call, R"(", "parameters": {}}<|eot_id|>)",
     llama_end, R"({"name":)"},
    {"DeepSeek V3.1", "<｜Assistant｜><think>", deep_seek_call, "</think>" + deep_seek_call,
     deep_seek_rest, "<｜end▁of▁sentence｜><｜User｜>", "<｜tool▁calls▁begin｜>", "</think>",
     "<｜Assistant｜>"},
    {"DeepSeek R1", "<｜Assistant｜><think>\n", std::nullopt,
     deep_seek_call + "function<｜tool▁sep｜>", deep_seek_rest, "<｜end▁of▁sentence｜><｜User｜>",
     "<｜tool▁calls▁begin｜>", "", "<｜Assistant｜>"},
    {"DeepSeek V3.2", "<｜Assistant｜><think>",
     "\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"",
     "</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"",
     "\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls><｜end▁of▁sentence｜>",
     "<｜end▁of▁sentence｜><｜User｜>", "<｜DSML｜function_calls>", "</think>", "<｜Assistant｜>"},
    {"Kimi K2", "<|im_end|><|im_assistant|>assistant<|im_middle|>", kimi_call, kimi_call,
     ":0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|><|im_end|>",
     "<|im_end|><|im_user|>user<|im_middle|>", "<|tool_calls_section_begin|>"},
    {"GLM 4.6", "<|assistant|>", "\n<tool_call>", "\n<think></think>\n<tool_call>",
     "\n<arg_key>key</arg_key>\n<arg_value>value</arg_value>\n</tool_call><|observation|>\n",
     "<|user|>\n", "<tool_call>", "\n<think></think>\n"},
    {"Gemma 4", "<turn|>\n<|turn>model\n", std::nullopt,
     "<|tool_call>call:", R"({key:<|"|>value<|"|>}<tool_call|><|tool_response>response:)",
     "<turn|>\n<|turn>user\n", "<|tool_call>"},
    {"LFM2 that shows calls", im_header, "<|tool_call_start|>[", "<|tool_call_start|>[",
     "(key=\"value\")]<|tool_call_end|><|im_end|>\n<|im_start|>tool\n", im_end,
     "<|tool_call_start|>"},
    {"MiniMax M2", "[e~[\n]~b]ai\n<think>\n", "\n\n<minimax:tool_call>\n<invoke name=\"",
     "\n<minimax:tool_call>\n<invoke name=\"",
     "\">\n</invoke>\n</minimax:tool_call>[e~[\n]~b]tool\n", "[e~[\n]~b]user\n",
     "<minimax:tool_call>", "", "[e~[\n]~b]ai\n"},
    {"Command R7B", "<|CHATBOT_TOKEN|>", std::nullopt,
     "<|START_THINKING|><|END_THINKING|>" + command_call, command_rest,
     "<|END_RESPONSE|><|END_OF_TURN_TOKEN|>", "<|START_ACTION|>"},
    {"Command A", "<|CHATBOT_TOKEN|><|START_THINKING|>", std::nullopt, command_call, command_rest,
     "<|END_TEXT|><|END_OF_TURN_TOKEN|>", "<|START_ACTION|>", "<|START_TEXT|>",
     "<|CHATBOT_TOKEN|>"},
    {"Command R+", "<|CHATBOT_TOKEN|>Write 'Action:' and a list.<|CHATBOT_TOKEN|>",
     "\nAction:\n```json\n[{\"tool_name\": \"", "\nAction:\n```json\n[{\"tool_name\": \"",
     "\"}]```\n<|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "Action:", "", "<|CHATBOT_TOKEN|>"},
    {"functionary 3.1", llama_header, "<function=", "<function=", ">{}</function><|eom_id|>",
     llama_end, "<function="},
    {"firefunction", llama_header, " functools[" + json_call, " functools[" + json_call,
     json_rest + "]<|eot_id|>", llama_end, R"(functools[{"name":)"},
    {"gpt-oss", "<|end|><|start|>assistant", "<|end|><|start|>assistant to=functions.",
     " to=functions.", "<|channel|>commentary json<|message|>{}<|call|><|start|>",
     "<|end|><|start|>user<|message|>", "to=functions.", "<|channel|>analysis<|message|>"},
    {"MiniMax M3", "[e~[\n]~b]ai\n", "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"",
     "</mm:think>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"",
     "\">]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>[e~[\n]~b]tool\n", "[e~[\n]~b]user\n",
     "]<]minimax[>[", "</mm:think>"},
    {"GigaChat 3", "<|message_sep|>\n\nassistant<|role_sep|>\n",
     "<|message_sep|>\n\nfunction call<|role_sep|>\n" + json_call,
     "<|message_sep|>\n\nfunction call<|role_sep|>\n" + json_call, json_rest + "<|message_sep|>",
     "<|message_sep|>\n\nuser<|role_sep|>\n", "<|message_sep|>\n\nfunction call<|role_sep|>"},
    {"Apertus", "<|user_end|><|assistant_start|>", "<|tools_prefix|>[{\"", "<|tools_prefix|>[{\"",
     "\": {}}]<|tools_suffix|>[", "<|assistant_end|><|user_start|>", "<|tools_prefix|>"},
};

class call_mark_of : public ::testing::TestWithParam<template_text> {};
INSTANTIATE_TEST_SUITE_P(templates, call_mark_of, ::testing::ValuesIn(templates));

TEST_P(call_mark_of, a_template_is_what_begins_a_call) {
    EXPECT_EQ(marks_in(render(GetParam())).opening, GetParam().opening);
}

TEST_P(call_mark_of, a_template_has_no_token_that_ends_a_message) {
    for (const auto* end : {"<|im_end|>", "</s>", "<|eot_id|>", "<|eom_id|>", "<|call|>", "<|end|>",
                            "<｜end▁of▁sentence｜>", "<|observation|>", "<|END_OF_TURN_TOKEN|>",
                            "<turn|>", "<|tool_response>", "<seed:eos>"})
        EXPECT_THAT(marks_in(render(GetParam())).preserved, Not(Contains(end)));
}

const template_text& template_of(std::string_view model) {
    return *std::find_if(templates.begin(), templates.end(),
                         [&](const auto& t) { return t.model == model; });
}

std::vector<std::string> preserved_with(const std::string& model) {
    return marks_in(render(template_of(model))).preserved;
}

TEST(call_mark, has_the_tokens_of_a_whole_call) {
    EXPECT_THAT(preserved_with("Gemma 4"), ElementsAre("<|tool_call>", "<|\"|>", "<tool_call|>"));
    EXPECT_THAT(preserved_with("Mistral Small"),
                ElementsAre("[TOOL_CALLS]", "[CALL_ID]", "[ARGS]", "[TOOL_RESULTS]"));
    EXPECT_THAT(preserved_with("GLM 4.6"),
                ElementsAre("<tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
                            "</tool_call>"));
    EXPECT_THAT(preserved_with("gpt-oss"), ElementsAre("<|channel|>", "<|message|>"));
    EXPECT_THAT(preserved_with("MiniMax M3"), Contains("]<]minimax[>["));
    EXPECT_THAT(preserved_with("GigaChat 3"), ElementsAre("<|message_sep|>", "<|role_sep|>"));
    EXPECT_THAT(preserved_with("Llama 3"), IsEmpty());
}

TEST(call_mark, has_a_bounded_number_of_tokens_of_bounded_size) {
    auto many = template_of("Hermes");
    for (int i = 0; i < 100; ++i) many.rest += "<t" + std::to_string(i) + ">";
    many.rest.insert(0, "<" + std::string(max_preserved_bytes, 'x') + ">");
    const auto marks = marks_in(render(many));
    EXPECT_EQ(marks.preserved.size(), max_preserved_tokens);
    for (const auto& token : marks.preserved) EXPECT_LE(token.size(), max_preserved_bytes);
}

TEST(call_mark, is_found_if_only_one_of_two_renderings_has_the_call) {
    const auto whole = render(template_of("Qwen 3"));
    for (const auto& alone : {std::string(), "<bos>" + question + im_header + im_end + result})
        EXPECT_EQ(marks_in({whole.call_after_text, alone, whole.without_call}).opening,
                  "<tool_call>");
    EXPECT_EQ(marks_in({{}, whole.call_without_text, whole.without_call}).opening, "<tool_call>");
}

TEST(call_mark, is_followed_by_a_call_or_is_prose) {
    const template_marks json{.opening = "<tool_call>", .lead = "<tool_call>\n{\"name\": \""};
    EXPECT_TRUE(resembles_tool_call(json, "<tool_call>\n{\"nam"));
    EXPECT_TRUE(resembles_tool_call(json, "<tool_call> {now}"));
    EXPECT_FALSE(resembles_tool_call(json, "<tool_call> begins a call."));
    EXPECT_FALSE(resembles_tool_call(json, "<tool_call>"));
    EXPECT_TRUE(resembles_tool_call({.opening = "[CALL]", .lead = "[CALL]"}, "[CALL]now"));
    EXPECT_FALSE(resembles_tool_call({.opening = ">>>", .lead = ">>>"}, ">>> is the prompt"));
}

TEST(call_mark, has_the_text_that_leads_from_it_to_the_name_of_a_function) {
    for (const auto* name : {"Qwen 3", "Mistral Nemo", "gpt-oss"}) {
        const auto marks = marks_in(render(template_of(name)));
        EXPECT_TRUE(marks.lead.starts_with(marks.opening)) << name;
        EXPECT_TRUE(template_of(name).alone.ends_with(marks.lead)) << name;
    }
}

// The template renders the words as a message after the call.
TEST(call_mark, is_not_sought_after_words_that_follow_the_call) {
    auto prompts = render(template_of("Gemma 4"));
    prompts.call_after_text += words + "<turn|>\n" + name;
    EXPECT_EQ(marks_in(prompts).opening, "<|tool_call>");
}

TEST(call_mark, is_not_sought_in_the_text_that_introduces_the_tools) {
    auto prompts = render(template_of("Qwen 3"));
    prompts.call_after_text.insert(0, "<tools>" + name + "</tools> Write <call>" + name);
    EXPECT_EQ(marks_in(prompts).opening, "<tool_call>");
}

TEST(call_mark, is_empty_if_nothing_shows_a_call) {
    const auto without = "<bos>" + question + im_header + words + im_end + result;
    EXPECT_EQ(marks_in({without, without, without}), template_marks());
    EXPECT_EQ(marks_in({}), template_marks());
}

template_text with_marks(template_text t) {
    t.marks_words = true;
    return t;
}

// Templates that mark the words of each reply.
const auto functionary = with_marks({"functionary 3.2", llama_header + ">>>", ">>>", "",
                                     "\n{}<|eot_id|>", llama_end, ">>>", "all\n"});
const auto muse = with_marks({"muse", "<|eot|><|start|>assistant", std::nullopt,
                              " to=", "<|message|><call><|eot|>", "<|eot|><|start|>user<|message|>",
                              "<|start|>assistant to=", " to=user<|message|>"});
const std::string kimi_end = "<|close|>message<|sep|><|end_of_msg|><|open|>message role=";
const std::string kimi_header = kimi_end + "\"assistant\"<|sep|><|open|>think<|sep|>";
const std::string kimi_words = "<|close|>think<|sep|><|open|>response<|sep|>";
const std::string kimi_tools = "<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool=\"";
const auto kimi = with_marks({"Kimi K3", kimi_header, kimi_tools, kimi_words + kimi_tools,
                              "\" index=\"1\"<|sep|><|close|>tools<|sep|>" + kimi_end,
                              "<|close|>response<|sep|>" + kimi_end + "\"user\"<|sep|>",
                              "<|open|>tools<|sep|><|open|>", kimi_words});

TEST(word_marks, are_what_the_template_writes_around_the_words_of_a_reply) {
    const auto words_of = [](const template_text& t) { return marks_in(render(t)).words; };
    EXPECT_EQ(words_of(functionary), (text::reply_delimiters{.opening = ">>>all\n"}));
    EXPECT_EQ(words_of(kimi), (text::reply_delimiters{.opening = "<|open|>response<|sep|>",
                                                      .closing = "<|close|>response<|sep|>"}));
    EXPECT_EQ(words_of(with_marks({"plain tags", im_header, "", "<call>", "", "</answer>" + im_end,
                                   "", "<answer>"})),
              (text::reply_delimiters{.opening = "<answer>", .closing = "</answer>"}));
}

// In Muse, the marks before words and before thoughts differ only in the recipient.
TEST(word_marks, of_muse_end_where_it_thinks) {
    EXPECT_EQ(marks_in(render(muse)).words,
              (text::reply_delimiters{.opening = "<|start|>assistant to=user<|message|>",
                                      .closing = "<|start|>assistant to=self<|message|>"}));
}

TEST(word_marks, are_found_in_the_prompt_without_a_call_alone) {
    const auto prompts = render(kimi);
    const auto marks = find_word_marks(prompts.without_call, default_reasoning_tags());
    EXPECT_EQ(marks.words, marks_in(prompts).words);
    EXPECT_EQ(marks.opening, "");
    EXPECT_THAT(marks.preserved, ElementsAre("<|open|>", "<|sep|>", "<|close|>"));
}

TEST(word_marks, are_neither_reasoning_nor_control_tokens_which_the_server_hides) {
    for (const auto& t : templates) {
        EXPECT_EQ(marks_in(render(t)).words, text::reply_delimiters()) << t;
        EXPECT_EQ(marks_in(render(with_marks(t))).words, text::reply_delimiters()) << t;
    }
    EXPECT_EQ(find_word_marks("", {}), template_marks());
}

// Text that a template writes only after the first or only after the last question is not a mark.
TEST(word_marks, are_not_in_a_text_after_the_first_or_the_last_question_only) {
    auto suffixed = template_of("Qwen 3");
    for (const auto* suffix : {" /no_think", "\n\nBe brief."}) {
        suffixed.header = suffix + im_header;
        suffixed.history_header = im_header;
        EXPECT_EQ(find_word_marks(render(suffixed).without_call, {}), template_marks()) << suffix;
        std::swap(suffixed.header, suffixed.history_header);
        EXPECT_EQ(find_word_marks(render(suffixed).without_call, {}), template_marks()) << suffix;
    }
}

TEST(word_marks, are_no_text_that_models_write_in_prose) {
    for (const auto* text : {"Answer: ", "\"", ": ", "**"}) {
        const auto t = with_marks({"prose", im_header, "", "<call>", "", "." + im_end, "", text});
        EXPECT_EQ(find_word_marks(render(t).without_call, {}), template_marks()) << text;
    }
    const auto t = with_marks({"dot", im_header, "", "", "", "." + im_end, "", "<answer>"});
    EXPECT_EQ(find_word_marks(render(t).without_call, {}).words,
              (text::reply_delimiters{.opening = "<answer>"}));
}

TEST(word_marks, end_before_the_end_of_the_message) {
    for (const auto& [space, end, end_token] :
         {std::tuple{"\n", "\n<|im_end|>\n<|im_start|>user\n", ""},
          std::tuple{"\n", "<|im_end|>\n<|im_start|>user\n", "<|im_end|>"},
          std::tuple{"", "</s><|im_end|>\n", "</s>"}}) {
        const auto t = with_marks(
            {"end", space + im_header, "", "", "", std::string("</answer>") + end, "", "<answer>"});
        const auto marks = find_word_marks(render(t).without_call, {}, end_token);
        EXPECT_EQ(marks.words.closing, "</answer>") << end;
        EXPECT_THAT(marks.preserved, ElementsAre("<answer>", "</answer>")) << end;
    }
}

TEST(word_marks, are_found_where_no_call_is_shown) {
    const auto t =
        with_marks({"plain", im_header, "", "", "", "</answer>" + im_end, "", "<answer>"});
    const auto prompt = render(t).without_call;
    for (const auto* hint : {"", "List of tools: []"}) {
        const auto marks = marks_in({hint + prompt, hint + prompt, hint + prompt});
        EXPECT_EQ(marks.words,
                  (text::reply_delimiters{.opening = "<answer>", .closing = "</answer>"}));
        EXPECT_EQ(marks.opening.empty(), *hint == '\0');
    }
}

TEST(word_marks, are_distinct_from_the_mark_of_a_call) {
    for (const auto& t : {functionary, muse, kimi})
        EXPECT_EQ(marks_in(render(t)).opening, t.opening) << t;
    EXPECT_THAT(marks_in(render(muse)).preserved, Contains("<|start|>"));
    EXPECT_THAT(marks_in(render(kimi)).preserved, Not(Contains("<|end_of_msg|>")));
}

struct hinted_mark {
    const char* hint;
    const char* opening;
};

class hinted : public ::testing::TestWithParam<hinted_mark> {};
INSTANTIATE_TEST_SUITE_P(
    prompts, hinted,
    ::testing::Values(hinted_mark{"<|tool_list_start|>[]<|tool_list_end|>", "<|tool_call_start|>"},
                      hinted_mark{"List of tools: []", "<|tool_call_start|>"},
                      hinted_mark{"respond only with <|tool_call|> followed by", "<|tool_call|>"}));

TEST_P(hinted, mark_is_known_although_no_call_is_shown) {
    const auto prompt = GetParam().hint + question + im_header + words + im_end + result;
    const auto marks = marks_in({prompt, prompt, prompt});
    EXPECT_EQ(marks.opening, GetParam().opening);
    EXPECT_TRUE(marks.lead.starts_with(marks.opening));
    EXPECT_THAT(marks.preserved, Contains(marks.opening));
}

TEST(call_mark, is_empty_if_a_call_is_a_name_alone) {
    EXPECT_EQ(marks_in(render({"bare", im_header, "", "", "()", im_end, ""})), template_marks());
    EXPECT_EQ(marks_in(render({"spaced", im_header, " ", " ", "()", im_end, ""})),
              template_marks());
    EXPECT_EQ(marks_in(render({"lined", im_header, "\n\n", "\n\n", "()", im_end, ""})),
              template_marks());
}

TEST(call_mark, is_empty_if_its_first_word_is_endless) {
    const std::string word(max_preserved_bytes + 1, '~');
    EXPECT_EQ(marks_in(render({"word", im_header, word, word, "()", im_end, ""})),
              template_marks());
}

TEST(call_probes, are_conversations_that_strict_templates_accept) {
    for (const auto& probe : probes) {
        EXPECT_EQ(probe.messages.front().role, "user");
        EXPECT_NE(probe.messages.back().role, "assistant");
        EXPECT_TRUE(probe.tools.empty() || nlohmann::json::accept(probe.tools));
    }
    EXPECT_EQ(probes[0].messages[1].tool_calls[0].id.size(), 9u) << "Mistral requires nine letters";
    EXPECT_EQ(probes[1].messages[1].content, "");
}

}  // namespace
}  // namespace tandem::server
