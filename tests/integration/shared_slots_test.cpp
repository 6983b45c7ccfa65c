#include "integration/mock_fixture.hpp"
#include "support/http_probe.hpp"
#include "support/slot_overlaps.hpp"

#include "tandem/service.hpp"

#include <map>
#include <set>
#include <thread>

// Several clients of one server, in one process.
namespace tandem::testing {
namespace {

using ::testing::IsEmpty;

class shared_slots : public client_and_mock {
 protected:
    /// The same server with another spelling of its URL.
    tandem::config other_config() const {
        auto c = config;
        c.server.url = "HTTP://127.0.0.1:" + std::to_string(server->port()) + "/";
        return c;
    }
    void start_two() {
        start();
        other.emplace(loop.ioc.get_executor(), other_config(), instruments);
    }
    void expect_no_use_within(std::chrono::milliseconds guard) {
        std::map<int, std::chrono::steady_clock::time_point> last_start;
        for (const auto& r : server->observe().of_path("/completion")) {
            // Measures from the start of the previous use, because the server may notice the end of
            // that use late.
            if (last_start.contains(r.id_slot)) {
                EXPECT_GE(r.arrived - last_start[r.id_slot], guard);
            }
            last_start[r.id_slot] = r.started.value();
        }
    }

    std::optional<client> other;
};

TEST_F(shared_slots, run_one_request_at_a_time_for_two_clients) {
    config.server.slots = 1;
    config.server.reuse_guard = 20ms;
    start_two();
    consumer first(llm->start(prompt)), second(other->start(prompt));
    ASSERT_TRUE(loop.run_to_end(first) && loop.run_to_end(second));
    EXPECT_EQ(first.text(), story);
    EXPECT_EQ(second.text(), story);
    EXPECT_THAT(slot_overlaps(server->observe()), IsEmpty());
    expect_no_use_within(20ms);
}

TEST_F(shared_slots, are_those_of_a_client_and_a_service) {
    config.server.slots = 1;
    config.server.reuse_guard = 20ms;
    start();
    service bots(loop.ioc.get_executor(), {.client = other_config()}, instruments);
    auto talk = bots.create();
    consumer first(llm->start(prompt)), second(talk.say(prompt));
    ASSERT_TRUE(loop.run_to_end(first) && loop.run_to_end(second));
    EXPECT_THAT(slot_overlaps(server->observe()), IsEmpty());
    expect_no_use_within(20ms);
}

TEST_F(shared_slots, are_kept_apart_over_threads) {
    config.server.slots = 1;
    start();
    std::thread elsewhere([this] {
        reply_runner own;
        client neighbour(own.ioc.get_executor(), other_config(), instruments);
        for (int i = 0; i < 3; ++i) {
            consumer c(neighbour.start(prompt));
            EXPECT_TRUE(own.run_to_end(c));
            EXPECT_EQ(c.text(), story);
        }
    });
    for (int i = 0; i < 3; ++i) expect_story();
    elsewhere.join();
    EXPECT_THAT(slot_overlaps(server->observe()), IsEmpty());
}

TEST_F(shared_slots, are_free_for_the_others_when_a_client_is_destroyed) {
    config.server.slots = 1;
    server_options.tokens_per_second = 100;
    start_two();
    consumer first(llm->start(prompt));
    ASSERT_TRUE(server_sees([](const auto& o) { return !o.of_path("/completion").empty(); }));
    consumer second(other->start(prompt));
    llm.reset();
    ASSERT_TRUE(loop.run_to_end(first) && loop.run_to_end(second));
    EXPECT_EQ(first.error(), errc::client_destroyed);
    EXPECT_EQ(second.text(), story);
}

TEST_F(shared_slots, are_given_up_with_the_loop_of_a_client) {
    config.server.slots = 1;
    start();
    {
        reply_runner own;
        client neighbour(own.ioc.get_executor(), other_config(), instruments);
        consumer c(neighbour.start(prompt), consumer::do_not_continue);
        ASSERT_TRUE(own.run_until([&] { return !c.chunks().empty(); }));
        c.handle().continue_after(c.chunks()[0].id);
        ASSERT_TRUE(
            own.run_until([&] { return server->observe().of_path("/completion").size() > 1; }));
    }
    expect_story();
}

TEST_F(shared_slots, follow_the_client_that_came_last) {
    config.server.slots = 1;
    start();
    auto settings = other_config();
    settings.server.slots = 2;
    settings.server.reuse_guard = 20ms;
    other.emplace(loop.ioc.get_executor(), settings, instruments);
    expect_story();
    EXPECT_EQ(log.count(log_level::warning, "slots 2 and reuse_guard 20ms now apply to all"), 1u);
    expect_no_use_within(20ms);
    std::vector<int> used;
    for (const auto& r : server->observe().of_path("/completion")) used.push_back(r.id_slot);
    EXPECT_THAT(used, ::testing::Contains(1));
}

TEST_F(shared_slots, of_a_service_stay_as_they_are_when_a_client_comes_that_sets_nothing) {
    server_options.parallel = 4;
    server_options.tokens_per_second = 100;
    start();
    llm.reset();
    loop.ioc.poll();  // destroys the client
    config.server.slots.reset();
    config.server.reuse_guard.reset();
    service bots(loop.ioc.get_executor(), {.client = other_config()}, instruments);
    other.emplace(loop.ioc.get_executor(), config, instruments);
    std::vector<conversation> talks;
    for (int i = 0; i < 3; ++i) talks.push_back(bots.create());
    consumer first(talks[0].say(prompt)), second(talks[1].say(prompt)), third(talks[2].say(prompt));
    ASSERT_TRUE(loop.run_to_end(first) && loop.run_to_end(second) && loop.run_to_end(third));
    std::set<int> used;
    for (const auto& r : server->observe().of_path("/completion")) used.insert(r.id_slot);
    EXPECT_EQ(used.size(), 3u);
}

TEST_F(shared_slots, are_guarded_after_the_last_client_has_gone) {
    config.server.slots = 1;
    config.server.reuse_guard = 300ms;
    start();
    say([](consumer& c, const chunk&) { c.interrupt(); });
    llm.reset();
    loop.ioc.poll();  // destroys the client
    ASSERT_TRUE(server_gets_idle());
    other.emplace(loop.ioc.get_executor(), other_config(), instruments);
    consumer c(other->start(prompt));
    ASSERT_TRUE(loop.run_to_end(c));
    expect_no_use_within(300ms);
}

TEST_F(shared_slots, keep_their_guard_when_another_client_cannot_use_the_server) {
    config.server.slots = 1;
    config.server.reuse_guard = auto_guard;
    start();
    consumer speaker(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until([&] { return !speaker.chunks().empty(); }));
    auto settings = other_config();
    settings.server.proxy = "http://127.0.0.1:1";
    other.emplace(loop.ioc.get_executor(), settings, instruments);
    consumer lost(other->start(prompt));
    ASSERT_TRUE(loop.run_to_end(lost));
    EXPECT_EQ(lost.error(), errc::connect_failed);
    speaker.handle().continue_after(speaker.chunks()[0].id);
    ASSERT_TRUE(loop.run_until([&] { return speaker.chunks().size() > 1; }));
    EXPECT_EQ(log.count(log_level::warning, "reuse guard, waited"), 0u);
}

TEST_F(shared_slots, follow_in_silence_a_client_with_the_same_settings) {
    start_two();
    EXPECT_EQ(log.count(log_level::warning, "now apply to all"), 0u);
}

TEST_F(shared_slots, do_not_answer_for_the_server_to_a_client_that_never_asked) {
    start();
    expect_story();
    auto settings = other_config();
    settings.server.api_key = "zebra-wrong";
    other.emplace(loop.ioc.get_executor(), settings, instruments);
    const auto [ec, props] =
        loop.call<server_props>([&](auto h) { other->async_prepare(std::move(h)); });
    EXPECT_EQ(ec, errc::unauthorized);
}

TEST_F(shared_slots, that_somebody_else_uses_are_warned_of_once) {
    config.server.verify_cut = true;
    server_options.tokens_per_second = 20;
    start();
    http_probe stranger(server->url(), api_key);
    const auto running = stranger.start({{"prompt", prompt}, {"id_slot", 1}, {"stream", true}});
    ASSERT_TRUE(stranger.wait_for_events(*running, 1));
    say([](consumer& c, const chunk&) { c.interrupt(); });
    const auto* const words = "slot 1: busy with a request that is not from this process";
    ASSERT_TRUE(loop.run_until([&] { return log.count(log_level::warning, words) > 0; }));
    say([](consumer& c, const chunk&) { c.interrupt(); });
    EXPECT_TRUE(loop.run_until([&] { return log.count(log_level::debug, "slot 0: idle") > 0; }));
    EXPECT_EQ(log.count(log_level::warning, words), 1u);
}

}  // namespace
}  // namespace tandem::testing
