// Web pages of other origins as clients of the gateway.

#include "gateway/gateway_fixture.hpp"

#include <string>
#include <string_view>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string bot = "https://bot.example";
constexpr auto path = "/v1/chat/completions";

class gateway_for_pages : public a_gateway {
 protected:
    gateway_for_pages() { options.allowed_origins = {bot}; }

    /// Sends a page's request, or, with OPTIONS, the preflight request of the page's browser.
    http_answer ask(const std::string& origin, std::string_view method,
                    std::string_view target = path, const std::string& body = chat().dump()) {
        http_client c(port);
        c.headers = {{"Origin", origin}, {"Authorization", authorization}};
        if (method != "OPTIONS") return c.ask(method, target, body);
        c.headers = {{"Origin", origin},
                     {"Access-Control-Request-Method", "POST"},
                     {"Access-Control-Request-Headers", "authorization,x-stainless-os"}};
        return c.ask(method, target, {});
    }

    std::string authorization;
};

TEST_F(gateway_for_pages, tells_a_browser_what_its_page_may_send) {
    start();
    const auto answer = ask(bot, "OPTIONS");
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.headers.at("access-control-allow-origin"), bot);
    EXPECT_THAT(answer.headers.at("access-control-allow-methods"), HasSubstr("POST"));
    EXPECT_EQ(answer.headers.at("access-control-allow-headers"), "authorization,x-stainless-os");
    EXPECT_EQ(answer.headers.at("vary"), "Origin");
    EXPECT_FALSE(answer.headers.contains("content-length"));
}

TEST_F(gateway_for_pages, lets_its_pages_read_answers_and_streams) {
    start();
    const auto whole = ask(bot, "POST");
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(whole.headers.at("access-control-allow-origin"), bot);
    EXPECT_THAT(whole.headers.at("access-control-expose-headers"), HasSubstr("X-Request-Id"));
    const auto stream = ask(bot, "POST", path, chat("Hello!", {{"stream", true}}).dump());
    EXPECT_EQ(stream.headers.at("access-control-allow-origin"), bot);
    EXPECT_EQ(text_of(stream), story);
}

TEST_F(gateway_for_pages, lets_its_pages_read_errors) {
    start();
    const auto refused = ask(bot, "POST", path, "{");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.headers.at("access-control-allow-origin"), bot);
}

TEST_F(gateway_for_pages, refuses_other_pages_and_reports_how_to_allow_them) {
    start();
    for (const auto& refused :
         {ask("https://evil.example", "OPTIONS"), ask("https://evil.example", "POST")}) {
        EXPECT_EQ(refused.status, 403);
        EXPECT_FALSE(refused.headers.contains("access-control-allow-origin"));
        EXPECT_THAT(refused.body, HasSubstr("https://evil.example"));
        EXPECT_THAT(refused.body, HasSubstr("--allow-origin"));
    }
}

TEST_F(gateway_for_pages, has_no_answer_for_a_page_if_there_is_no_route) {
    start();
    EXPECT_EQ(ask(bot, "OPTIONS", "/v1/nothing").status, 404);
    EXPECT_EQ(ask(bot, "OPTIONS", "/v1/models").status, 405) << "a POST";
    EXPECT_EQ(client().ask("OPTIONS", path, {}).status, 405) << "no browser asks like this";
}

TEST_F(gateway_for_pages, requires_the_key_of_a_page_but_not_of_its_browser) {
    const auto made = gateway::make_api_key();
    options.keys = gateway::api_keys({{.name = "page", .sha256 = *gateway::hash_sha256(made.key)}});
    options.allowed_origins = {"*"};
    start();
    EXPECT_EQ(ask(bot, "OPTIONS").status, 204);
    const auto refused = ask(bot, "POST");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.headers.at("access-control-allow-origin"), bot);
    authorization = "Bearer " + made.key;
    EXPECT_EQ(ask(bot, "POST").status, 200);
    EXPECT_THAT(audited().front(), HasSubstr("OPTIONS"));
}

TEST_F(gateway_for_pages, does_not_open_itself_to_all_pages_without_keys) {
    options.allowed_origins = {"*"};
    EXPECT_THROW(start(), config_error);
}

TEST_F(a_gateway, says_nothing_about_origins_unless_some_are_allowed) {
    start();
    http_client c(port);
    c.headers["Origin"] = "http://localhost:3000";
    const auto answer = c.post(path, chat());
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.headers.contains("access-control-allow-origin"));
    EXPECT_FALSE(answer.headers.contains("vary"));
}

}  // namespace
