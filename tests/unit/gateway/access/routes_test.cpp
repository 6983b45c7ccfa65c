#include "gateway/access/routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::string_literals;
using tandem::gateway::all_routes;
using tandem::gateway::api_error;
using tandem::gateway::endpoint;
using tandem::gateway::match_route;
using tandem::gateway::matched_route;
using tandem::gateway::max_target_bytes;
using tandem::gateway::right;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The endpoint of the route, or nothing for an error.
std::optional<endpoint> endpoint_of(std::string_view method, std::string_view target) {
    const auto found = match_route(method, target);
    const auto* const f = std::get_if<matched_route>(&found);
    return f ? std::optional(f->route->endpoint) : std::nullopt;
}

// The parameter as "<…>", or the status of the error. The marks make an empty parameter visible.
std::string parameter_of(std::string_view method, std::string_view target) {
    const auto found = match_route(method, target);
    if (const auto* const e = std::get_if<api_error>(&found)) return std::to_string(e->status);
    return "<" + std::get<matched_route>(found).parameter + ">";
}

api_error error_of(std::string_view method, std::string_view target) {
    const auto found = match_route(method, target);
    const auto* const e = std::get_if<api_error>(&found);
    return e ? *e : api_error{.status = 200};
}

int status_of(std::string_view method, std::string_view target) {
    return error_of(method, target).status;
}

// A target that matches the pattern.
std::string sample(std::string_view pattern) {
    std::string target(pattern);
    const auto open = target.find('{');
    if (open != std::string::npos) target.replace(open, target.find('}') + 1 - open, "some-id");
    return target;
}

TEST(routes, are_found_each_by_its_own_path) {
    for (const auto& r : all_routes()) {
        const auto found = match_route(r.method, sample(r.path));
        ASSERT_TRUE(std::holds_alternative<matched_route>(found)) << r.path;
        EXPECT_EQ(std::get<matched_route>(found).route, &r) << r.path;
    }
}

TEST(routes, have_at_most_one_parameter_which_is_a_segment) {
    for (const auto& r : all_routes()) {
        EXPECT_LE(std::ranges::count(r.path, '{'), 1) << r.path;
        const auto open = r.path.find('{');
        EXPECT_TRUE(open == std::string_view::npos || r.path[open - 1] == '/') << r.path;
    }
}

TEST(routes, are_open_if_they_tell_nothing_of_what_runs_here) {
    std::vector<std::string_view> open;
    for (const auto& r : all_routes())
        if (r.required_right == right::open) open.push_back(r.path);
    EXPECT_THAT(open, ElementsAre("/livez", "/health", "/readyz", "/ready", "/", "/assets/{name}"));
}

TEST(routes, that_change_what_is_served_need_the_right_to) {
    for (const auto& r : all_routes())
        EXPECT_EQ(r.path.starts_with("/admin/"), r.required_right == right::admin) << r.path;
}

TEST(match_route, cuts_the_query_off) {
    EXPECT_EQ(endpoint_of("GET", "/v1/models?limit=2"), endpoint::list_models);
    EXPECT_EQ(endpoint_of("GET", "/?"), endpoint::page);
    EXPECT_EQ(endpoint_of("GET", "/health?a=/v1/models"), endpoint::live);
    EXPECT_EQ(parameter_of("GET", "/v1/models/tiny?x=%zz"), "<tiny>");
}

TEST(match_route, takes_head_as_get) {
    EXPECT_EQ(endpoint_of("HEAD", "/health"), endpoint::live);
    EXPECT_EQ(status_of("HEAD", "/v1/completions"), 405);
}

TEST(match_route, reports_which_methods_a_path_takes) {
    const auto post_only = error_of("GET", "/v1/chat/completions");
    EXPECT_EQ(post_only.status, 405);
    EXPECT_EQ(post_only.allow, "POST");
    EXPECT_EQ(error_of("DELETE", "/v1/models").allow, "GET, HEAD");
    EXPECT_EQ(error_of("OPTIONS", "/").allow, "GET, HEAD");
}

TEST(match_route, knows_methods_in_upper_case_only) {
    for (const auto* const method : {"get", "Get", "post", "", "GET "})
        EXPECT_EQ(status_of(method, "/health"), 405) << method;
    EXPECT_EQ(status_of("GET\0"s, "/health"), 405);
}

struct parameter_case {
    const char* method;
    std::string target;
    std::string expected;
};

class parameters : public ::testing::TestWithParam<parameter_case> {};

TEST_P(parameters, are_decoded_or_the_path_is_not_there) {
    const auto& c = GetParam();
    EXPECT_EQ(parameter_of(c.method, c.target), c.expected) << c.target;
}

INSTANTIATE_TEST_SUITE_P(
    plain, parameters,
    ::testing::Values(parameter_case{"POST", "/admin/adapters/pirate/load", "<pirate>"},
                      parameter_case{"GET", "/admin/jobs/42", "<42>"},
                      parameter_case{"GET", "/v1/models/my%20model", "<my model>"},
                      parameter_case{"GET", "/v1/models/a+b", "<a+b>"},
                      parameter_case{"GET", "/v1/models/100%25", "<100%>"},
                      parameter_case{"GET", "/v1/models/%C3%A4", "<\xC3\xA4>"},
                      parameter_case{"GET", "/v1/models/\xC3\xA4", "<\xC3\xA4>"},
                      parameter_case{"GET", "/v1/models/tiny:q4.gguf", "<tiny:q4.gguf>"}));

