#include "replay_fixture.hpp"

#include <algorithm>

// If a server cannot be used, every command names the server, and the flags to correct, in the same
// words.
namespace tandem::testing {
namespace {

using ::testing::HasSubstr;

class server_messages : public replay_test,
                        public ::testing::WithParamInterface<std::vector<std::string>> {
 protected:
    std::string output_with(const std::vector<std::string>& flags) const {
        auto args = GetParam();
        args.insert(args.end(), flags.begin(), flags.end());
        const auto end = child_process(program, {.args = std::move(args), .input = "Hi\n"}).wait();
        EXPECT_EQ(end.status, 1);
        // Joins the lines again, because `tandem doctor` wraps its messages.
        auto text = end.out + end.err;
        std::ranges::replace(text, '\n', ' ');
        const auto are_spaces = [](char a, char b) { return a == ' ' && b == ' '; };
        text.erase(std::unique(text.begin(), text.end(), are_spaces), text.end());
        return text;
    }
};

TEST_P(server_messages, of_an_unreachable_server_name_flag_and_variable) {
    const auto text = output_with({"--url", "http://127.0.0.1:1"});
    EXPECT_THAT(text, HasSubstr("cannot connect to http://127.0.0.1:1"));
    EXPECT_THAT(text, HasSubstr("start llama-server, or set --url or TANDEM_URL to its URL"));
}

TEST_P(server_messages, of_a_wrong_or_missing_key_name_flag_and_variable) {
    start_server({.api_key = "sesame"});
    for (const auto& key : {std::vector<std::string>{}, {"--api-key", "wrong"}}) {
        std::vector<std::string> flags{"--url", server_->url()};
        flags.insert(flags.end(), key.begin(), key.end());
        const auto text = output_with(flags);
        EXPECT_THAT(text, HasSubstr("the server rejected the API key, or requires one"));
        EXPECT_THAT(text, HasSubstr("use --api-key-file FILE or TANDEM_API_KEY to pass the one it "
                                    "was started with"));
    }
}

INSTANTIATE_TEST_SUITE_P(commands, server_messages,
                         ::testing::Values(std::vector<std::string>{"replay", "--user", "Hi"},
                                           std::vector<std::string>{"chat", "--tts", "none"},
                                           std::vector<std::string>{"bench", "--turns", "1"},
                                           std::vector<std::string>{"doctor", "--quick"}),
                         [](const auto& row) { return row.param.front(); });

class json_of_a_chat : public replay_test {};

TEST_F(json_of_a_chat, has_the_error_of_a_server_that_is_away_as_has_stderr) {
    const auto end =
        child_process(program,
                      {.args = {"chat", "--tts", "none", "--json", "--url", "http://127.0.0.1:1"},
                       .input = "Hello\n"})
            .wait();
    const finished_run r{end.status, end.out, end.err};
    const auto error = r.event("error");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(error["server"], "http://127.0.0.1:1");
    EXPECT_EQ(error["code"], "connect_failed");
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("cannot connect to"));
    EXPECT_THAT(end.err, HasSubstr("http://127.0.0.1:1: connect_failed"));
}

}  // namespace
}  // namespace tandem::testing
