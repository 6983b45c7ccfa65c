#include "replay/replay_text_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using namespace tandem::command;
using testing::HasSubstr;

class text_view_status : public testing::Test {
 protected:
    ~text_view_status() override { ::close(nowhere_); }

    tandem::chunk chunk_{.text = "Hello.", .metrics = {.slot = 0}};
    tandem::reply_result result_;
    const int nowhere_ = ::open("/dev/null", O_WRONLY);
    terminal terminal_{nowhere_, nowhere_};
    replay_text_view view_{terminal_, {}, 1, 1h};
};

TEST_F(text_view_status, reports_that_a_server_has_not_answered_yet) {
    EXPECT_THAT(view_.describe_activity(), HasSubstr("waiting for the server"));
}

TEST_F(text_view_status, reports_what_a_reply_waits_for) {
    view_.on_server_ready("http://a:1", {});
    view_.on_reply_started({.where = {"p1", 0}, .prompt = "Hi"});
    EXPECT_THAT(view_.describe_activity(), HasSubstr("waiting for the server"));
    view_.on_chunk({.where = {"p1", 0}, .chunk = chunk_, .speech_ms = 1e6});
    EXPECT_THAT(view_.describe_activity(), HasSubstr("speaking"));
    view_.on_chunk({.where = {"p1", 0}, .chunk = chunk_});
    EXPECT_THAT(view_.describe_activity(), HasSubstr("waiting 3600.0 s for the reuse guard"));
}

TEST_F(text_view_status, reports_that_the_user_speaks) {
    view_.on_user_speaks();
    EXPECT_THAT(view_.describe_activity(), HasSubstr("the user is speaking"));
    view_.on_reply_started({.where = {"p1", 0}, .prompt = "Hi"});
    EXPECT_THAT(view_.describe_activity(), HasSubstr("waiting for the server"));
}

TEST_F(text_view_status, knows_the_slot_of_a_reply_that_had_no_chunk) {
    view_.on_reply_started({.where = {"p1", 0}, .prompt = "Hi"});
    result_.metrics.slot = 0;
    result_.metrics.requests = 1;
    view_.on_reply_ended({.where = {"p1", 0}, .result = result_});
    view_.on_reply_started({.where = {"p2", 0}, .prompt = "Hi"});
    EXPECT_THAT(view_.describe_activity(), HasSubstr("for the reuse guard"));
}

}  // namespace
