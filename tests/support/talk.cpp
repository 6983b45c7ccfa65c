#include "support/talk.hpp"

#include "support/http_probe.hpp"
#include "tandem_mock/dialogue.hpp"
#include "wire/calls/completion_request.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace tandem::testing {
namespace {

std::vector<talk_turn> read_turns() {
    std::vector<talk_turn> turns;
    for (const auto& d : mock::load_dialogues(talk_file)) {
        std::vector<mock::message> before;
        int number = 0;
        for (const auto& m : d.messages) {
            if (m.role == "assistant") {
                const auto suffix = ++number > 1 ? "/" + std::to_string(number) : "";
                turns.push_back({d.id + suffix, mock::render_prompt(before), m.content});
            }
            before.push_back(m);
        }
    }
    return turns;
}

}  // namespace

const std::vector<talk_turn>& talk_turns() {
    static const auto turns = read_turns();
    return turns;
}

const talk_turn& talk_turn_of(const std::string& dialogue) {
    for (const auto& t : talk_turns())
        if (t.name == dialogue) return t;
    throw std::invalid_argument("no dialogue " + dialogue);
}

std::string uncut_text(const std::string& url, const std::string& prompt,
                       const generation_options& options) {
    http_probe probe(url);
    const std::array parts{wire::prompt_part(std::string_view(prompt))};
    const auto settings = wire::encode_completion_settings(options);
    const int most = options.max_tokens > 0 ? options.max_tokens : -1;
    const auto answer = probe.complete(json::parse(
        wire::encode_completion_body({.prompt = parts, .n_predict = most, .settings = settings})));
    EXPECT_FALSE(answer->error()) << answer->error().message();
    EXPECT_TRUE(!answer->events().empty() && answer->final_event().value("stop", false))
        << "no final event";
    return answer->text();
}

}  // namespace tandem::testing
