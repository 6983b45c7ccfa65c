#include "contract/contract_fixture.hpp"

#include <map>

// The client with both servers.
namespace tandem::testing {
namespace {

// A few whole characters from the middle of a reply.
std::string stop_word_in(const std::string& reply) {
    const auto begins = [&](std::size_t at) {
        return at >= reply.size() || (static_cast<unsigned char>(reply[at]) & 0xC0) != 0x80;
    };
    auto from = reply.size() / 2;
    while (!begins(from)) --from;
    auto until = from + 2;
    while (!begins(until)) ++until;
    return reply.substr(from, until - from);
}

class client_contract : public contract {
 protected:
    // Runs every dialogue in chunks, and compares each text with the text of one uncut request.
    void expect_whole_texts(const tandem::config& c) {
        client llm(loop().ioc.get_executor(), c, kept_log());
        int cuts = 0;
        for (const auto& turn : talk_turns()) {
            SCOPED_TRACE(turn.name);
            consumer said(llm.start(turn.prompt));
            ASSERT_TRUE(loop().run_to_end(said));
            EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
            EXPECT_EQ(said.result().finish_reason, finish_reason::eos);
            EXPECT_EQ(said.text(), uncut_of(turn));
            EXPECT_EQ(said.result().text, said.text());
            for (const auto& piece : said.chunks())
                EXPECT_TRUE(piece.metrics.slot == 0 || piece.metrics.slot == 1);
            cuts += said.result().metrics.cuts;
        }
        EXPECT_GT(cuts, 0);
    }

