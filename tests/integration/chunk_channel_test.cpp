#include "integration/channel_fixture.hpp"

#include <atomic>
#include <latch>

// One or many channels from their start to their normal end. chunk_channel_end_test.cpp tests all
// other ends.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class channel : public channels_and_mock {};

TEST_F(channel, gives_the_whole_reply_and_one_terminal_item) {
    start_loop();
    const auto c = attached();
    const auto all = consume_all(*c);
    EXPECT_EQ(all.text, story);
    EXPECT_GT(all.items.size(), 8u);
    expect_end(all, finish_reason::eos);
    EXPECT_TRUE(c->is_finished());
    EXPECT_FALSE(c->is_cancelled());
    EXPECT_EQ(c->reason()->finish_reason, finish_reason::eos);
    ASSERT_TRUE(c->result());
    EXPECT_EQ(c->result()->text, story);
    EXPECT_EQ(c->result()->usage.heard, c->result()->usage.handed_over)
        << "every chunk was continued";
}

TEST_F(channel, gives_nothing_after_the_terminal_item) {
    start_loop();
    const auto c = attached();
    consume_all(*c);
    EXPECT_FALSE(c->try_pop());
    EXPECT_FALSE(c->wait_pop(24h)) << "and does not wait for it";
    c->consume([](const stream_chunk&) { ADD_FAILURE(); });
}

TEST_F(channel, knows_no_end_before_it) {
    start_loop_with({.kind = fault_kind::stall, .at_token = 5});
    const auto c = attached();
    EXPECT_FALSE(c->try_pop());
    EXPECT_FALSE(c->wait_pop(1ms));
    EXPECT_FALSE(c->is_finished());
    EXPECT_FALSE(c->reason());
    EXPECT_FALSE(c->result());
}

TEST_F(channel, can_be_polled) {
    start_loop();
    const auto c = attached({.pace = pace::text});
    consumed all;
    while (all.terminals == 0)
        if (const auto item = c->try_pop())
            all.add(*item);
        else
            std::this_thread::yield();
    EXPECT_EQ(all.text, story);
}

TEST_F(channel, continues_an_item_when_the_next_is_asked_for) {
    start_loop();
    const auto c = attached();
    const auto first = c->wait_pop(patience);
    const auto second = c->wait_pop(patience);
    ASSERT_TRUE(first && second);
    c->cancel();
    const auto result = c->wait_result(patience);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->usage.heard, first->tokens);
    EXPECT_EQ(result->usage.handed_over, first->tokens + second->tokens);
}

TEST_F(channel, needs_no_pops_to_continue_at_the_pace_of_text) {
    start_loop();
    const auto c = attached({.pace = pace::text, .capacity = 100});
    ASSERT_TRUE(c->wait_result(patience));
    EXPECT_TRUE(c->is_finished());
    const auto all = consume_all(*c);
    EXPECT_EQ(all.text, story);
    expect_end(all, finish_reason::eos);
}

TEST_F(channel, makes_a_reply_wait_whose_queue_is_full) {
    config.limits.continue_timeout = 50ms;
    start_loop();
    const auto c = attached({.pace = pace::text, .capacity = 2});
    ASSERT_TRUE(
        server_sees([&](auto&) { return log.count(log_level::error, "continue_timeout") == 1; }));
    const auto all = consume_all(*c);
    EXPECT_EQ(all.items.size(), 3u) << "two chunks and the end";
    expect_end(all, finish_reason::error, errc::continue_timeout);
}

TEST_F(channel, ends_with_the_continue_timeout_of_a_voice_that_is_too_slow) {
    config.limits.continue_timeout = 50ms;
    start_loop();
    const auto c = attached();
    ASSERT_TRUE(c->wait_pop(patience));
    ASSERT_TRUE(
        server_sees([&](auto&) { return log.count(log_level::error, "continue_timeout") == 1; }));
    expect_end(consume_all(*c), finish_reason::error, errc::continue_timeout);
}

