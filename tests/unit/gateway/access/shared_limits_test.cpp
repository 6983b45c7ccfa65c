// Limits of keys that hold over all gateways of a cluster.

#include "gateway/access/shared_limits.hpp"

#include "authorizer_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>

namespace {

using namespace std::chrono_literals;
using namespace tandem::gateway;
using tandem::time_point;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The other gateways, played by the test.
class played_limits final : public shared_limits {
 public:
    void request_verdict(const limit_query& q, verdict_handler done) override {
        queries.push_back(q);
        handlers.push_back(std::move(done));
    }
    void report_usage(const usage_report& s, report_handler done) override {
        reports.push_back(s);
        report_handlers.push_back(std::move(done));
    }
    std::int64_t count_members() const override { return members; }

    void answer(time_point now, const std::optional<verdict>& v) {
        const auto done = std::move(handlers.front());
        handlers.pop_front();
        done(now, v);
    }

    std::vector<limit_query> queries;
    std::deque<verdict_handler> handlers;
    std::vector<usage_report> reports;
    std::vector<report_handler> report_handlers;
    std::int64_t members = 3;
};

const shared_limits::verdict yes{.is_admitted = true};

class shared_key : public ::testing::Test {
 protected:
    /// Breaks a cycle: handlers that were never called own `others`, which owns these handlers.
    ~shared_key() override {
        others->handlers.clear();
        others->report_handlers.clear();
    }
    void open_gate(api_key key) {
        g.emplace(std::vector{std::move(key), key_named("other")});
        g->access.share_limits(others);
    }
    /// Returns the admission, or nullopt if the other gateways are asked; their answer sets
    /// `decided`.
    std::optional<admission> begin(admission first, time_point now) {
        auto* const open = std::get_if<locally_admitted_request>(&first);
        if (!open) return first;
        g->access.decide_with_cluster(std::move(*open), now,
                                      [this](admission a) { decided = std::move(a); });
        return std::nullopt;
    }
    admission chat(time_point now, const std::optional<shared_limits::verdict>& v) {
        auto early = begin(g->chat(bearer("bot"), now), now);
        if (early) return std::move(*early);
        others->answer(now, v);
        return std::move(*decided);
    }
    /// The number of admitted requests out of `tries` while the other gateways do not answer.
    int let_in_alone(int tries, time_point now) {
        int count = 0;
        for (int i = 0; i < tries; ++i) count += status_of(chat(now, std::nullopt)) == 200;
        return count;
    }
    /// The number of concurrent replies out of `tries` while the other gateways do not answer.
    std::size_t count_running_alone(int tries) {
        std::vector<admitted_request> running;
        for (int i = 0; i < tries; ++i) {
            auto a = chat(at(0s), std::nullopt);
            if (auto* const who = std::get_if<admitted_request>(&a))
                running.push_back(std::move(*who));
        }
        return running.size();
    }

