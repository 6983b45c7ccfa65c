#include "contract/contract_fixture.hpp"
#include "wire/calls/server_messages.hpp"

#include <string_view>

// Prompts of ids followed by text, as for the next turn of a conversation with known ids.
namespace tandem::testing {
namespace {

using ids = std::vector<wire::token_id>;

ids operator+(ids a, const ids& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

class mixed_prompt : public contract {
 protected:
    ids tokens(const std::string& body) {
        const auto a = probe().post_text("/tokenize", body);
        ids found;
        diagnostics diag;
        EXPECT_FALSE(wire::decode_tokens({a->status(), a->body()}, found, diag))
            << diag.to_string();
        return found;
    }
    ids tokens_of_start() { return tokens(wire::tokenize_body(start())); }
    ids tokens_of_tail() { return tokens(wire::tokenize_continuation_body(tail())); }

    // The first turn with its reply, and the text that the template adds for the second turn.
    static std::string start() { return whole().substr(0, end_of_reply()); }
    static std::string tail() { return whole().substr(end_of_reply()); }
    static const std::string& whole() { return talk_turn_of("timer/2").prompt; }

    static json mixed(const ids& before, const std::string& text) {
        json prompt = before;
        prompt.push_back(text);
        return prompt;
    }
    std::unique_ptr<running_answer> run(const json& prompt, int slot = 0) {
        auto request = request_for(talk_turn_of("timer/2"), slot);
        request["prompt"] = prompt;
        return probe().complete(request);
    }
    // Makes the slot hold these ids.
    void fill(const ids& prompt) {
        auto request = request_for(talk_turn_of("timer/2"));
        request["prompt"] = prompt;
        request["n_predict"] = 1;
        probe().complete(request);
    }

    struct counts {
        int prompt, cached, evaluated;
        bool operator==(const counts&) const = default;
    };
    static counts counts_of(const running_answer& a) {
        const auto& e = a.final_event();
        return {e.at("tokens_evaluated"), e.at("timings").at("cache_n"),
                e.at("timings").at("prompt_n")};
    }

 private:
    static std::size_t end_of_reply() {
        return whole().find("<|im_end|>", whole().find("<|im_start|>assistant"));
    }
};
TANDEM_CONTRACT(mixed_prompt);

/// Uses a model that requires BOS at the start of a prompt.
class mixed_prompt_with_bos : public mixed_prompt {
 protected:
    mixed_prompt_with_bos() {
        arguments_ = {"--override-kv", "tokenizer.ggml.add_bos_token=bool:true"};
        mock_options_.add_bos = true;
    }
};
TANDEM_CONTRACT(mixed_prompt_with_bos);

constexpr int size_of(const ids& list) {
    return static_cast<int>(list.size());
}

TEST_P(mixed_prompt, is_as_long_as_ids_and_tail) {
    const auto before = tokens_of_start(), after = tokens_of_tail();
    EXPECT_EQ(counts_of(*run(mixed(before, tail()))).prompt, size_of(before) + size_of(after));
}

TEST_P(mixed_prompt, has_the_ids_of_the_whole_text) {
    EXPECT_EQ(tokens_of_start() + tokens_of_tail(), tokens(wire::tokenize_body(whole())));
}

TEST_P(mixed_prompt, reuses_all_ids_and_evaluates_the_tail) {
    const auto before = tokens_of_start();
    const int after = size_of(tokens_of_tail());
    fill(before);
    EXPECT_EQ(counts_of(*run(mixed(before, tail()))),
              (counts{size_of(before) + after, size_of(before), after}));
}

TEST_P(mixed_prompt, leaves_the_slot_with_the_ids_it_stands_for) {
    const auto all = tokens_of_start() + tokens_of_tail();
    run(mixed(tokens_of_start(), tail()));
    EXPECT_EQ(counts_of(*run(all)), (counts{size_of(all), size_of(all) - 1, 1}));
}

TEST_P(mixed_prompt, is_answered_as_its_ids_are) {
    const auto as_ids = run(tokens_of_start() + tokens_of_tail(), 1);
    const auto as_mix = run(mixed(tokens_of_start(), tail()), 0);
    EXPECT_EQ(as_mix->text(), as_ids->text());
    EXPECT_EQ(as_mix->text(), talk_turn_of("timer/2").reply);
}

TEST_P(mixed_prompt, may_have_a_tail_without_special_tokens_or_an_empty_one) {
    const auto before = tokens_of_start();
    for (const std::string text : {" And then?", "\n", "x", ""}) {
        const auto after = tokens(wire::tokenize_continuation_body(text));
        EXPECT_EQ(counts_of(*run(mixed(before, text))).prompt, size_of(before + after)) << text;
    }
}

TEST_P(mixed_prompt_with_bos, has_it_before_the_ids_alone) {
    const auto before = tokens_of_start(), after = tokens_of_tail();
    const auto bos = tokens(wire::tokenize_body("x")).at(0);
    ASSERT_NE(bos, tokens(wire::tokenize_continuation_body("x")).at(0)) << "no BOS is added";
    EXPECT_EQ(before.at(0), bos);
    EXPECT_EQ(before + after, tokens(wire::tokenize_body(whole())));
    run(mixed(before, tail()));
    EXPECT_EQ(counts_of(*run(before + after)),
              (counts{size_of(before + after), size_of(before + after) - 1, 1}));
}

TEST_P(mixed_prompt_with_bos, has_none_added_to_a_tail) {
    const auto before = tokens_of_start();
    fill(before);
    const int after = size_of(tokens_of_tail());
    EXPECT_EQ(counts_of(*run(mixed(before, tail()))),
              (counts{size_of(before) + after, size_of(before), after}));
}

}  // namespace
}  // namespace tandem::testing