 private:
    const std::string& uncut_of(const talk_turn& turn) {
        auto& text = uncut_[turn.name];
        if (text.empty()) text = uncut_text(url(), turn.prompt);
        return text;
    }
    std::map<std::string, std::string> uncut_;
};
TANDEM_CONTRACT(client_contract);

class erasable_client_contract : public client_contract {
 protected:
    erasable_client_contract() {
        arguments_ = {"--slot-save-path", ::testing::TempDir()};
        mock_options_.slot_actions = true;
    }
};
TANDEM_CONTRACT(erasable_client_contract);

TEST_P(client_contract, uncut_texts_are_what_the_model_knows) {
    for (const auto& turn : talk_turns())
        EXPECT_EQ(uncut_text(url(), turn.prompt), turn.reply) << turn.name;
}

TEST_P(client_contract, chunks_joined_are_the_uncut_text) {
    expect_whole_texts(client_config());
}

// The client cuts inside words and characters.
TEST_P(client_contract, chunks_joined_are_the_uncut_text_with_one_token_each) {
    auto c = client_config();
    c.chunking.first_chunk_min_tokens = 0;
    c.chunking.first_chunk_max_tokens = c.chunking.chunk_max_tokens = 1;
    expect_whole_texts(c);
}

TEST_P(client_contract, chunks_joined_are_the_uncut_text_with_few_tokens_each) {
    auto c = client_config();
    c.chunking.first_chunk_min_tokens = 0;
    c.chunking.first_chunk_max_tokens = 3;
    c.chunking.chunk_max_tokens = 5;
    expect_whole_texts(c);
}

TEST_P(client_contract, chunks_joined_are_the_uncut_text_without_a_peek) {
    auto c = client_config();
    c.chunking.peek_hold = {};
    expect_whole_texts(c);
}

TEST_P(client_contract, replies_side_by_side_keep_their_texts_apart) {
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    std::vector<std::pair<const talk_turn*, consumer>> all;
    for (const auto& turn : talk_turns()) all.emplace_back(&turn, llm.start(turn.prompt));
    for (auto& [turn, said] : all) {
        ASSERT_TRUE(loop().run_to_end(said));
        EXPECT_EQ(said.text(), turn->reply) << turn->name;
    }
}

TEST_P(client_contract, max_tokens_bounds_the_reply_over_its_requests) {
    const auto& turn = talk_turn_of("soup-recipe");
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    consumer said(llm.start(turn.prompt, {.max_tokens = 50}));
    ASSERT_TRUE(loop().run_to_end(said));
    EXPECT_EQ(said.result().finish_reason, finish_reason::length);
    EXPECT_GT(said.result().metrics.cuts, 0);
    auto request = request_for(turn);
    request["n_predict"] = 50;
    EXPECT_EQ(said.text(), probe().complete(request)->text());
}

TEST_P(client_contract, a_stop_word_ends_the_reply_before_it) {
    const auto& turn = talk_turn_of("soup-recipe");
    const auto at = turn.reply.rfind(". ") + 2;
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    consumer said(llm.start(turn.prompt, {.stop = {turn.reply.substr(at, 8)}}));
    ASSERT_TRUE(loop().run_to_end(said));
    EXPECT_EQ(said.result().finish_reason, finish_reason::stop_word);
    EXPECT_EQ(said.text(), turn.reply.substr(0, at));
}

// Most of these stop words begin inside a token. The text of this token before the stop word
// arrives only together with the tokens of the stop word.
TEST_P(client_contract, a_stop_word_ends_the_reply_before_it_with_one_token_a_chunk) {
    auto c = client_config();
    c.chunking.first_chunk_min_tokens = 0;
    c.chunking.first_chunk_max_tokens = c.chunking.chunk_max_tokens = 1;
    client llm(loop().ioc.get_executor(), c, kept_log());
    for (const auto& turn : talk_turns()) {
        const auto word = stop_word_in(turn.reply);
        SCOPED_TRACE(turn.name + " until \"" + word + "\"");
        consumer said(llm.start(turn.prompt, {.stop = {word}}));
        ASSERT_TRUE(loop().run_to_end(said));
        EXPECT_EQ(said.result().finish_reason, finish_reason::stop_word);
        EXPECT_EQ(said.text(), turn.reply.substr(0, turn.reply.find(word)));
    }
}

TEST_P(client_contract, the_same_slot_evaluates_one_token_for_the_next_chunk) {
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    consumer said(llm.start(talk_turn_of("soup-recipe").prompt));
    ASSERT_TRUE(loop().run_to_end(said));
    ASSERT_GT(said.chunks().size(), 3u);
    for (std::size_t i = 1; i + 1 < said.chunks().size(); ++i) {
        EXPECT_TRUE(said.chunks()[i].metrics.slot_reused);
        EXPECT_EQ(said.chunks()[i].metrics.evaluated, 1) << "chunk " << i;
    }
}

TEST_P(client_contract, an_interrupt_frees_the_slot) {
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    consumer said(llm.start(talk_turn_of("walk").prompt),
                  [](consumer& c, const chunk&) { c.interrupt(); });
    ASSERT_TRUE(loop().run_to_end(said));
    EXPECT_EQ(said.result().finish_reason, finish_reason::interrupted);
    EXPECT_TRUE(probe().wait_until([this] { return slot_is_idle(0) && slot_is_idle(1); }));
}

TEST_P(client_contract, a_prompt_as_long_as_the_context_is_reported) {
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    std::string numbers;
    for (int i = 0; i < 3000; ++i) numbers += " 1234";
    consumer said(llm.start(numbers));
    ASSERT_TRUE(loop().run_to_end(said));
    EXPECT_EQ(said.error(), errc::prompt_too_long);
}

TEST_P(client_contract, calls_are_answered) {
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    const auto& turn = talk_turn_of("timer/2");
    const auto props = loop().call<server_props>([&](auto h) { llm.async_props(std::move(h)); });
    EXPECT_FALSE(props.first) << props.first.message();
    EXPECT_EQ(props.second.total_slots, 2);
    const auto slots =
        loop().call<std::vector<slot_state>>([&](auto h) { llm.async_slots(std::move(h)); });
    EXPECT_EQ(slots.second.size(), 2u);
    const auto health = loop().call([&](auto h) { llm.async_health(std::move(h)); });
    EXPECT_FALSE(health.first) << health.first.message();
    const auto ids = loop().call<std::vector<std::int32_t>>(
        [&](auto h) { llm.async_tokenize(turn.prompt, std::move(h)); });
    EXPECT_GT(ids.second.size(), 10u);
    std::vector<chat_message> messages(1, {"user", "Hi"});
    const auto prompt =
        loop().call<std::string>([&](auto h) { llm.async_apply_template(messages, std::move(h)); });
    EXPECT_EQ(prompt.second, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    const auto erased = loop().call([&](auto h) { llm.async_erase_slot(0, std::move(h)); });
    EXPECT_EQ(erased.first, errc::not_supported);
}

TEST_P(erasable_client_contract, chunks_joined_are_the_uncut_text) {
    auto c = client_config();
    c.server.erase_after_cut = true;
    expect_whole_texts(c);
}

}  // namespace
}  // namespace tandem::testing
