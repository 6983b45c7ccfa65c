#include "gateway/adapters/adapter_jobs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem::gateway {
namespace {

const adapter_job& added(adapter_jobs& jobs, const std::string& id) {
    return *jobs.add(id, "formal", 0.5, 100);
}

TEST(adapter_jobs, wait_until_they_are_begun) {
    adapter_jobs jobs;
    EXPECT_EQ(added(jobs, "a").state, adapter_job_state::queued);
    EXPECT_EQ(jobs.begin_next_job()->id, "a");
    EXPECT_EQ(jobs.find("a")->state, adapter_job_state::running);
    EXPECT_EQ(jobs.find("a")->scale, 0.5);
}

TEST(adapter_jobs, run_one_at_a_time_in_their_order) {
    adapter_jobs jobs;
    added(jobs, "a");
    added(jobs, "b");
    EXPECT_EQ(jobs.begin_next_job()->id, "a");
    EXPECT_EQ(jobs.begin_next_job(), nullptr);
    jobs.end_running_job("", {}, 200);
    EXPECT_EQ(jobs.begin_next_job()->id, "b");
    jobs.end_running_job("", {}, 200);
    EXPECT_EQ(jobs.begin_next_job(), nullptr);
}

TEST(adapter_jobs, are_done_or_have_failed_at_their_end) {
    adapter_jobs jobs;
    added(jobs, "a");
    added(jobs, "b");
    jobs.begin_next_job();
    jobs.end_running_job("", {{"http://a:1", ""}}, 200);
    jobs.begin_next_job();
    jobs.end_running_job("no server", {}, 201);
    EXPECT_EQ(jobs.find("a")->state, adapter_job_state::done);
    EXPECT_EQ(jobs.find("a")->servers.size(), 1u);
    EXPECT_EQ(jobs.find("a")->finished, 200);
    EXPECT_EQ(jobs.find("b")->state, adapter_job_state::failed);
    EXPECT_EQ(jobs.find("b")->fault, "no server");
}

TEST(adapter_jobs, end_once) {
    adapter_jobs jobs;
    added(jobs, "a");
    jobs.end_running_job("early", {}, 200);
    EXPECT_EQ(jobs.find("a")->state, adapter_job_state::queued);
}

TEST(adapter_jobs, are_refused_if_too_many_wait) {
    adapter_jobs jobs;
    added(jobs, "runs");
    jobs.begin_next_job();
    for (std::size_t i = 0; i < adapter_jobs::max_waiting; ++i) added(jobs, std::to_string(i));
    EXPECT_EQ(jobs.add("more", "formal", 1, 100), nullptr);
    EXPECT_EQ(jobs.find("more"), nullptr);
}

TEST(adapter_jobs, are_forgotten_the_oldest_first) {
    adapter_jobs jobs;
    for (std::size_t i = 0; i <= adapter_jobs::max_remembered; ++i) {
        added(jobs, std::to_string(i));
        jobs.begin_next_job();
        jobs.end_running_job("", {}, 200);
    }
    EXPECT_EQ(jobs.find("0"), nullptr);
    EXPECT_NE(jobs.find("1"), nullptr);
    added(jobs, "next");
    EXPECT_EQ(jobs.begin_next_job()->id, "next");
}

}  // namespace
}  // namespace tandem::gateway
