#include "contract/contract_fixture.hpp"
#include "tandem_mock/dialogue.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/service.hpp"

#include <fstream>

// Conversations in which the talk model calls functions by itself.
namespace tandem::testing {
namespace {

constexpr const char* calls_file = TANDEM_SOURCE_DIR "/tests/model/calls.jsonl";
constexpr const char* functions_file = TANDEM_SOURCE_DIR "/tests/model/functions.json";
constexpr std::string_view call_opening = "<tool_call>\n";
constexpr std::string_view call_end = "\n</tool_call>";

/// The functions of the dialogues, without the commands that only `tandem chat` reads.
std::string declared_tools() {
    std::ifstream file(functions_file);
    auto tools = json::parse(file);
    for (auto& tool : tools) tool.erase("command");
    return tools.dump();
}

std::string words_before_calls(const std::string& text) {
    const auto words = text.substr(0, text.find(call_opening));
    return words.substr(0, words.find_last_not_of('\n') + 1);
}

/// What the voice says: the chunks' speech, with spaces in between.
std::string speech_of(const consumer& reply) {
    std::string all;
    for (const auto& c : reply.chunks())
        if (!c.speech.empty()) all += (all.empty() ? "" : " ") + c.speech;
    return all;
}

/// The calls in an assistant's text, as words_of() writes them.
std::string calls_in(const std::string& text) {
    std::string calls;
    for (auto at = text.find(call_opening); at != std::string::npos;
         at = text.find(call_opening, at)) {
        at += call_opening.size();
        const auto call = json::parse(text.substr(at, text.find(call_end, at) - at));
        calls += "[" + call.at("name").get<std::string>() + " " + call.at("arguments").dump() + "]";
    }
    return calls;
}

std::string words_of(const std::vector<tool_call>& calls) {
    std::string words;
    for (const auto& call : calls)
        words += "[" + call.name + " " + json::parse(call.arguments).dump() + "]";
    return words;
}

class calling_model : public contract {
 protected:
    calling_model() {
        arguments_ = {"--jinja"};
        mock_options_.tool_template = true;
        mock_options_.dialogues = mock::load_dialogues(calls_file);
    }

    service_config paced(pacing mode) {
        service_config c;
        c.servers = {url()};
        c.client = client_config();
        c.client.pacing.mode = mode;
        return c;
    }

    /// Speaks a dialogue: the question, the calls, and the answer to their results.
    void speak(conversation& talk, std::vector<mock::message> left) {
        const generation_options with_tools{.tools = declared_tools()};
        talk.append({.role = "user", .content = left[0].content});
        consumer calling(talk.generate(with_tools));
        ASSERT_TRUE(loop().run_to_end(calling));
        ASSERT_EQ(calling.result().finish_reason, finish_reason::tool_calls)
            << calling.result().diagnostics.to_string() << calling.text();
        EXPECT_EQ(speech_of(calling), words_before_calls(left[1].content));
        const auto calls = calling.result().calls;
        ASSERT_EQ(words_of(calls), calls_in(left[1].content));
        for (std::size_t i = 0; i < calls.size(); ++i)
            talk.answer_call(calls[i].id, left.at(2 + i).content);
        consumer answer(talk.generate(with_tools));
        ASSERT_TRUE(loop().run_to_end(answer));
        EXPECT_EQ(answer.text(), left.back().content);
    }
};
TANDEM_CONTRACT(calling_model);

TEST_P(calling_model, calls_are_not_spoken_and_their_results_are_answered_in_every_mode) {
    for (const auto mode : {pacing::strict, pacing::warm, pacing::ahead, pacing::stream}) {
        service bots(loop().ioc.get_executor(), paced(mode), kept_log());
        for (auto& d : mock::load_dialogues(calls_file)) {
            SCOPED_TRACE(d.id + " in mode " + std::string(to_string(mode)));
            conversation_options options;
            if (d.messages[0].role == "system") {
                options.messages.push_back({.role = "system", .content = d.messages[0].content});
                d.messages.erase(d.messages.begin());
            }
            auto talk = bots.create(options);
            speak(talk, d.messages);
        }
    }
}

}  // namespace
}  // namespace tandem::testing
