#include "integration/mock_fixture.hpp"
#include "support/scripted_server.hpp"

// Servers that do not match the configuration of the client.
namespace tandem::testing {
namespace {

class foreign_server : public client_and_mock {
 protected:
    // The server sends this answer to every request.
    void answer_always(std::string answer) {
        foreign_.emplace([answer](scripted_peer& peer) -> boost::asio::awaitable<void> {
            co_await peer.read_request();
            co_await peer.send(answer);
        });
        config.server.url = foreign_->url();
        connect();
    }

 private:
    std::optional<scripted_server> foreign_;
};

TEST_F(foreign_server, without_the_endpoint_is_not_supported) {
    answer_always(whole_answer("<html>Not here</html>", "404 Not Found"));
    EXPECT_EQ(expect_failure(errc::not_supported).result().diagnostics.http_status, 404);
}

TEST_F(foreign_server, that_answers_with_a_page_is_bad_response) {
    answer_always(whole_answer("<html>Welcome</html>"));
    expect_failure(errc::bad_response);
}

TEST_F(foreign_server, that_speaks_no_http_is_bad_response) {
    answer_always("SSH-2.0-OpenSSH_9.2\r\n");
    expect_failure(errc::bad_response);
}

TEST_F(foreign_server, that_answers_without_end_is_response_too_large) {
    answer_always(whole_answer(std::string((16u << 20) + 1, ' ')));
    const auto c = expect_failure(errc::response_too_large);
    EXPECT_EQ(c.result().diagnostics.client_message, "the answer to /props exceeds 16 MiB");
}

TEST_F(foreign_server, with_fewer_slots_is_warned_of_and_works) {
    server_options.parallel = 1;
    config.server.slots = 2;
    config.server.reuse_guard = 20ms;
    start();
    expect_story();
    expect_story();
    EXPECT_EQ(log.count(log_level::warning, "slots is 2, but the server has 1"), 1u);
    for (const auto& r : server->observe().of_path("/completion")) EXPECT_EQ(r.id_slot, 0);
}

TEST_F(foreign_server, with_more_slots_is_used_on_as_many_as_configured) {
    server_options.parallel = 4;
    config.server.slots = 3;
    config.server.reuse_guard = 1h;  // no slot is used twice, however slow the machine is
    config.limits.queue_timeout = 2h;
    start();
    consumer c(llm->start(prompt));
    ASSERT_TRUE(loop.run_until([&] { return c.chunks().size() == 3; }));
    c.interrupt();
    ASSERT_TRUE(loop.run_to_end(c));
    for (const auto& s : server->observe().slots) EXPECT_EQ(s.uses > 0, s.id < 3) << s.id;
}

}  // namespace
}  // namespace tandem::testing
