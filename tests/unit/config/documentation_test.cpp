#include "tandem/config_fields.hpp"
#include "tandem/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

std::set<std::string> documented_fields() {
    std::ifstream file(TANDEM_SOURCE_DIR "/docs/configuration.md");
    std::set<std::string> names;
    static const std::regex row("^\\| `([a-z_]+)` \\|.*");
    for (std::string line; std::getline(file, line);)
        if (std::smatch match; std::regex_match(line, match, row)) names.insert(match[1]);
    return names;
}

TEST(configuration_page, has_every_field_and_nothing_else) {
    std::set<std::string> fields;
    const tandem::config defaults;
    for_each_field(defaults,
                   [&](const tandem::field_info& f, const auto&) { fields.insert(f.name); });
    EXPECT_THAT(documented_fields(), testing::ContainerEq(fields));
}

TEST(failures_page, has_a_row_for_every_error) {
    std::ifstream file(TANDEM_SOURCE_DIR "/docs/failures.md");
    std::stringstream page;
    page << file.rdbuf();
    for (int value = 1;; ++value) {
        const auto name = tandem::error_name({value, tandem::error_category()});
        if (name == "unknown") break;
        EXPECT_THAT(page.str(), testing::HasSubstr("\n| `" + name + "` |"));
    }
}

}  // namespace
