#include "integration/mock_fixture.hpp"

// Calls that the client refuses without contacting the server.
namespace tandem::testing {
namespace {

using ::testing::HasSubstr;

class refused_call : public client_and_mock {
 protected:
    void SetUp() override {
        server_options.slot_actions = true;
        start();
    }

    // Expects the call to fail with `code` and `words`, without a connection to the server.
    template <class Result, class Ask>
    void expect_refusal(errc code, const std::string& words, Ask ask) {
        diagnostics diag;
        const auto got = loop.call<Result>([&](auto h) { ask(std::move(h), &diag); });
        EXPECT_EQ(got.first, code);
        EXPECT_THAT(diag.client_message, HasSubstr(words));
        EXPECT_EQ(server->observe().connections, 0u);
    }
};

TEST_F(refused_call, messages_have_text_that_is_not_utf8) {
    std::vector<chat_message> messages(3);
    messages[1].tool_calls = {{.id = "c1", .name = "rain", .arguments = "{\"in\":\"K\xF6ln\"}"}};
    expect_refusal<std::string>(
        errc::invalid_prompt, "the arguments of tool call 0 of message 1",
        [&](auto h, auto* d) { llm->async_apply_template(messages, *d, std::move(h)); });
}

TEST_F(refused_call, a_slots_file_has_a_name_that_leads_elsewhere) {
    expect_refusal<slot_file_result>(
        errc::bad_request, "\"../keys\" cannot be the name of a slot's file",
        [&](auto h, auto* d) { llm->async_save_slot(0, "../keys", *d, std::move(h)); });
    expect_refusal<slot_file_result>(
        errc::bad_request, "\"\" cannot be the name of a slot's file",
        [&](auto h, auto* d) { llm->async_restore_slot(0, "", *d, std::move(h)); });
}

}  // namespace
}  // namespace tandem::testing
