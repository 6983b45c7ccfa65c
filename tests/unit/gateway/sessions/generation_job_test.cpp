#include "gateway/sessions/generation_job.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem::gateway {
namespace {

TEST(estimate_job_bytes, counts_the_memory_of_empty_messages) {
    generation_job job;
    job.setup.messages.resize(1'000);
    EXPECT_GE(estimate_job_bytes(job), 1'000 * sizeof(chat_message));
}

TEST(estimate_job_bytes, counts_the_memory_of_empty_calls) {
    generation_job job;
    job.setup.messages.resize(1);
    job.setup.messages[0].tool_calls.resize(1'000);
    EXPECT_GE(estimate_job_bytes(job), 1'000 * sizeof(tool_call));
}

TEST(estimate_job_bytes, counts_all_texts) {
    const std::string text(1'000, 'x');
    generation_job job;
    const auto before = estimate_job_bytes(job);
    job.prompt = text;
    job.options.tools = text;
    job.setup.messages = {{.role = "user", .content = text, .tool_calls = {{text, text, text}}}};
    EXPECT_GE(estimate_job_bytes(job), before + 6 * text.size());
}

}  // namespace
}  // namespace tandem::gateway
