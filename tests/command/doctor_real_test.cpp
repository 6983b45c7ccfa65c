#include "doctor_fixture.hpp"
#include "support/real_server.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace {

using namespace tandem::testing;

class doctor_at_the_real_server : public testing::Test {
 protected:
    void SetUp() override {
        const auto why_not = real_server::why_unavailable();
        if (!why_not.empty() && real_server::is_required()) FAIL() << why_not;
        if (!why_not.empty()) GTEST_SKIP() << why_not;
    }
    doctor_run run(const std::vector<std::string>& server_args,
                   std::vector<std::string> more = {"--json"}) {
        server_.emplace(server_args);
        more.insert(more.begin(), {"--url", server_->url()});
        auto child = start_doctor(std::move(more));
        return wait_for_doctor(child);
    }

    std::optional<real_server> server_;
};

TEST_F(doctor_at_the_real_server, finds_it_good) {
    const auto r = run({});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    const auto m = r.object()["measurements"];
    EXPECT_EQ(m["rounds"], 3);
    EXPECT_LE(m["cache_same_slot"]["evaluated_tokens"], 2);
    EXPECT_GT(m["cache_same_slot"]["cached_tokens"], 200);
    EXPECT_GT(m["cache_other_slot"]["evaluated_tokens"], 200);
    EXPECT_LE(m["cache_prefilled_slot"]["evaluated_tokens"], 2);
    EXPECT_LE(m["cache_first_slot_again"]["evaluated_tokens"], 4);
    EXPECT_LE(m["cache_after_change"]["evaluated_tokens"], 8);
    EXPECT_GE(m["tokens_after_cut"], 0);
    EXPECT_LE(m["tokens_after_cut"], 64);
    EXPECT_GT(m["tokens_per_second"], 0);
}

TEST_F(doctor_at_the_real_server, finds_that_it_evaluates_conversations_again) {
    const auto r = run({"--cache-ram", "0"});
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.check("host_memory")["status"], "warning") << r.out;
    EXPECT_GT(r.object()["measurements"]["cache_after_change"]["evaluated_tokens"], 200);
}

TEST_F(doctor_at_the_real_server, leaves_it_idle) {
    run({});
    for (const auto& use : server_->finished_uses()) EXPECT_TRUE(use.end);
}

TEST_F(doctor_at_the_real_server, finds_that_slots_that_share_a_cache_lose_it) {
    const auto r = run({"--parallel", "-1"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("pinned_slots")["status"], "bad") << r.out;
    EXPECT_EQ(r.object()["measurements"]["cache_first_slot_again"]["cached_tokens"], 0);
}

TEST_F(doctor_at_the_real_server, finds_that_they_keep_it_where_idle_slots_are_not_cleared) {
    const auto r = run({"--parallel", "-1", "--no-cache-idle-slots"});
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.check("pinned_slots")["status"], "ok");
}

TEST_F(doctor_at_the_real_server, reports_that_it_wants_a_key) {
    const auto r = run({"--api-key", "sesame"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("api_key")["status"], "bad");
}

}  // namespace
