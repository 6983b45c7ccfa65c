// Pages for man, made of the help of a command.
#include "completion/manual_page.hpp"

#include "completion/roff.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* example_text = R"(Example:
  tandem sing --song 'La'

Sings a song.

Usage: tandem sing [FLAG...] FILE
       tandem sing --all

Lines are of this kind:
  {"song": "La"}
Others are errors.

Exit status: 0 sung, 1 not.)";

std::string page_of(CLI::App& app) {
    return manual_page(app, {.name = "tandem-sing",
                             .summary = "sing a song",
                             .date = "2026-01-31",
                             .see_also = "tandem(1)"});
}

TEST(manual_pages, have_the_sections_of_a_description) {
    CLI::App app{example_text, "sing"};
    const auto page = page_of(app);
    EXPECT_THAT(page, StartsWith(".TH tandem\\-sing 1 \"2026-01-31\" \"tandem "));
    EXPECT_THAT(page, HasSubstr(".SH NAME\ntandem\\-sing \\- sing a song\n"));
    EXPECT_THAT(page, HasSubstr(".SH SYNOPSIS\ntandem sing [FLAG...] FILE\n.br\n"
                                "tandem sing \\-\\-all\n.SH DESCRIPTION\nSings a song.\n.PP\n"));
    EXPECT_THAT(page, HasSubstr("kind:\n.nf\n  {\"song\": \"La\"}\n.fi\nOthers are errors.\n"));
    EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n0 sung, 1 not.\n"));
    EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.nf\n  tandem sing \\-\\-song \\(aqLa\\(aq\n.fi\n"));
    EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\ntandem(1)\n"));
}

TEST(manual_pages, tell_of_flags_in_their_groups) {
    CLI::App app{example_text, "sing"};
    std::string song;
    bool loud = false;
    app.add_option("-s,--song", song, "what to sing")->type_name("NAME")->group("songs");
    app.add_flag("--loud", loud, "so that all hear it")->group("voice");
    EXPECT_THAT(
        page_of(app),
        HasSubstr(".SS songs\n.TP\n\\fB\\-s\\fR, \\fB\\-\\-song\\fR \\fINAME\\fR\n"
                  "what to sing\n.SS voice\n.TP\n\\fB\\-\\-loud\\fR\nso that all hear it\n"));
}

TEST(manual_pages, name_the_variables_of_the_flags_that_have_one) {
    CLI::App app{example_text, "sing"};
    std::string text;
    app.add_option("--reuse-guard", text, "how long");
    app.add_option("--song", text, "what");
    EXPECT_THAT(page_of(app), HasSubstr(".SH ENVIRONMENT\n.TP\n\\fBTANDEM_REUSE_GUARD\\fR\n"));
    EXPECT_THAT(page_of(app), Not(HasSubstr("TANDEM_SONG")));
}

TEST(manual_pages, leave_out_sections_that_are_empty) {
    CLI::App app{"Sings.", "sing"};
    EXPECT_THAT(page_of(app), Not(HasSubstr("EXIT STATUS")));
    EXPECT_THAT(page_of(app), Not(HasSubstr("ENVIRONMENT")));
}

TEST(manual_pages, keep_what_roff_would_take_for_its_own) {
    EXPECT_EQ(roff::text(".TH\n'x"), "\\&.TH\n\\&\\(aqx");
    EXPECT_EQ(roff::text("a\\b -c ~ ^ `"), "a\\eb \\-c \\(ti \\(ha \\(ga");
    EXPECT_EQ(roff::text("3.5"), "3.5");
}

}  // namespace
}  // namespace tandem::command