TEST_F(channel, joins_chunks_to_items_of_at_least_the_interval) {
    start_loop();
    for (const auto p : {pace::voice, pace::text}) {
        const auto c = attached({.pace = p, .capacity = 2, .stream_interval = 30});
        const auto all = consume_all(*c);
        EXPECT_EQ(all.text, story);
        std::uint32_t next = 0;
        for (std::size_t i = 0; i + 1 < all.items.size(); ++i) {
            const auto& item = all.items[i];
            EXPECT_EQ(item.first.seq, next);
            next = item.last.seq + 1;
            if (i + 2 < all.items.size()) {
                EXPECT_GE(item.tokens, 30);
            }
        }
        EXPECT_GT(next, all.items.size()) << "items have several chunks";
    }
}

TEST_F(channel, can_be_given_another_interval_while_it_runs) {
    start_loop();
    const auto c = attached();
    consumed all;
    c->consume([&](const stream_chunk& item) {
        all.add(item);
        c->set_stream_interval(1'000'000);
    });
    EXPECT_EQ(all.text, story);
    EXPECT_LE(all.items.size(), 4u);
}

TEST_F(channel, reports_a_stop_word_and_the_length) {
    start_loop();
    auto c = chunk_channel::create();
    ASSERT_FALSE(c->attach(llm->start(prompt, {.stop = {"cloves"}})));
    expect_end(consume_all(*c), finish_reason::stop_word);
    c = chunk_channel::create();
    ASSERT_FALSE(c->attach(llm->start(prompt, {.max_tokens = 20})));
    expect_end(consume_all(*c), finish_reason::length);
}

TEST_F(channel, keeps_the_loop_busy_until_its_reply_has_ended) {
    start_loop();
    const auto c = attached();
    auto consumer = consume_elsewhere(c);
    running->end();
    EXPECT_EQ(consumer.get().text, story);
}

// --- attaching

TEST_F(channel, is_for_one_reply) {
    start_loop();
    const auto c = attached();
    auto other = llm->start(prompt);
    EXPECT_EQ(c->attach(std::move(other)), errc::channel_in_use);
    EXPECT_EQ(consume_all(*c).text, story);
    EXPECT_EQ(c->attach(std::move(other)), errc::channel_finished);
    const auto second = chunk_channel::create();
    EXPECT_FALSE(second->attach(std::move(other))) << "it is unchanged";
    EXPECT_EQ(consume_all(*second).text, story);
}

TEST_F(channel, takes_no_reply_that_was_moved_from) {
    start_loop();
    auto r = llm->start(prompt);
    const auto c = chunk_channel::create();
    ASSERT_FALSE(c->attach(std::move(r)));
    EXPECT_EQ(chunk_channel::create()->attach(std::move(r)), errc::channel_mismatch);
}

TEST_F(channel, ends_if_somebody_else_waits_for_a_chunk) {
    start_loop_with({.kind = fault_kind::stall, .at_token = 5});
    auto r = llm->start(prompt);
    r.async_next_chunk([](auto...) {});
    const auto c = chunk_channel::create();
    ASSERT_FALSE(c->attach(std::move(r)));
    expect_end(consume_all(*c), finish_reason::error, errc::operation_in_progress);
    EXPECT_TRUE(server_gets_idle());
}

class channels : public channels_and_mock {
 protected:
    using list = std::vector<std::shared_ptr<chunk_channel>>;

    static list make(std::size_t count, channel_options options = {}) {
        list all(count);
        for (auto& c : all) c = chunk_channel::create(options);
        return all;
    }
    std::vector<reply> replies(std::size_t count) {
        std::vector<reply> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(llm->start(prompt));
        return all;
    }
    // Expects that these replies and channels are unchanged. Ignores null channels.
    void expect_untouched(const list& all, std::vector<reply> rs) {
        for (const auto& c : all)
            if (c && !c->is_finished() && !rs.empty()) {
                EXPECT_FALSE(c->attach(std::move(rs.back())));
                rs.pop_back();
                EXPECT_EQ(consume_all(*c).text, story);
            }
    }
};

