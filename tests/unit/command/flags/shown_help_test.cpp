// The output of --help, the "--" that ends the flags, and the note about an unknown language.

#include "flags/short_help_flags.hpp"
#include "unit/command/arguments_fixture.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

namespace {

using namespace tandem::command;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using shown_help = arguments;
using words_around_flags = arguments;

std::vector<std::string> commands() {
    std::vector<std::string> names;
    visit_command_tree([&](const CLI::App& tandem) {
        for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; }))
            names.push_back(c->get_name());
    });
    return names;
}

TEST_F(shown_help, keeps_within_80_columns) {
    std::string all = parse({"--help"}).out;
    for (const auto& command : commands())
        all += parse({command, "--help"}).out + parse({command, "--help=all"}).out;
    std::istringstream help(all);
    for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(shown_help, fits_on_a_screen) {
    for (const auto& command : commands()) {
        const auto help = parse({command, "--help"}).out;
        EXPECT_LE(std::ranges::count(help, '\n'), 45) << help;
        EXPECT_THAT(help, StartsWith("Example:\n  ")) << command;
        EXPECT_THAT(help, HasSubstr("Usage: tandem " + command)) << command;
    }
}

TEST_F(shown_help, has_the_flags_of_every_day) {
    for (const auto* command : {"replay", "chat", "doctor", "bench", "serve"}) {
        const auto help = parse({command, "--help"}).out;
        for (const auto* flag : {"--url", "--api-key", "--slots", "--reuse-guard", "--help=all"})
            EXPECT_THAT(help, HasSubstr(flag)) << command;
        EXPECT_THAT(help, Not(HasSubstr("--breaker-pause"))) << command;
    }
    EXPECT_THAT(parse({"replay", "--help"}).out, HasSubstr("--pacing MODE"));
}

TEST_F(shown_help, names_only_flags_that_there_are) {
    for (const auto& command : commands()) {
        const auto everyday = find_short_help_flags(command);
        const auto help = parse({command, "--help"}).out;
        for (const auto flag : everyday.own)
            EXPECT_THAT(help, HasSubstr("\n  " + std::string(flag))) << command;
    }
}

TEST_F(shown_help, has_all_flags_if_it_is_asked_for_all) {
    const auto help = parse({"replay", "--help=all"}).out;
    for (const auto* text : {"--breaker-pause", "Exit status: 0", "generation:\n", "-h,--help"})
        EXPECT_THAT(help, HasSubstr(text));
    EXPECT_EQ(parse({"--help=all", "replay"}).out, help);
    const auto wrong = parse({"replay", "--help=al"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--help is al; it must be all, or have no value"));
}

TEST_F(words_around_flags, end_their_flags_with_two_dashes) {
    EXPECT_EQ(parse({"replay", "--json", "--", "-x"}).replay->file, "-x");
    EXPECT_EQ(parse({"replay", "--", "f"}).replay->file, "f");
    EXPECT_EQ(parse({"replay", "f", "--"}).replay->file, "f");
    EXPECT_TRUE(parse({"chat", "--"}).chat);
    EXPECT_EQ(parse({"--", "replay", "f"}).replay->file, "f");
    EXPECT_THAT(parse({"replay", "--", "f", "--json"}).err,
                HasSubstr("--json is an unexpected argument"));
    EXPECT_THAT(parse({"replay", "f", "--", "g"}).err, HasSubstr("g is an unexpected argument"));
    EXPECT_THAT(parse({"chat", "--", "g"}).err, HasSubstr("g is an unexpected argument"));
}

TEST_F(words_around_flags, report_a_language_that_is_unknown) {
    for (const auto* command : {"segment", "replay", "serve"}) {
        std::vector<std::string> args{command, "--language", "zz-foo"};
        if (args[0] == "replay") args.insert(args.end(), {"--user", "x"});
        const auto c = parse(args);
        EXPECT_EQ(c.status, 0) << c.err;
        EXPECT_THAT(c.note, HasSubstr("the language zz-foo is unknown")) << command;
    }
    for (const auto* known : {"", "en", "de-AT", "de_DE", "FR", "nb", "fi", "ja", "zh-Hant"})
        EXPECT_EQ(parse({"segment", "--language", known}).note, "") << known;
}

}  // namespace
