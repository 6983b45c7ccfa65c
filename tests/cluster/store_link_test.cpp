// The connection to the store, with Debian's redis-server.

#include "cluster/store/store_script.hpp"
#include "store_fixture.hpp"
#include "support/captured_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::cluster;
using testing::HasSubstr;

class store_link_with_redis : public tandem::testing::store_fixture {
 protected:
    std::string text_of(store_link& from, std::vector<std::string> words) {
        const auto answer = ask(from, std::move(words));
        return answer ? answer->text : "no answer";
    }

    store_link link{loop.get_executor(), options(), {}};
};

TEST_F(store_link_with_redis, runs_commands) {
    connect(link);
    EXPECT_EQ(text_of(link, {"SET", "key", "a \r\n value"}), "OK");
    EXPECT_EQ(text_of(link, {"GET", "key"}), "a \r\n value");
    EXPECT_EQ(ask(link, {"GET", "other"}), store_answer{});
    EXPECT_EQ(ask(link, {"INCR", "number"})->number, 1);
    EXPECT_EQ(ask(link, {"LRANGE", "key", "0", "1"})->kind, answer_kind::error);
}

TEST_F(store_link_with_redis, answers_in_order_without_waiting_for_earlier_answers) {
    connect(link);
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < 1000; ++i)
        link.run({"INCR", "number"}, [&](const auto& a) { numbers.push_back(a->number); });
    ASSERT_TRUE(run_until([&] { return numbers.size() == 1000; }));
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
    EXPECT_EQ(numbers.back(), 1000);
}

TEST_F(store_link_with_redis, has_a_name_at_the_store) {
    connect(link);
    EXPECT_THAT(text_of(link, {"CLIENT", "LIST"}), HasSubstr("name=test"));
}

TEST_F(store_link_with_redis, gives_no_answer_before_it_is_connected) {
    EXPECT_EQ(text_of(link, {"PING"}), "no answer");
}

TEST_F(store_link_with_redis, gives_no_answer_if_the_store_takes_too_long) {
    connect(link);
    store.suspend();
    EXPECT_EQ(text_of(link, {"PING"}), "no answer");
    EXPECT_FALSE(link.is_connected());
    store.resume();
    ASSERT_TRUE(run_until([&] { return link.is_connected(); }));
    EXPECT_EQ(text_of(link, {"PING"}), "PONG");
}

TEST_F(store_link_with_redis, drops_an_answer_that_comes_after_the_limit_of_its_command) {
    connect(link);
    ask(link, {"SET", "key", "value"});
    store.suspend();
    bool has_failed = false;
    link.run(
        {"PING"}, [&](const auto& answer) { has_failed = !answer; }, 1ms);
    EXPECT_TRUE(run_until([&] { return has_failed; }));
    store.resume();
    std::string answered;
    EXPECT_TRUE(run_until([&] {
        answered = text_of(link, {"GET", "key"});
        return answered != "no answer";
    }));
    EXPECT_EQ(answered, "value");
}

TEST_F(store_link_with_redis, sends_a_command_after_others_with_short_limits_got_no_answer) {
    connect(link);
    store.suspend();
    for (int i = 0; i < 5; ++i) {
        bool has_failed = false;
        link.run(
            {"PING"}, [&](const auto& answer) { has_failed = !answer; }, 1ms);
        EXPECT_TRUE(run_until([&] { return has_failed; }));
    }
    std::string answered;
    link.run({"PING"}, [&](const auto& answer) { answered = answer ? answer->text : "none"; });
    store.resume();
    EXPECT_TRUE(run_until([&] { return !answered.empty(); }));
    EXPECT_EQ(answered, "PONG");
}

TEST_F(store_link_with_redis, leaves_a_store_that_has_become_a_replica) {
    int connections = 0;
    link.start([&] { ++connections; });
    ASSERT_TRUE(run_until([&] { return connections == 1; }));
    EXPECT_EQ(text_of(link, {"REPLICAOF", "127.0.0.1", "1"}), "OK");
    const store_script write("return redis.call('SET', KEYS[1], 'a')");
    std::optional<store_answer> answer = store_answer{};
    write.run(link, {"key"}, {}, [&](const auto& a) { answer = a; });
    EXPECT_TRUE(run_until([&] { return connections == 2; }));
    EXPECT_EQ(answer, std::nullopt);
}

TEST_F(store_link_with_redis, connects_again_after_the_store_was_killed) {
    tandem::testing::captured_log log;
    store_link logging(loop.get_executor(), options(), log.logger());
    int connections = 0;
    logging.start([&] { ++connections; });
    ASSERT_TRUE(run_until([&] { return connections == 1; }));
    store.kill();
    ASSERT_TRUE(run_until([&] { return !logging.is_connected(); }));
    EXPECT_EQ(text_of(logging, {"PING"}), "no answer");
    store.start();
    ASSERT_TRUE(run_until([&] { return connections == 2; }));
    EXPECT_EQ(text_of(logging, {"PING"}), "PONG");
    EXPECT_EQ(log.count(tandem::log_level::warning, "the connection has ended"), 1u);
    EXPECT_EQ(log.count(tandem::log_level::info, "answers again"), 1u);
}