TEST_F(channels, are_attached_all_at_once) {
    start_loop();
    const auto all = make(3);
    auto rs = replies(3);
    ASSERT_FALSE(chunk_channel::attach_all(all, rs));
    for (const auto& c : all) EXPECT_EQ(consume_all(*c).text, story);
}

TEST_F(channels, are_started_all_at_once) {
    start_loop();
    const auto all = make(3);
    ASSERT_FALSE(chunk_channel::start_all(*llm, {prompt, prompt, prompt}, all));
    for (const auto& c : all) EXPECT_EQ(consume_all(*c).text, story);
}

TEST_F(channels, are_refused_together_if_one_is) {
    start_loop();
    const auto cancelled = chunk_channel::create();
    cancelled->cancel();
    const auto used = attached();
    struct refusal {
        std::shared_ptr<chunk_channel> odd;
        errc why;
    };
    for (const auto& [odd, why] :
         {refusal{cancelled, errc::channel_finished}, refusal{used, errc::channel_in_use},
          refusal{nullptr, errc::channel_mismatch}}) {
        auto all = make(2);
        all.push_back(odd);
        auto rs = replies(3);
        EXPECT_EQ(chunk_channel::attach_all(all, rs), why);
        EXPECT_EQ(chunk_channel::start_all(*llm, {prompt, prompt, prompt}, all), why);
        all.pop_back();
        expect_untouched(all, std::move(rs));
    }
}

TEST_F(channels, are_refused_if_one_is_there_twice) {
    start_loop();
    auto all = make(2);
    all.push_back(all[0]);
    auto rs = replies(3);
    EXPECT_EQ(chunk_channel::attach_all(all, rs), errc::channel_in_use);
    all.pop_back();
    expect_untouched(all, std::move(rs));
}

TEST_F(channels, are_refused_if_they_are_not_as_many_as_replies) {
    start_loop();
    const auto all = make(2);
    auto rs = replies(1);
    EXPECT_EQ(chunk_channel::attach_all(all, rs), errc::channel_mismatch);
    expect_untouched(all, std::move(rs));
}

TEST_F(channels, start_nothing_when_they_are_refused) {
    start_loop();
    auto all = make(2);
    all.push_back(all[0]);
    EXPECT_EQ(chunk_channel::start_all(*llm, {prompt, prompt, prompt}, all), errc::channel_in_use);
    EXPECT_EQ(chunk_channel::start_all(*llm, {prompt}, all), errc::channel_mismatch);
    running->end();
    EXPECT_TRUE(server->observe().of_path("/completion").empty());
}

// --- a slow consumer among many

class slow_consumer : public channels, public ::testing::WithParamInterface<pace> {};

TEST_P(slow_consumer, holds_up_none_of_99_others) {
    constexpr std::size_t many = 100;
    config.server.slots = 4;
    config.limits.continue_timeout = 1h;  // checked builds may be slow
    config.limits.queue_timeout = 1h;
    server_options.parallel = 4;
    start_loop();
    const auto all = make(many, {.pace = GetParam(), .capacity = 1});
    std::vector<std::string> prompts(many, prompt);
    ASSERT_FALSE(chunk_channel::start_all(*llm, prompts, all));
    std::latch others(many - 1);
    std::atomic<bool> slow_finished = false;
    std::vector<std::string> texts(many);
    std::vector<std::thread> consumers;
    consumers.emplace_back([&] {
        all[0]->consume([&](const stream_chunk& item) {
            others.wait();
            texts[0] += item.text;
        });
        slow_finished = true;
    });
    for (std::size_t i = 1; i < many; ++i)
        consumers.emplace_back([&, i] {
            all[i]->consume([&](const stream_chunk& item) { texts[i] += item.text; });
            EXPECT_FALSE(slow_finished);
            others.count_down();
        });
    for (auto& t : consumers) t.join();
    for (const auto& text : texts) EXPECT_EQ(text, story);
}

INSTANTIATE_TEST_SUITE_P(at_the_pace_of, slow_consumer, ::testing::Values(pace::voice, pace::text),
                         [](const auto& instance) {
                             return instance.param == pace::voice ? "voice" : "text";
                         });

}  // namespace
}  // namespace tandem::testing
