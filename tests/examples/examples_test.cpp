#include "support/child_process.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::testing {
namespace {

child_process::ended run_example(const std::string& name, const mock::server& server) {
    child_process example(std::string(TANDEM_EXAMPLES "/example_") + name,
                          {.args = {server.url(), "Hello"}});
    return example.wait();
}

TEST(example, coroutine_speaks_each_sentence_and_tells_how_it_ended) {
    mock::options options;
    options.replies = {{"", "Good morning to you and to all of your family. How are you?"}};
    const mock::server server(options);
    const auto run = run_example("coroutine", server);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith("[Good morning to you and to all of your family.]\n"
                                               "[How are you?]\n"
                                               "eos, LLMSlotMetrics("));
}

}  // namespace
}  // namespace tandem::testing
