// The words that shells complete, compared with the words that the command accepts.
#include "completion/flag_values.hpp"
#include "unit/command/arguments_fixture.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace tandem::command {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Calls `visit` for each flag that takes a value.
void for_each_flag(
    const std::function<void(const std::string& command, const CLI::Option& flag)>& visit) {
    visit_command_tree([&](const CLI::App& tandem) {
        for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; }))
            for (const auto* o : c->get_options())
                if (!o->get_positional() && o->get_items_expected_max() > 0)
                    visit(c->get_name(), *o);
    });
}

// Extracts the listed words, such as auto, always and never from "--color is ?; it must be auto,
// always or never".
std::vector<std::string> words_in_refusal(const std::string& text) {
    static const std::regex list("(it must be )([a-z_, -]+)");
    static const std::regex word("[a-z_-]+");
    std::smatch found;
    if (!std::regex_search(text, found, list)) return {};
    const auto names = std::regex_replace(found.str(2), std::regex(" or "), ", ");
    return {std::sregex_token_iterator(names.begin(), names.end(), word), {}};
}

class completed : public arguments {
 protected:
    // The words that the error for `--flag ?` lists. Errors for other flags are ignored.
    std::vector<std::string> words_in_error(const std::string& command, const std::string& flag) {
        const auto err = parse({command, flag, "?"}).err;
        const auto from = err.find(flag + " ");
        return from == err.npos ? std::vector<std::string>()
                                : words_in_refusal(err.substr(from, err.find('\n', from) - from));
    }
};

TEST_F(completed, words_of_a_flag_are_those_that_its_refusal_names) {
    int flags = 0;
    for_each_flag([&](const std::string& command, const CLI::Option& o) {
        const auto flag = "--" + o.get_lnames().front();
        const auto words = find_flag_values(command, flag);
        if (words.empty()) return;
        EXPECT_THAT(words_in_error(command, flag), ::testing::UnorderedElementsAreArray(words))
            << command << ' ' << flag;
        ++flags;
    });
    EXPECT_GT(flags, 15);
}

TEST_F(completed, flags_without_words_take_texts_that_nobody_else_knows) {
    const std::set<std::string> free{
        "ADDRESS:PORT", "CMD",    "GBNF", "ID",   "JSON", "KEY", "N",    "NAME", "NAME=ID[@MODEL]",
        "'OPEN CLOSE'", "ORIGIN", "P",    "PACE", "R",    "TAG", "TEXT", "TIME", "URL",
        "WORD=WORDS",   "X"};
    for_each_flag([&](const std::string& command, const CLI::Option& o) {
        const auto& name = o.get_lnames().front();
        const auto value = o.get_type_name();
        const bool is_path = value.ends_with("FILE") || value == "DIR";
        if (is_path || !find_flag_values(command, "--" + name).empty()) return;
        EXPECT_THAT(free, Contains(value)) << "no words for " << command << ' ' << name;
    });
}

TEST_F(completed, commands_are_all_that_there_are) {
    const auto help = parse({"--help"}).out;
    std::set<std::string> commands;
    for_each_flag(
        [&](const std::string& command, const CLI::Option&) { commands.insert(command); });
    EXPECT_GE(commands.size(), 7u);
    for (const auto& c : commands) EXPECT_THAT(help, HasSubstr("\n  " + c + ' '));
}

TEST_F(completed, scripts_are_printed_for_each_shell) {
    for (const auto* shell : {"bash", "zsh", "fish"})
        EXPECT_THAT(parse({"completion", shell}).out, HasSubstr("__complete")) << shell;
}

TEST_F(completed, shells_that_are_unknown_or_missing_are_reported) {
    EXPECT_THAT(parse({"completion", "csh"}).err,
                HasSubstr("SHELL is csh; it must be bash, zsh or fish"));
    EXPECT_THAT(parse({"completion"}).err, HasSubstr("SHELL is missing"));
    EXPECT_THAT(parse({"completion", "bash", "zsh"}).err,
                HasSubstr("zsh is an unexpected argument"));
    EXPECT_THAT(parse({"completion", "--bash"}).err, HasSubstr("--bash is an unknown flag"));
    EXPECT_EQ(parse({"completion"}).status, 2);
}

class offered : public arguments {
 protected:
    std::string offers(std::vector<std::string> typed) {
        typed.insert(typed.begin(), "__complete");
        return parse(std::move(typed)).out;
    }
};

TEST_F(offered, commands_come_first_with_what_they_do) {
    EXPECT_THAT(offers({"ser"}), StartsWith("serve\t"));
    EXPECT_THAT(offers({""}), AllOf(HasSubstr("chat\t"), HasSubstr("help\t")));
    EXPECT_THAT(offers({"--v"}), StartsWith("--version\t"));
    EXPECT_THAT(offers({"help", "ser"}), StartsWith("serve\t"));
}

TEST_F(offered, flags_of_a_command_follow_it) {
    EXPECT_THAT(offers({"serve", "--lis"}), StartsWith("--listen\t"));
    EXPECT_EQ(offers({"segment", "--lis"}), "");
}

TEST_F(offered, words_of_a_flag_follow_it_or_stand_in_the_same_word) {
    EXPECT_EQ(offers({"replay", "--color", "a"}), "auto\nalways\n");
    EXPECT_EQ(offers({"replay", "--color=n"}), "--color=never\n");
}

TEST_F(offered, paths_are_left_to_the_shell) {
    EXPECT_EQ(offers({"serve", "--keys", "x"}), ":files\n");
    EXPECT_EQ(offers({"serve", "--ca-path", ""}), ":folders\n");
    EXPECT_EQ(offers({"replay", ""}), ":files\n");
    EXPECT_EQ(offers({"cluster", "s"}), "status\nslots\nsessions\n");
}

TEST_F(offered, nothing_stands_if_nobody_knows_what_fits) {
    EXPECT_EQ(offers({"serve", "--listen", ""}), "");
    EXPECT_EQ(offers({"nonsense", "--li"}), "");
    EXPECT_EQ(offers({}), "");
}

TEST_F(offered, values_that_are_names_of_commands_are_values) {
    EXPECT_EQ(offers({"replay", "--user", "chat", "--barge"}), "");
    EXPECT_THAT(offers({"replay", "--user", "chat", "--conver"}), HasSubstr("--conversations\t"));
}

}  // namespace
}  // namespace tandem::command