    api_key bot = key_named("bot");
    std::shared_ptr<played_limits> others = std::make_shared<played_limits>();
    std::optional<gate> g;
    std::optional<admission> decided;
};

TEST_F(shared_key, asks_nobody_for_what_has_no_limit) {
    bot.concurrent = 1;
    bot.tokens_per_minute = 10;
    open_gate(bot);
    EXPECT_EQ(status_of(g->chat(bearer("other"))), 200);
    EXPECT_EQ(status_of(g->ask(endpoint::list_models, bearer("bot"))), 200);
    EXPECT_EQ(status_of(g->ask(endpoint::metrics, bearer("bot"))), 403);
    EXPECT_TRUE(others->queries.empty());
    EXPECT_TRUE(std::holds_alternative<locally_admitted_request>(g->chat(bearer("bot"))));
}

TEST_F(shared_key, asks_with_all_its_limits) {
    bot.requests_per_minute = 60;
    bot.tokens_per_minute = 600;
    bot.concurrent = 4;
    open_gate(bot);
    const auto reply = chat(at(0s), yes);
    ASSERT_EQ(others->queries.size(), 1u);
    const auto& one = others->queries[0];
    EXPECT_EQ(one.key, "bot");
    EXPECT_THAT(
        (std::vector{one.requests_per_minute, one.tokens_per_minute, one.concurrent, one.running}),
        ElementsAre(60, 600, 4, 1));
}

TEST_F(shared_key, is_refused_by_what_others_have_used) {
    bot.requests_per_minute = 60;
    open_gate(bot);
    const auto e = error_of(chat(at(0s), shared_limits::verdict{.requests_time_until_full = 62s}));
    EXPECT_EQ(e.status, 429);
    EXPECT_EQ(e.code, "rate_limit_exceeded");
    EXPECT_EQ(e.retry_after, 3s);
    EXPECT_EQ(e.key_name, "bot");
}

TEST_F(shared_key, is_refused_without_asking_until_the_limit_allows_it_again) {
    bot.requests_per_minute = 60;
    open_gate(bot);
    chat(at(0s), shared_limits::verdict{.requests_time_until_full = 62s});
    EXPECT_EQ(status_of(chat(at(2900ms), yes)), 429);
    EXPECT_EQ(others->queries.size(), 1u);
    EXPECT_EQ(status_of(chat(at(3s), yes)), 200);
}

TEST_F(shared_key, is_refused_by_tokens_of_replies_elsewhere) {
    bot.tokens_per_minute = 600;
    open_gate(bot);
    const auto e = error_of(chat(at(0s), shared_limits::verdict{.tokens_time_until_full = 90s}));
    EXPECT_THAT(e.message, HasSubstr("600 tokens"));
}

TEST_F(shared_key, reports_the_tokens_of_its_replies) {
    bot.tokens_per_minute = 600;
    open_gate(bot);
    const auto reply = chat(at(0s), yes);
    g->access.charge_tokens(std::get<admitted_request>(reply), at(0s), 900);
    ASSERT_EQ(others->reports.size(), 1u);
    EXPECT_EQ(others->reports[0].tokens, 900);
    EXPECT_EQ(others->reports[0].tokens_per_minute, 600);
    EXPECT_EQ(others->reports[0].running, std::nullopt);
    EXPECT_EQ(status_of(chat(at(0s), yes)), 429);
    EXPECT_EQ(others->queries.size(), 1u);
}

TEST_F(shared_key, counts_running_replies_elsewhere) {
    bot.concurrent = 2;
    open_gate(bot);
    const auto one = chat(at(0s), yes);
    const auto e = error_of(chat(at(0s), shared_limits::verdict{.running_elsewhere = 1}));
    EXPECT_EQ(e.code, "concurrency_limit_exceeded");
    EXPECT_THAT(e.message, HasSubstr("limit of 2"));
    const auto two = chat(at(0s), yes);
    EXPECT_EQ(status_of(two), 200) << "the other one has ended";
    EXPECT_EQ(others->queries.back().running, 2);
    EXPECT_EQ(status_of(chat(at(0s), yes)), 429) << "both are here";
    EXPECT_EQ(others->queries.size(), 3u);
}

TEST_F(shared_key, reports_when_its_replies_end) {
    bot.concurrent = 2;
    open_gate(bot);
    auto one = std::get<admitted_request>(chat(at(0s), yes));
    const auto two = chat(at(0s), yes);
    one.release();
    ASSERT_EQ(others->reports.size(), 1u);
    EXPECT_EQ(others->reports[0].key, "bot");
    EXPECT_EQ(others->reports[0].running, 1);
}

TEST_F(shared_key, reserves_the_place_of_a_reply_while_it_asks) {
    bot.concurrent = 1;
    open_gate(bot);
    EXPECT_EQ(begin(g->chat(bearer("bot")), at(0s)), std::nullopt);
    EXPECT_EQ(status_of(g->chat(bearer("bot"))), 429);
    others->answer(at(0s), shared_limits::verdict{.running_elsewhere = 1});
    EXPECT_EQ(status_of(*decided), 429);
    EXPECT_TRUE(std::holds_alternative<locally_admitted_request>(g->chat(bearer("bot"))))
        << "it is free again";
}

TEST_F(shared_key, gives_a_session_its_next_reply_in_the_place_of_the_one_before) {
    bot.concurrent = 1;
    open_gate(bot);
    const auto session = std::get<admitted_request>(g->ask(endpoint::voice, bearer("bot")));
    std::optional<admitted_request> before = std::get<admitted_request>(chat(at(0s), yes));
    EXPECT_EQ(begin(g->access.authorize_reply(session, at(0s), before), at(0s)), std::nullopt);
    EXPECT_EQ(others->queries.back().running, 1);
    others->answer(at(0s), yes);
    ASSERT_EQ(status_of(*decided), 200);
    before = std::get<admitted_request>(std::move(*decided));
    EXPECT_EQ(others->reports.back().running, 1);
    before.reset();
    EXPECT_EQ(others->reports.back().running, 0);
}

// --- without an answer

TEST_F(shared_key, has_its_share_of_the_limit_and_nothing_in_advance) {
    bot.requests_per_minute = 60;
    open_gate(bot);
    EXPECT_EQ(let_in_alone(100, at(0s)), 0);
    EXPECT_EQ(let_in_alone(100, at(2999ms)), 0);
    EXPECT_EQ(let_in_alone(100, at(3s)), 1) << "every 3 s, as there are 3 gateways";
    EXPECT_EQ(let_in_alone(100, at(9s)), 2);
    EXPECT_EQ(let_in_alone(100, at(1h)), 20) << "a third of a minute's allowance";
}

TEST_F(shared_key, has_a_share_that_is_less_than_one_a_minute) {
    bot.requests_per_minute = 2;
    open_gate(bot);
    EXPECT_EQ(let_in_alone(9, at(0s)), 0);
    int count = 0;
    for (int s = 1; s <= 600; ++s) count += let_in_alone(1, at(std::chrono::seconds(s)));
    EXPECT_EQ(count, 7) << "10 minutes have 20, of which a third is here";
}

TEST_F(shared_key, has_a_share_of_the_running_replies_and_at_least_one) {
    bot.concurrent = 6;
    open_gate(bot);
    EXPECT_EQ(count_running_alone(10), 2);
    others->members = 100;
    EXPECT_EQ(count_running_alone(10), 1);
}

TEST_F(shared_key, has_its_share_of_the_tokens) {
    bot.tokens_per_minute = 600;
    open_gate(bot);
    EXPECT_EQ(status_of(chat(at(0s), std::nullopt)), 429);
    const auto reply = chat(at(1s), std::nullopt);
    ASSERT_EQ(status_of(reply), 200);
    g->access.charge_tokens(std::get<admitted_request>(reply), at(1s), 200);
    EXPECT_EQ(status_of(chat(at(59s), std::nullopt)), 429);
    EXPECT_EQ(status_of(chat(at(61s), std::nullopt)), 200) << "200 tokens a minute";
}

TEST_F(shared_key, reports_its_own_usage_when_the_others_answer_again) {
    bot.requests_per_minute = 60;
    open_gate(bot);
    chat(at(0s), yes);
    EXPECT_FALSE(others->queries.back().is_doubtful);
    let_in_alone(1, at(1s));
    chat(at(2s), yes);
    EXPECT_TRUE(others->queries.back().is_doubtful);
    EXPECT_EQ(others->queries.back().requests_time_until_full, 59s);
    EXPECT_EQ(status_of(chat(at(2s), yes)), 200) << "the answer counts alone";
    EXPECT_FALSE(others->queries.back().is_doubtful);
}

TEST_F(shared_key, doubts_what_others_know_if_they_were_not_told_its_tokens) {
    bot.tokens_per_minute = 600;
    open_gate(bot);
    const auto reply = chat(at(0s), yes);
    g->access.charge_tokens(std::get<admitted_request>(reply), at(0s), 1200);
    others->report_handlers.back()(at(0s), false);
    chat(at(0s), yes);
    EXPECT_TRUE(others->queries.back().is_doubtful);
    EXPECT_EQ(others->queries.back().tokens_time_until_full, 120s);
}

}  // namespace