INSTANTIATE_TEST_SUITE_P(
    with_slashes, parameters,
    ::testing::Values(parameter_case{"GET", "/v1/models/org/model", "<org/model>"},
                      parameter_case{"GET", "/v1/models/org%2Fmodel", "<org/model>"},
                      parameter_case{"GET", "/v1/models/org%2fmodel", "<org/model>"},
                      parameter_case{"GET", "/v1/models//model", "404"},
                      parameter_case{"GET", "/v1/models/org/", "404"},
                      parameter_case{"GET", "/v1/models/%2Forg", "404"},
                      parameter_case{"GET", "/assets/css/page.css", "404"},
                      parameter_case{"GET", "/assets/css%2Fpage.css", "404"},
                      parameter_case{"GET", "/admin/jobs/1%2F2", "404"},
                      parameter_case{"POST", "/admin/adapters/a/b/load", "404"}));

INSTANTIATE_TEST_SUITE_P(with_dots, parameters,
                         ::testing::Values(parameter_case{"GET", "/assets/page.css", "<page.css>"},
                                           parameter_case{"GET", "/assets/...", "<...>"},
                                           parameter_case{"GET", "/assets/.", "404"},
                                           parameter_case{"GET", "/assets/..", "404"},
                                           parameter_case{"GET", "/assets/%2e%2E", "404"},
                                           parameter_case{"GET", "/assets/..%2fetc%2fpasswd",
                                                          "404"},
                                           parameter_case{"GET", "/assets/..\\etc", "404"},
                                           parameter_case{"GET", "/assets/..%5cetc", "404"},
                                           parameter_case{"GET", "/v1/models/../voice", "404"},
                                           parameter_case{"GET", "/v1/models/a/%2e%2e/b", "404"},
                                           parameter_case{"GET", "/v1/models/a%2f..%2fb", "404"},
                                           parameter_case{"GET", "/v1/models/a/..", "404"}));

INSTANTIATE_TEST_SUITE_P(hostile, parameters,
                         ::testing::Values(parameter_case{"GET", "/v1/models/", "404"},
                                           parameter_case{"POST", "/admin/adapters//load", "404"},
                                           parameter_case{"POST", "/admin/adapters/load", "404"},
                                           parameter_case{"GET", "/v1/models/%", "404"},
                                           parameter_case{"GET", "/v1/models/a%4", "404"},
                                           parameter_case{"GET", "/v1/models/%zz", "404"},
                                           parameter_case{"GET", "/v1/models/%-1", "404"},
                                           parameter_case{"GET", "/v1/models/%+1", "404"},
                                           parameter_case{"GET", "/v1/models/%0x", "404"},
                                           parameter_case{"GET", "/v1/models/%00", "404"},
                                           parameter_case{"GET", "/v1/models/a\0b"s, "404"},
                                           parameter_case{"GET", "/v1/models/%0d%0aSet-Cookie:x",
                                                          "404"},
                                           parameter_case{"GET", "/v1/models/%7F", "404"},
                                           parameter_case{"GET", "/v1/models/%ff", "404"},
                                           parameter_case{"GET", "/v1/models/%C0%AF", "404"},
                                           parameter_case{"GET", "/v1/models/%ED%A0%80", "404"},
                                           parameter_case{"GET", "/v1/models/\xC3", "404"}));

class no_path : public ::testing::TestWithParam<std::string> {};

TEST_P(no_path, is_found) {
    EXPECT_EQ(status_of("GET", GetParam()), 404) << GetParam();
    EXPECT_EQ(status_of("POST", GetParam()), 404) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(like_these, no_path,
                         ::testing::Values("", "*", "?", "health", "//", "//health", "/health/",
                                           "/Health", "/health\0"s, "/health#top", "/%68ealth",
                                           "/./health", "/v1/../health", "/v1", "/v1/",
                                           "/v1/voice/..", "/v1//models", "/v1%2Fmodels", "/admin",
                                           "/admin/adapters/", "/assets", "/assets/",
                                           "ftp://here/health", "here:80", "\xFF\xFE", " /health"));

TEST(match_route, tells_when_the_version_of_the_api_is_missing) {
    EXPECT_EQ(error_of("POST", "/chat/completions").message,
              "there is no POST /chat/completions; add /v1 to the base URL");
    EXPECT_EQ(error_of("POST", "/embeddings").message, "there is no POST /embeddings");
}

TEST(match_route, bounds_what_it_reads_and_repeats) {
    const std::string long_path = "/v1/models/" + std::string(1 << 20, 'a');
    const auto e = error_of(std::string(1 << 20, 'G'), long_path);
    EXPECT_EQ(e.status, 404);
    EXPECT_LT(e.message.size(), 300u);
    EXPECT_EQ(status_of("GET", "/health?" + std::string(max_target_bytes, 'q')), 404);
    EXPECT_EQ(parameter_of("GET", "/v1/models/" + std::string(256, 'a')).size(), 258u);
    EXPECT_EQ(status_of("GET", "/v1/models/" + std::string(257, 'a')), 404);
}

TEST(match_route, repeats_no_query_as_it_may_have_secrets) {
    EXPECT_THAT(error_of("GET", "/nothing?api_key=tdm_secret").message, Not(HasSubstr("secret")));
    EXPECT_THAT(error_of("PUT", "/health?api_key=tdm_secret").message, Not(HasSubstr("secret")));
}

TEST(routes, are_found_if_a_proxy_put_the_servers_name_before_them) {
    EXPECT_EQ(endpoint_of("GET", "http://gateway.example:8081/health"), endpoint::live);
    EXPECT_EQ(endpoint_of("GET", "http://gateway.example/health?x=http://a/b"), endpoint::live);
    EXPECT_EQ(endpoint_of("GET", "https://gateway.example"), endpoint::page);
    EXPECT_EQ(status_of("GET", "http:///"), 200);
    EXPECT_EQ(status_of("GET", "ftp://gateway.example/health"), 404);
}

}  // namespace
