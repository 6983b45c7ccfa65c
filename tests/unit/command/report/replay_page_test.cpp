// Compares docs/replay.md with the output of `tandem replay --json`.
#include "replay/replay_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace {

using namespace tandem::command;
using nlohmann::json;
using testing::ContainerEq;

using field_types = std::map<std::string, std::string>;

// The fields in the table rows of each section, keyed by the heading.
std::map<std::string, field_types> documented_fields() {
    static const std::regex heading("### `([a-z]+)`");
    static const std::regex row(R"(\| (`[a-z0-9_.\[\]`, ]+`) \| ([a-z ]+) \|.*)");
    static const std::regex name("[^`, ]+");
    std::ifstream page(TANDEM_SOURCE_DIR "/docs/replay.md");
    std::map<std::string, field_types> sections;
    std::string section;
    for (std::string line; std::getline(page, line);) {
        std::smatch match;
        if (std::regex_match(line, match, heading)) section = match[1];
        if (!std::regex_match(line, match, row)) continue;
        const auto names = match[1].str();
        for (std::sregex_iterator n(names.begin(), names.end(), name), end; n != end; ++n)
            sections[section][n->str()] = match[2];
    }
    return sections;
}

std::string type_of(const json& value) {
    if (value.is_string()) return "text";
    if (value.is_boolean()) return "boolean";
    if (value.is_array()) return "list of numbers";
    return value.is_number_float() ? "number" : value.is_number() ? "integer" : "null";
}

// A field of a nested object is named "usage.prompt", a field in a list "servers[].url".
void collect(const std::string& path, const json& value, field_types& found) {
    if (value.is_array() && !value.empty() && value[0].is_object())
        return collect(path + "[]", value[0], found);
    if (!value.is_object()) return void(found[path] = type_of(value));
    for (const auto& [name, member] : value.items())
        collect(path.empty() ? name : path + "." + name, member, found);
}

field_types written(const std::string& line) {
    field_types found;
    collect({}, json::parse(line), found);
    return found;
}

// A result with all optional fields.
tandem::reply_result full_result() {
    tandem::reply_result r;
    r.finish_reason = tandem::finish_reason::interrupted;
    r.text = "Hello!";
    r.reasoning = "Hm.";
    r.unspoken_text = " How";
    r.calls.emplace_back();
    r.metrics.first_chunk_ms = 7;
    return r;
}

TEST(replay_page, has_each_field_of_a_chunk) {
    const tandem::chunk c{};
    const auto line = json_line(chunk_event{.chunk = c, .server = "http://a:1"});
    EXPECT_THAT(written(line), ContainerEq(documented_fields()["chunk"]));
}

const checked_turn one_broken{.broken = {{"text", "/a/", "«b»"}}};

TEST(replay_page, has_each_field_of_an_end) {
    const auto r = full_result();
    const auto line =
        json_line(end_event{.result = r, .server = "http://a:1", .checked = one_broken});
    EXPECT_THAT(written(line), ContainerEq(documented_fields()["end"]));
}

TEST(replay_page, has_each_field_of_a_failed_reply) {
    auto r = full_result();
    r.finish_reason = tandem::finish_reason::error;
    r.error = tandem::errc::stream_incomplete;
    auto expected = documented_fields()["end"];
    expected.erase("finish_reason");
    expected.merge(documented_fields()["error"]);
    const auto line =
        json_line(end_event{.result = r, .server = "http://a:1", .checked = one_broken});
    EXPECT_THAT(written(line), ContainerEq(expected));
}

TEST(replay_page, has_each_field_of_an_error_of_the_run) {
    const tandem::diagnostics d;
    auto expected = documented_fields()["error"];
    for (const auto* name : {"event", "id", "turn", "reply", "server", "t_ns"})
        expected[name] = documented_fields()["end"][name];
    expected["id"] = expected["turn"] = expected["reply"] = "null";
    const auto line = json_line(fault_event{tandem::errc::connect_failed, d, 7, "http://a:1"});
    EXPECT_THAT(written(line), ContainerEq(expected));
}

TEST(replay_page, has_each_field_of_a_summary) {
    replay_summary s;
    s.checked_turns = 1;
    s.servers.push_back({.url = "http://a:1", .slots = {{.slot = 0}}});
    s.first_token_ms = s.first_chunk_ms = s.gap_ms = s.slot_wait_ms = {1, 2, 3, 4};
    EXPECT_THAT(written(json_line(s)), ContainerEq(documented_fields()["summary"]));
}

}  // namespace
