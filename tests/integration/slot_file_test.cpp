// The contents of a conversation's slot, saved in a file of the server.

#include "service_fixture.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;

class a_slot_file : public service_and_mocks {
 protected:
    // The slot of the conversation is guarded, so that a request for a file has to wait.
    conversation talk_on_a_guarded_slot() {
        server_options.slot_actions = true;
        config.client.server.reuse_guard = 1h;
        config.client.limits.queue_timeout = 2h;
        start();
        auto talk = bots->create();
        say(talk, "And you?");
        return talk;
    }
};

TEST_F(a_slot_file, keeps_a_conversation_that_sleeps) {
    server_options.slot_actions = true;
    server_options.parallel = 1;
    config.client.pacing.mode = pacing::strict;
    start();
    auto talk = bots->create();
    say(talk, "Hello!");
    const auto saved = loop.call<slot_file_result>(
        [&](auto h) { talk.async_save_slot("talk.bin", std::move(h)); });
    ASSERT_FALSE(saved.first) << saved.first.message();
    EXPECT_GT(saved.second.tokens, 0);
    auto other = bots->create();
    say(other, "And you?");
    const auto restored = loop.call<slot_file_result>(
        [&](auto h) { talk.async_restore_slot("talk.bin", std::move(h)); });
    ASSERT_FALSE(restored.first) << restored.first.message();
    EXPECT_EQ(restored.second.tokens, saved.second.tokens);
    say(talk, "And you?");
    EXPECT_GE(completions(server()).back().cached, saved.second.tokens - 1);
    EXPECT_EQ(state_of(talk).metrics.slot_saves, 1);
    EXPECT_EQ(state_of(talk).metrics.slot_restores, 1);
}

TEST_F(a_slot_file, is_what_a_conversation_that_was_loaded_continues_from) {
    server_options.slot_actions = true;
    config.client.pacing.mode = pacing::strict;
    start();
    std::string saved;
    int tokens = 0;
    {
        auto talk = bots->create();
        say(talk, "Hello!");
        saved = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); }).second;
        tokens = loop.call<slot_file_result>(
                         [&](auto h) { talk.async_save_slot("talk.bin", std::move(h)); })
                     .second.tokens;
    }
    for (int i = 0; i < 2; ++i) {
        auto other = bots->create();
        say(other, "And you?");
    }
    error_code ec;
    auto talk = bots->load(saved, ec);
    ASSERT_TRUE(talk);
    ASSERT_FALSE(loop.call<slot_file_result>(
                         [&](auto h) { talk->async_restore_slot("talk.bin", std::move(h)); })
                     .first);
    say(*talk, "And you?");
    EXPECT_GE(completions(server()).back().cached, tokens - 1);
}

TEST_F(a_slot_file, is_written_from_its_own_slot_though_another_is_ready_before) {
    server_options.slot_actions = true;
    config.client.server.reuse_guard = 100ms;
    config.client.pacing.mode = pacing::strict;
    start();
    auto talk = bots->create();
    const auto said = say(talk, "And you?").result().usage;
    const auto saved = loop.call<slot_file_result>(
        [&](auto h) { talk.async_save_slot("talk.bin", std::move(h)); });
    ASSERT_FALSE(saved.first) << saved.first.message();
    EXPECT_EQ(saved.second.tokens, said.prompt + said.generated - 1);
}

TEST_F(a_slot_file, is_given_up_when_the_conversation_ends_before_it_is_written) {
    auto talk = talk_on_a_guarded_slot();
    error_code told;
    bool done = false;
    talk.async_save_slot("talk.bin", [&](error_code ec, slot_file_result) {
        told = ec;
        done = true;
    });
    state_of(talk);
    talk.end();
    loop.run_until([&] { return done; });
    EXPECT_EQ(told, errc::session_not_found);
}

TEST_F(a_slot_file, is_given_up_where_the_server_is_removed_while_it_empties_the_slot) {
    server_options.slot_actions = true;
    server_options.parallel = 1;
    server_options.faults = {
        {.kind = mock::fault_kind::slow_headers, .duration = 60s, .path = "/slots/0"}};
    config.client.pacing.mode = pacing::strict;
    start();
    auto before = bots->create();
    say(before, "Hello!");
    auto talk = bots->create({.isolate = true});
    std::vector<error_code> told;
    talk.async_restore_slot("talk.bin",
                            [&](error_code ec, slot_file_result) { told.push_back(ec); });
    loop.run_until([&] { return !server().observe().of_path("/slots/0").empty(); });
    bots->remove_server(server().url());
    EXPECT_TRUE(servers().empty());
    loop.run_until([&] { return !told.empty(); });
    talk.end();
    EXPECT_EQ(told, std::vector<error_code>{errc::server_gone});
}

TEST_F(a_slot_file, is_given_up_at_once_where_its_server_is_removed_before_it_is_written) {
    auto talk = talk_on_a_guarded_slot();
    std::vector<error_code> told;
    talk.async_save_slot("talk.bin", [&](error_code ec, slot_file_result) { told.push_back(ec); });
    state_of(talk);
    bots->remove_server(server().url());
    loop.run_until([&] { return !told.empty(); });
    EXPECT_EQ(told, std::vector<error_code>{errc::server_gone});
}

TEST_F(a_slot_file, is_the_only_one_that_is_used_also_before_the_server_has_answered) {
    server_options.slot_actions = true;
    start();
    auto talk = bots->create();
    std::vector<error_code> told;
    const auto told_so = [&](error_code ec, slot_file_result) { told.push_back(ec); };
    talk.async_restore_slot("one.bin", told_so);
    talk.async_restore_slot("two.bin", told_so);
    loop.run_until([&] { return told.size() == 2; });
    EXPECT_EQ(told[0], errc::operation_in_progress) << "the second call fails at once";
    EXPECT_EQ(told[1], errc::bad_request) << "the first call fails because the file does not exist";
    const auto third = loop.call<slot_file_result>(
        [&](auto h) { talk.async_restore_slot("three.bin", std::move(h)); });
    EXPECT_EQ(third.first, errc::bad_request);
}

TEST_F(a_slot_file, is_not_written_if_no_slot_holds_the_conversation) {
    server_options.slot_actions = true;
    start();
    auto talk = bots->create();
    const auto saved = loop.call<slot_file_result>(
        [&](auto h) { talk.async_save_slot("talk.bin", std::move(h)); });
    EXPECT_EQ(saved.first, errc::nothing_to_save);
}

}  // namespace
