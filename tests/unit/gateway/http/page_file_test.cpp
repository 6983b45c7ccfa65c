#include "gateway/http/page_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace {

using namespace tandem::gateway;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> matches(std::string_view text, const char* pattern) {
    const std::regex expression(pattern);
    const std::string all(text);
    std::vector<std::string> found;
    for (std::sregex_iterator it(all.begin(), all.end(), expression), end; it != end; ++it)
        found.push_back((*it)[1]);
    return found;
}

TEST(the_page, has_all_files_that_it_names) {
    const auto named = matches(index_page().text, "(?:src|href)=\"assets/([^\"]+)\"");
    EXPECT_GE(named.size(), 3u);
    for (const auto& name : named) EXPECT_NE(find_asset(name), nullptr) << name;
    for (const auto& file : page_files())
        for (const auto& name : matches(file.text, "from '\\./([^']+)'"))
            EXPECT_NE(find_asset(name), nullptr) << name << ", of " << file.name;
}

TEST(the_page, loads_nothing_from_elsewhere) {
    for (const auto& file : page_files())
        for (const auto& host : matches(file.text, "https?://([^/']+)"))
            EXPECT_EQ(host, "www.w3.org") << "no name of a namespace, in " << file.name;
}

TEST(the_page, has_neither_styles_nor_scripts_that_its_policy_forbids) {
    EXPECT_TRUE(matches(index_page().text, "(<style|<script>|style=|onclick=)").empty());
    EXPECT_THAT(std::string(page_content_security_policy), StartsWith("default-src 'none'"));
    EXPECT_THAT(std::string(page_content_security_policy), Not(HasSubstr("unsafe")));
}

TEST(the_page, has_a_type_and_a_tag_for_each_file) {
    EXPECT_EQ(index_page().content_type, "text/html; charset=utf-8");
    EXPECT_EQ(find_asset("main.js")->content_type, "text/javascript; charset=utf-8");
    EXPECT_EQ(find_asset("page.css")->content_type, "text/css; charset=utf-8");
    for (const auto& file : page_files())
        EXPECT_TRUE(std::regex_match(std::string(file.etag), std::regex("\"[0-9a-f]{16}\"")))
            << file.name << ": " << file.etag;
}

TEST(the_page, is_no_asset_itself) {
    EXPECT_EQ(find_asset("index.html"), nullptr);
    EXPECT_EQ(find_asset("nothing.js"), nullptr);
    EXPECT_EQ(find_asset(""), nullptr);
}

TEST(a_file_that_a_client_has, is_known_by_its_tag) {
    const auto& page = index_page();
    const std::string tag(page.etag);
    EXPECT_TRUE(matches_etag(tag, page));
    EXPECT_TRUE(matches_etag("\"other\", W/" + tag, page));
    EXPECT_TRUE(matches_etag("*", page));
    EXPECT_FALSE(matches_etag("", page));
    EXPECT_FALSE(matches_etag("\"other\"", page));
}

}  // namespace
