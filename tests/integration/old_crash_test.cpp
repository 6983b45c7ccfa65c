#include "integration/mock_fixture.hpp"

#include <future>

// Old builds crash when a slot receives a request soon after a cut. The guard prevents the crash.
namespace tandem::testing {
namespace {

class old_crash : public client_and_mock {
 protected:
    old_crash() {
        server_options.crash_within = 100ms;
        // At this speed, the client cuts the reply before it is complete. A complete reply would
        // not be cut.
        server_options.tokens_per_second = 2000;
        server_options.on_crash = [this](const std::string& message) {
            crashed_.set_value(message);
        };
    }
    // The last message of the crashed server.
    std::string last_words() {
        auto said = crashed_.get_future();
        return said.wait_for(reply_runner::patience) == std::future_status::ready ? said.get() : "";
    }

 private:
    std::promise<std::string> crashed_;  // set by the server's thread
};

TEST_F(old_crash, does_not_happen_in_a_long_reply_with_two_slots_and_the_guard) {
    config.server.reuse_guard = 300ms;
    start();
    expect_story();
    EXPECT_FALSE(server->crashed());
}

TEST_F(old_crash, does_not_happen_with_rapid_interruptions_and_the_guard) {
    config.server.reuse_guard = 300ms;
    start();
    for (int i = 0; i < 8; ++i) {
        consumer c(llm->start(prompt), [](consumer& self, const chunk&) { self.interrupt(); });
        ASSERT_TRUE(loop.run_to_end(c));
        EXPECT_EQ(c.result().finish_reason, finish_reason::interrupted);
    }
    EXPECT_FALSE(server->crashed());
}

TEST_F(old_crash, happens_with_one_slot_and_no_guard_and_is_reported) {
    config.server.slots = 1;
    start();
    EXPECT_EQ(expect_failure(errc::stream_incomplete).chunks().size(), 1u);
    ASSERT_TRUE(server_sees([](const auto& o) { return o.crashed; }));
    EXPECT_THAT(last_words(), ::testing::StartsWith("GGML_ASSERT(!slot.is_processing()) failed"));
    expect_failure(errc::connect_failed);
}

}  // namespace
}  // namespace tandem::testing
