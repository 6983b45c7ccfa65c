#include "integration/mock_fixture.hpp"

// Clients and handles that are destroyed while work runs, or used wrongly.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class lifetime : public client_and_mock {};

TEST_F(lifetime, destroyed_client_ends_its_replies) {
    config.server.slots = 2;
    start();
    std::vector<consumer> said;
    for (int i = 0; i < 3; ++i) said.emplace_back(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until([&] { return said[0].chunks().size() == 1; }));
    llm.reset();
    for (auto& c : said) {
        ASSERT_TRUE(loop.run_to_end(c));
        EXPECT_EQ(c.error(), errc::client_destroyed);
        EXPECT_EQ(c.result().finish_reason, finish_reason::error);
        EXPECT_EQ(c.result().text, c.text()) << "the handle outlives the client";
    }
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(lifetime, destroyed_client_cuts_what_streams) {
    start_with({.kind = fault_kind::stall, .at_token = 5});
    consumer c(llm->start(prompt));
    ASSERT_TRUE(server_sees([](const auto& o) { return o.slots[0].is_processing; }));
    llm.reset();
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.error(), errc::client_destroyed);
}

TEST_F(lifetime, destroyed_client_ends_its_calls) {
    start_with({.kind = fault_kind::slow_headers, .duration = 60s, .path = "/slots"});
    const auto answer = loop.call<std::vector<slot_state>>([&](auto h) {
        llm->async_slots(std::move(h));
        loop.ioc.poll();
        llm.reset();
    });
    EXPECT_EQ(answer.first, errc::client_destroyed);
}

TEST_F(lifetime, reply_of_a_destroyed_client_goes_nowhere) {
    start();
    auto reply = llm->start(prompt);
    llm.reset();
    consumer c(std::move(reply));
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.error(), errc::client_destroyed);
}

// The loop no longer runs, as after io_context::stop(), so a started operation can neither continue
// nor complete.
class loop_that_runs_no_more : public client_and_mock {
 protected:
    // Begins a reply, and destroys the client, the handle and the loop when the server has received
    // a request for `path`.
    void expect_no_connection_after(const std::string& path) {
        start_with({.kind = fault_kind::slow_headers, .duration = 60s, .path = path});
        {
            reply_runner short_lived;
            client llm_there(short_lived.ioc.get_executor(), config, instruments);
            const consumer c(llm_there.start(prompt));
            ASSERT_TRUE(
                short_lived.run_until([&] { return !server->observe().of_path(path).empty(); }));
        }
        EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
    }
};

TEST_F(loop_that_runs_no_more, closes_the_connection_of_a_stream) {
    expect_no_connection_after("/completion");
}

TEST_F(loop_that_runs_no_more, closes_the_connection_that_asks_for_props) {
    expect_no_connection_after("/props");
}

TEST_F(loop_that_runs_no_more, closes_the_connection_that_asks_for_tokens) {
    expect_no_connection_after("/tokenize");
}

TEST_F(loop_that_runs_no_more, closes_the_connection_that_erases_a_slot) {
    config.server.erase_after_cut = true;
    expect_no_connection_after("/slots/0");
}

TEST_F(lifetime, moved_client_keeps_its_replies) {
    start();
    consumer c(llm->start(prompt));
    client moved = std::move(*llm);
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.text(), story);
}

TEST_F(lifetime, second_question_for_a_chunk_is_refused) {
    start();
    consumer c(llm->start(prompt));  // requests a chunk
    std::optional<error_code> second;
    c.handle().async_next_chunk([&](error_code ec, std::optional<chunk> piece) {
        EXPECT_FALSE(piece);
        second = ec;
    });
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(second, errc::operation_in_progress);
    EXPECT_EQ(c.text(), story) << "the first reply is not affected";
}

TEST_F(lifetime, question_after_the_end_is_answered_with_the_end) {
    start();
    auto c = say();
    bool told = false;
    c.handle().async_next_chunk([&](error_code ec, std::optional<chunk> piece) {
        EXPECT_FALSE(ec);
        EXPECT_FALSE(piece);
        told = true;
    });
    EXPECT_TRUE(loop.run_until([&] { return told; }));
}

TEST_F(lifetime, stale_and_foreign_continues_change_nothing) {
    start();
    consumer c(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until([&] { return c.chunks().size() == 1; }));
    const auto id = c.chunks()[0].id;
    c.handle().continue_after({id.reply + 1, id.seq});
    c.handle().continue_after({id.reply, id.seq + 1});
    loop.ioc.poll();
    EXPECT_EQ(c.chunks().size(), 1u);
    c.go_on(c.chunks()[0]);
    ASSERT_TRUE(loop.run_until([&] { return c.chunks().size() == 2; }));
    c.handle().continue_after(id);  // again
    loop.ioc.poll();
    EXPECT_EQ(c.chunks().size(), 2u);
}

TEST_F(lifetime, prompt_that_is_no_utf8_is_refused) {
    start();
    consumer c(llm->start("Zanzibar \xff"));
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.error(), errc::invalid_prompt);
    EXPECT_TRUE(server->observe().requests.empty());
}

#ifndef NDEBUG
TEST(moved_handle, says_so_if_it_is_used) {
    boost::asio::io_context ioc;
    client llm(ioc.get_executor(), {});
    const auto moved = std::move(llm);
    EXPECT_DEATH(llm.start("Hello."), "moved-from");
}
#endif

}  // namespace
}  // namespace tandem::testing