TEST_F(store_link_with_redis, reports_that_a_suspended_store_does_not_answer) {
    store.suspend();
    tandem::testing::captured_log log;
    store_link waiting(loop.get_executor(), options(), log.logger());
    waiting.start({});
    EXPECT_TRUE(run_until(
        [&] { return log.count(tandem::log_level::warning, "did not answer in time") > 0; }));
}

TEST_F(store_link_with_redis, reports_what_is_wrong_with_the_password) {
    tandem::testing::captured_log log;
    auto o = options();
    o.password = "secret word";
    store_link refused(loop.get_executor(), o, log.logger());
    refused.start({});
    EXPECT_TRUE(run_until([&] { return log.count(tandem::log_level::warning, "AUTH") > 0; }));
    log.expect_nowhere("secret");
}

TEST_F(store_link_with_redis, receives_messages_also_after_a_new_connection) {
    std::vector<std::string> heard;
    store_link messages(loop.get_executor(), options(), {});
    messages.set_message_handler(
        [&](const auto& channel, const auto& text) { heard.push_back(channel + ": " + text); });
    messages.subscribe("a");
    connect(messages);
    connect(link);
    const auto is_heard = [&](const std::string& text) {
        return run_until([&] {
            link.run({"PUBLISH", "a", text}, [](const auto&) {});
            return !heard.empty() && heard.back() == "a: " + text;
        });
    };
    EXPECT_TRUE(is_heard("one"));
    store.kill();
    store.start();
    EXPECT_TRUE(is_heard("two"));
}

TEST_F(store_link_with_redis, receives_no_messages_of_a_channel_that_it_has_left) {
    store_link messages(loop.get_executor(), options(), {});
    messages.subscribe("a");
    messages.subscribe("b");
    connect(messages);
    connect(link);
    messages.unsubscribe("b");
    EXPECT_TRUE(run_until([&] { return ask(link, {"PUBLISH", "b", "text"})->number == 0; }));
    EXPECT_EQ(ask(link, {"PUBLISH", "a", "text"})->number, 1);
}

TEST_F(store_link_with_redis, reports_messages_that_may_be_lost) {
    int confirmations = 0;
    store_link messages(loop.get_executor(), options(), {});
    messages.subscribe("a");
    messages.subscribe("b");
    messages.start([&] { ++confirmations; });
    ASSERT_TRUE(run_until([&] { return confirmations == 1; }));
    connect(link);
    EXPECT_EQ(ask(link, {"PUBLISH", "b", "text"})->number, 1);
    store.suspend();
    ASSERT_TRUE(run_until([&] { return !messages.is_connected(); }));
    store.resume();
    EXPECT_TRUE(run_until([&] { return confirmations == 2; }));
}

TEST_F(store_link_with_redis, sends_a_script_that_the_store_does_not_know) {
    connect(link);
    const store_script script("return {KEYS[1], ARGV[1]}");
    for (int i = 0; i < 3; ++i) {
        std::optional<store_answer> answer;
        script.run(link, {"k"}, {"a"}, [&](const auto& a) { answer = a; });
        ASSERT_TRUE(run_until([&] { return answer.has_value(); }));
        ASSERT_TRUE(answer->is_list_of(2));
        EXPECT_EQ(answer->items[1].text, "a");
        if (i == 1) ask(link, {"SCRIPT", "FLUSH"});
    }
}

TEST_F(store_link_with_redis, never_calls_a_handler_after_its_end) {
    auto short_lived =
        std::make_unique<store_link>(loop.get_executor(), options(), tandem::logger{});
    connect(*short_lived);
    short_lived->run({"PING"}, [](const auto&) { FAIL(); });
    short_lived.reset();
    short_lived = std::make_unique<store_link>(loop.get_executor(), options(), tandem::logger{});
    short_lived->run({"PING"}, [](const auto&) { FAIL(); });
    short_lived.reset();
    connect(link);
    EXPECT_EQ(text_of(link, {"PING"}), "PONG");
}

TEST_F(store_link_with_redis, advises_to_check_the_password_only_if_the_user_is_denied) {
    tandem::testing::captured_log log;
    auto elsewhere = options();
    elsewhere.address.database = 99;
    store_link other(loop.get_executor(), elsewhere, log.logger());
    other.start({});
    EXPECT_TRUE(run_until([&] { return log.count(tandem::log_level::warning, "SELECT") == 1; }));
    EXPECT_EQ(log.count(tandem::log_level::warning, "password"), 0u);
}

TEST_F(store_link_with_redis, reports_once_that_the_user_may_not_subscribe) {
    connect(link);
    ask(link, {"ACL", "SETUSER", "bot", "on", ">secret", "~*", "+@all", "resetchannels"});
    tandem::testing::captured_log log;
    auto limited = options();
    limited.address.user = "bot";
    limited.password = "secret";
    store_link messages(loop.get_executor(), limited, log.logger());
    messages.subscribe("one");
    messages.subscribe("two");
    messages.start({});
    EXPECT_TRUE(run_until([&] { return log.count(tandem::log_level::warning, "NOPERM") > 0; }));
    EXPECT_FALSE(messages.is_connected());
    EXPECT_EQ(log.count(tandem::log_level::warning, ""), 1u);
}

}  // namespace
