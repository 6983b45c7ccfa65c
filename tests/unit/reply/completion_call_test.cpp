#include "reply/completion_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace {

using tandem::detail::completion_call;
using tandem::transport::exchange_handler;
using testing::ElementsAre;

struct fake_exchange final : tandem::transport::exchange {
    void pause() override {}
    void resume() override {}
};

struct fake_transport final : tandem::transport::http_transport {
    std::unique_ptr<tandem::transport::exchange> start(tandem::transport::http_request,
                                                       exchange_handler& h) override {
        handler = &h;
        return std::make_unique<fake_exchange>();
    }
    exchange_handler* handler = nullptr;
};

// The callbacks for an answer with this status and body, in order.
std::vector<std::string> told_by(int status, std::string_view body) {
    std::vector<std::string> told;
    completion_call call(
        {.begun = [&] { told.emplace_back("begun"); },
         .read = [&](const auto& event) { told.push_back(event.content); },
         .on_failed = [&](const auto& why) { told.push_back(tandem::error_name(why.ec)); }});
    fake_transport transport;
    call.start(transport, "{}", std::make_shared<int>());
    transport.handler->on_status(status);
    transport.handler->on_data(body);
    transport.handler->on_end({}, {});
    return told;
}

TEST(completion_call, begins_with_the_status_of_a_stream) {
    EXPECT_THAT(told_by(200, "data: {\"content\":\"Hi\",\"tokens\":[1]}\n\n"),
                ElementsAre("begun", "Hi", "stream_incomplete"));
}

// No slot works on a refused request. `begun` would lift the time limit for retries, so it must not
// be called.
TEST(completion_call, is_not_begun_by_a_refusal) {
    EXPECT_THAT(told_by(503, R"({"error":{"code":503,"message":"Loading model",)"
                             R"("type":"unavailable_error"}})"),
                ElementsAre("model_loading"));
}

}  // namespace
