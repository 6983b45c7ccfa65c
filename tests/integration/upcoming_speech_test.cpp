#include "integration/mock_fixture.hpp"

// The next speech is available while the current chunk is spoken, so that a voice can prepare it.
namespace tandem::testing {
namespace {

class upcoming_speech : public client_and_mock {
 protected:
    struct answer {
        bool came = false;
        error_code error{};
        std::string speech{};
    };

    void start_paced(pacing p) {
        config.pacing.mode = p;
        config.chunking.first_chunk_min_tokens = 0;
        start();
    }
    // Starts a reply, and runs it to its first chunk, which is not continued.
    consumer begin() {
        consumer c(llm->start(prompt), consumer::do_not_continue);
        EXPECT_TRUE(loop.run_until([&] { return c.chunks().size() == 1; }));
        return c;
    }
    static std::shared_ptr<answer> ask(consumer& c) {
        auto told = std::make_shared<answer>();
        c.handle().async_upcoming_speech([told](error_code ec, std::string speech) {
            *told = {true, ec, std::move(speech)};
        });
        return told;
    }
    bool comes(const std::shared_ptr<answer>& told) {
        return loop.run_until([&] { return told->came; });
    }
};

TEST_F(upcoming_speech, is_reported_while_the_chunk_before_is_spoken) {
    start_paced(pacing::ahead);
    auto c = begin();
    const auto told = ask(c);
    ASSERT_TRUE(comes(told));
    EXPECT_EQ(c.chunks().size(), 1u) << "the chunk is not handed over yet";
    c.go_on(c.chunks()[0]);
    ASSERT_TRUE(loop.run_until([&] { return c.chunks().size() == 2; }));
    EXPECT_EQ(told->speech, c.chunks()[1].speech);
}

TEST_F(upcoming_speech, is_empty_after_the_last_chunk) {
    start_paced(pacing::ahead);
    std::shared_ptr<answer> last;
    consumer c(llm->start(prompt), [&](consumer& self, const chunk& piece) {
        last = ask(self);
        self.go_on(piece);
    });
    ASSERT_TRUE(loop.run_to_end(c));
    ASSERT_TRUE(comes(last));
    EXPECT_FALSE(last->error);
    EXPECT_EQ(last->speech, "");
}

TEST_F(upcoming_speech, is_empty_if_nothing_is_generated_before_the_continue) {
    start_paced(pacing::strict);
    auto c = begin();
    const auto told = ask(c);
    c.go_on(c.chunks()[0]);
    ASSERT_TRUE(comes(told));
    EXPECT_EQ(told->speech, "");
}

TEST_F(upcoming_speech, is_empty_at_an_interrupt) {
    start_paced(pacing::strict);
    auto c = begin();
    const auto told = ask(c);
    c.interrupt();
    ASSERT_TRUE(comes(told));
    EXPECT_FALSE(told->error);
    EXPECT_EQ(told->speech, "");
}

TEST_F(upcoming_speech, can_be_asked_for_once_at_a_time) {
    start_paced(pacing::strict);
    auto c = begin();
    const auto first = ask(c);
    const auto second = ask(c);
    ASSERT_TRUE(comes(second));
    EXPECT_EQ(second->error, errc::operation_in_progress);
    EXPECT_FALSE(first->came);
}

}  // namespace
}  // namespace tandem::testing
