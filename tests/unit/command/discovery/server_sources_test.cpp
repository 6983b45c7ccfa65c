#include "discovery/server_sources.hpp"

#include "discovery/server_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::command {
namespace {

using gateway::model_servers;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* name = "http://llama:8080";

server_source named_source() {
    return {"talk", {.url = name, .is_name = true}};
}

TEST(make_address_urls, have_the_same_url_for_the_same_address) {
    const auto first = make_address_urls(name, {"10.0.0.2", "10.0.0.1"}).urls;
    EXPECT_THAT(first, ElementsAre("http://llama:8080#10.0.0.1", "http://llama:8080#10.0.0.2"));
    EXPECT_EQ(make_address_urls(name, {"10.0.0.1", "10.0.0.2"}).urls, first);
}

TEST(make_address_urls, do_not_count_twice_for_having_two_kinds_of_addresses) {
    EXPECT_THAT(make_address_urls(name, {"fd00::1", "10.0.0.1"}).urls,
                ElementsAre("http://llama:8080#10.0.0.1"));
    EXPECT_THAT(make_address_urls(name, {"fd00::1"}).urls,
                ElementsAre("http://llama:8080#fd00::1"));
    EXPECT_EQ(make_address_urls(name, {}).fault, "has no address");
}

TEST(server_source, is_the_name_itself_until_its_addresses_are_known) {
    auto s = named_source();
    EXPECT_THAT(s.urls(), ElementsAre(name));
    const auto news = s.apply_answer(make_address_urls(name, {"10.0.0.1", "10.0.0.2"}));
    EXPECT_TRUE(news.has_changed);
    EXPECT_EQ(news.text, "dns+http://llama:8080: 2 servers, 2 new, 1 gone");
    EXPECT_THAT(s.urls(), ElementsAre("http://llama:8080#10.0.0.1", "http://llama:8080#10.0.0.2"));
}

TEST(server_source, reports_what_is_new_and_gone_and_not_what_stays) {
    auto s = named_source();
    s.apply_answer(make_address_urls(name, {"10.0.0.1", "10.0.0.2"}));
    const auto same = s.apply_answer(make_address_urls(name, {"10.0.0.2", "10.0.0.1", "10.0.0.1"}));
    EXPECT_FALSE(same.has_changed);
    EXPECT_EQ(same.text, "");
    EXPECT_THAT(s.apply_answer(make_address_urls(name, {"10.0.0.2", "10.0.0.3"})).text,
                HasSubstr("2 servers, 1 new, 1 gone"));
}

TEST(server_source, keeps_its_servers_and_warns_once_without_an_answer) {
    auto s = named_source();
    s.apply_answer(make_address_urls(name, {"10.0.0.1"}));
    const auto first = s.apply_answer({{}, "Host not found"});
    EXPECT_EQ(first.level, log_level::warning);
    EXPECT_EQ(first.text,
              "dns+http://llama:8080: Host not found; the list of servers stays as it is");
    EXPECT_FALSE(first.has_changed);
    EXPECT_EQ(s.apply_answer(make_address_urls(name, {})).text, "")
        << "the warning is not repeated";
    EXPECT_THAT(s.urls(), ElementsAre("http://llama:8080#10.0.0.1"));
    const auto recovered = s.apply_answer(make_address_urls(name, {"10.0.0.1"}));
    EXPECT_FALSE(recovered.has_changed);
    EXPECT_THAT(recovered.text, HasSubstr("1 server, 0 new, 0 gone"));
    EXPECT_NE(s.apply_answer({{}, "Host not found"}).text, "") << "it had recovered";
}

TEST(server_source, takes_an_answer_of_thousands_of_servers) {
    std::string file;
    for (int i = 0; i < 3000; ++i) file += fmt::format("http://a{}:8080\n", i);
    server_source s("talk", {.url = "http://a0:8080", .file = "f"});
    EXPECT_THAT(s.apply_answer(parse_server_file(file)).text,
                HasSubstr("3000 servers, 2999 new, 0 gone"));
}

TEST(server_source, hides_passwords) {
    server_source s("talk", {.url = "http://u:secret@llama", .is_name = true});
    EXPECT_THAT(s.apply_answer({{}, "Host not found"}).text, Not(HasSubstr("secret")));
}

TEST(make_sources, puts_the_servers_of_a_file_together) {
    std::vector<named_server> servers{{.url = "http://a:1", .file = "f"},
                                      {.model = "talk", .url = "http://b:1", .file = "f"},
                                      {.model = "code", .url = "http://c:1"},
                                      {.model = "lost", .url = "http://d:1"}};
    copy_model_names_within_files(servers);
    EXPECT_EQ(servers[0].model, "talk");
    const std::vector<model_servers> models{{"talk", {"http://a:1", "http://b:1"}},
                                            {"code", {"http://c:1"}}};
    const auto sources = make_sources(servers, models);
    ASSERT_EQ(sources.size(), 2u);
    EXPECT_EQ(sources[0].file(), "f");
    EXPECT_EQ(collect_servers(sources, "talk"), models[0]);
    EXPECT_FALSE(sources[1].is_watched());
}

TEST(collect_servers, has_a_server_of_two_sources_once) {
    std::vector<server_source> sources{named_source(), {"talk", {.url = "http://10.0.0.1:8080"}}};
    sources[0].apply_answer(make_address_urls(name, {"10.0.0.1", "10.0.0.2"}));
    EXPECT_THAT(collect_servers(sources, "talk").servers,
                ElementsAre("http://llama:8080#10.0.0.1", "http://llama:8080#10.0.0.2"));
}

TEST(server_file, has_a_url_a_line) {
    EXPECT_THAT(parse_server_file("# talk\nhttp://a:1\n\n  https://b:1/x \n").urls,
                ElementsAre("http://a:1", "https://b:1/x"));
}

TEST(server_file, is_taken_whole_or_not_at_all) {
    const auto bad = parse_server_file("http://a:1\nb:1\n");
    EXPECT_THAT(bad.urls, IsEmpty());
    EXPECT_THAT(bad.fault, AllOf(HasSubstr("line 2"), HasSubstr("is not a URL")));
    EXPECT_THAT(parse_server_file("http://a:1/v1").fault, HasSubstr("remove /v1"));
    EXPECT_THAT(parse_server_file("# none\n").fault, HasSubstr("has no URL"));
    EXPECT_THAT(read_server_file("/nowhere/servers").fault, HasSubstr("No such file"));
}

}  // namespace
}  // namespace tandem::command
