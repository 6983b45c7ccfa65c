// The command writes valid UTF-8 and valid JSON, whatever the server sends.

#include "replay_fixture.hpp"
#include "support/scripted_server.hpp"

#include "tandem/utf8.hpp"

namespace tandem::testing {
namespace {

using ::testing::HasSubstr;

#define REPLACED "\xEF\xBF\xBD"

boost::asio::awaitable<void> answer_with_invalid_bytes(scripted_peer& peer) {
    const auto request = co_await peer.read_request();
    if (request.starts_with("GET /props"))
        co_await peer.send(whole_answer("{\"total_slots\":1,\"model_alias\":\"m\xE2\x82\"}"));
    else if (request.find("\"prompt\":\"fail\"") != std::string::npos)
        co_await peer.send(
            whole_answer("{\"error\":{\"code\":500,\"message\":\"out of\xFF luck\"}}", "500 No"));
    else
        co_await peer.send(
            whole_answer("data: {\"content\":\"Caf\xC3\"}\n\n"
                         "data: {\"content\":\"\xA9 \xFF.\"}\n\n"
                         "data: {\"content\":\"\",\"stop\":true}\n\n"));
}

class replay_of_invalid_bytes : public replay_test {
 protected:
    scripted_server scripted_{answer_with_invalid_bytes};
};

TEST_F(replay_of_invalid_bytes, is_valid_json) {
    const auto r = run({"--url", scripted_.url(), "--json", "--prompt", "hello"});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_EQ(r.event("chunk")["text"], "Caf\xC3\xA9 " REPLACED ".");
    EXPECT_EQ(sanitized_utf8(r.out + r.err), r.out + r.err);
}

TEST_F(replay_of_invalid_bytes, is_valid_json_of_an_error_too) {
    const auto r = run({"--url", scripted_.url(), "--json", "--prompt", "fail"});
    EXPECT_EQ(r.event("error")["code"], "server_error");
    EXPECT_THAT(r.out, HasSubstr("out of" REPLACED " luck"));
    EXPECT_EQ(sanitized_utf8(r.out + r.err), r.out + r.err);
}

TEST_F(replay_of_invalid_bytes, is_valid_text) {
    const auto r = run({"--url", scripted_.url(), "--log-level", "debug", "--prompt", "hello"});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_THAT(r.out, HasSubstr("Caf\xC3\xA9 " REPLACED "."));
    EXPECT_EQ(sanitized_utf8(r.out + r.err), r.out + r.err);
}

}  // namespace
}  // namespace tandem::testing
