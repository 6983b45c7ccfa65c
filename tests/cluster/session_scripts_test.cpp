#include "cluster/session_store.hpp"
#include "store_fixture.hpp"
#include "support/child_process.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace {

namespace cluster = tandem::cluster;
using namespace tandem::testing;
using cluster::put_result;
using cluster::session_epoch;
using cluster::taken_session;
using namespace std::chrono_literals;
using ::testing::StartsWith;

class session_scripts : public store_fixture {
 protected:
    void SetUp() override { connect(link); }

    put_result put(cluster::session_store& at, session_epoch epoch, const std::string& record,
                   tandem::duration kept = 1min) {
        std::optional<put_result> result;
        at.put("s1", "alice", epoch, kept, record, [&](auto r) { result = r; });
        EXPECT_TRUE(run_until([&] { return result.has_value(); }));
        return *result;
    }
    std::optional<taken_session> take(cluster::session_store& at, session_epoch own = 0,
                                      const std::string& owner = "alice") {
        std::optional<cluster::take_answer> result;
        at.take(
            "s1", owner, own, [] { return true; }, [&](auto taken) { result = std::move(taken); });
        EXPECT_TRUE(run_until([&] { return result.has_value(); }));
        is_known = result->is_known;
        return result->session;
    }

    bool is_known = false;  // whether the store answered the last take()
    cluster::store_link link{loop.get_executor(), options(), {}};
    const cluster::session_store::key_names keys{"tdm:test:session:", "tdm:test:processes"};
    cluster::session_store a{loop.get_executor(), link, keys, "a"};
    cluster::session_store b{loop.get_executor(), link, keys, "b"};
};

/// Gateway `a` has written a session, and its process receives messages.
class running_gateway_a : public session_scripts {
 protected:
    void SetUp() override {
        session_scripts::SetUp();
        messages.subscribe("process-a");
        messages.set_message_handler([this](const auto&, const auto& text) { on_message(text); });
        connect(messages);
        ask(link, {"HSET", "tdm:test:processes", "a", "process-a"});
        put(a, 1, "one");
    }

    std::function<void(const std::string&)> on_message = [](const auto&) {};
    cluster::store_link messages{loop.get_executor(), options(), {}};
};

TEST_F(session_scripts, give_the_newest_record_to_the_gateway_that_takes_the_session) {
    EXPECT_EQ(put(a, 1, "one"), put_result::kept);
    EXPECT_EQ(put(a, 1, "two"), put_result::kept);
    const auto taken = take(b);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->record, "two");
    EXPECT_EQ(taken->epoch, 2);
}

TEST_F(running_gateway_a, releases_a_session_with_its_last_record_before_it_is_taken) {
    on_message = [this](const std::string& text) {
        EXPECT_EQ(text, "release s1");
        a.put("s1", "alice", 1, 1min, "last", [this](auto) { a.release("s1", 1); });
    };
    const auto taken = take(b);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->record, "last");
    EXPECT_EQ(taken->epoch, 2);
}

TEST_F(running_gateway_a, loses_a_session_that_it_does_not_release) {
    EXPECT_EQ(take(b)->record, "one");
    EXPECT_EQ(put(a, 1, "late"), put_result::refused);
}

TEST_F(running_gateway_a, keeps_a_session_that_is_no_longer_wanted_elsewhere) {
    bool is_wanted = true;
    on_message = [&](const auto&) { is_wanted = false; };
    bool is_answered = false;
    b.take(
        "s1", "alice", 0, [&] { return is_wanted; }, [&](auto) { is_answered = true; });
    EXPECT_TRUE(run_until([&] { return !is_wanted; }));
    loop.run_for(cluster::session_store::release_limit + 100ms);
    EXPECT_FALSE(is_answered);
    EXPECT_EQ(put(a, 1, "later"), put_result::kept);
}

TEST_F(running_gateway_a, releases_a_session_that_it_does_not_have) {
    on_message = [this](const auto&) { a.release("s1", 0); };
    EXPECT_EQ(take(b)->record, "one");
}

TEST_F(running_gateway_a, does_not_release_a_session_that_it_has_taken_again) {
    ask(link, {"HSET", "tdm:test:session:s1", "epoch", "3"});
    a.release("s1", 1);
    EXPECT_EQ(ask(link, {"HGET", "tdm:test:session:s1", "gateway"})->text, "a");
    a.release("s1", 3);
    EXPECT_EQ(ask(link, {"HGET", "tdm:test:session:s1", "gateway"})->text, "");
}

TEST_F(session_scripts, refuse_the_records_of_a_gateway_whose_session_was_taken) {
    put(a, 1, "one");
    const auto taken = take(b);
    ASSERT_TRUE(taken);
    EXPECT_EQ(put(a, 1, "late"), put_result::refused);
    EXPECT_EQ(put(a, 1, ""), put_result::refused) << "nor may it remove the record";
    EXPECT_EQ(put(b, taken->epoch, "three"), put_result::kept);
    EXPECT_EQ(take(a, 1)->record, "three") << "and back";
}

TEST_F(session_scripts, leave_a_session_with_the_gateway_that_has_it) {
    put(a, 1, "one");
    const auto taken = take(a, 1);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->record, "");
    EXPECT_EQ(put(a, 1, "two"), put_result::kept);
}

TEST_F(session_scripts, know_no_session_of_another_owner_or_that_has_ended_or_expired) {
    EXPECT_FALSE(take(b));
    EXPECT_TRUE(is_known);
    put(a, 1, "one");
    EXPECT_FALSE(take(b, 0, "bob"));
    EXPECT_TRUE(is_known);
    put(a, 1, "");
    EXPECT_FALSE(take(b));
    put(a, 1, "one", 1ms);
    EXPECT_TRUE(run_until([&] { return !take(b); }));
}

TEST_F(session_scripts, keep_a_record_whole_after_the_store_has_lost_it) {
    put(a, 3, "one");
    ask(link, {"FLUSHALL"});
    EXPECT_EQ(put(a, 3, "two"), put_result::kept);
    EXPECT_EQ(take(b)->epoch, 4);
}

TEST_F(session_scripts, let_the_command_show_all_sessions_but_no_whole_id) {
    ask(link, {"EVAL",
               "for i = 1, 1500 do redis.call('HSET', 'tdm:test:session:' .. i .. '_is_a_secret', "
               "'gateway', 'a', 'written', 1) end",
               "0"});
    EXPECT_EQ(put(b, 1, std::string(2048, 'x')), put_result::kept);
    const auto shown =
        child_process(TANDEM_COMMAND, {.args = {"cluster", "sessions", "--cluster", store.url(),
                                                "--cluster-name", "test"}})
            .wait()
            .out;
    EXPECT_EQ(std::ranges::count(shown, '\n'), 1501);
    EXPECT_EQ(shown.find("secret"), shown.npos);
    EXPECT_THAT(shown.substr(shown.rfind("session ")),
                StartsWith("session s1: gateway b, 2.0 KiB, written "));
}

TEST_F(session_scripts, answer_nothing_while_the_store_is_away) {
    store.kill();
    EXPECT_EQ(put(a, 1, "one"), put_result::unknown);
    EXPECT_FALSE(take(b));
    EXPECT_FALSE(is_known);
}

}  // namespace
