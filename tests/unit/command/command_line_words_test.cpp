// Repeated flags, words that request help, and misspelled names and files.

#include "arguments_fixture.hpp"
#include "support/certificate.hpp"

#include <gmock/gmock.h>

namespace {

using namespace std::chrono_literals;
using namespace tandem::command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using words_of_arguments = arguments;

TEST_F(words_of_arguments, take_the_last_value_of_a_flag_that_has_one) {
    const auto c = replay({"--tts", "wpm=600", "--tts", "wpm=60", "--color", "never", "--color",
                           "always", "--slots", "3", "--slots", "4"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->pace.words_per_minute, 60);
    EXPECT_EQ(c.replay->color, color_choice::always);
    EXPECT_EQ(c.replay->service.client.server.slots, 4);
    EXPECT_EQ(parse({"doctor", "--wait", "1s", "--wait", "2s"}).doctor->wait, 2s);
    EXPECT_TRUE(parse({"segment", "--rule", "no", "--rule", "classic"}).segment);
}

TEST_F(words_of_arguments, refuse_a_file_that_has_a_field_twice) {
    const auto file = file_with(R"({"slots": 1, "slots": 2})");
    EXPECT_THAT(replay({"--config", file}).err, HasSubstr(file + ": slots is given twice"));
}

TEST_F(words_of_arguments, report_how_long_servers_are_waited_for) {
    EXPECT_EQ(replay({}).replay->wait, 0s);
    EXPECT_EQ(replay({"--wait", "1m"}).replay->wait, 1min);
    EXPECT_THAT(replay({"--wait", "2h"}).err,
                HasSubstr("--wait is 2h; it must be a time from 0 to 1h"));
}

TEST_F(words_of_arguments, ask_for_help_in_words) {
    EXPECT_EQ(parse({"help"}).out, parse({"--help"}).out);
    EXPECT_EQ(parse({"help"}).status, 0);
    EXPECT_EQ(parse({"help", "doctor"}).out, parse({"doctor", "--help"}).out);
    EXPECT_EQ(parse({"help", "help"}).out, parse({"--help"}).out);
    EXPECT_EQ(parse({"replay", "help"}).replay->file, "help");
}

TEST_F(words_of_arguments, have_no_help_for_a_command_that_there_is_not) {
    for (const auto& words : {std::vector<std::string>{"record", "--help"}, {"help", "record"}}) {
        const auto c = parse(words);
        EXPECT_EQ(c.status, 2);
        EXPECT_EQ(c.out, "");
        EXPECT_THAT(c.err, HasSubstr("record is an unknown command; known commands: replay"));
    }
    EXPECT_THAT(parse({"docter", "--help"}).err,
                HasSubstr("did you mean doctor? Known commands: "));
}

TEST_F(words_of_arguments, suggest_a_flag_if_two_letters_are_swapped) {
    for (const auto* command : {"replay", "chat", "bench", "doctor"})
        EXPECT_THAT(parse({command, "--ulr", "http://a:1"}).err, HasSubstr("did you mean --url?"));
    EXPECT_THAT(parse({"replay", "--tst", "none"}).err, HasSubstr("did you mean --tts?"));
    EXPECT_THAT(parse({"replay", "--ttx", "none"}).err, HasSubstr("did you mean --tts?"));
}

TEST_F(words_of_arguments, tell_the_command_whose_flag_has_no_value) {
    EXPECT_EQ(parse({"chat", "--max-tokens="}).err,
              "tandem chat: --max-tokens= has no value\nSee \"tandem chat --help\".");
    EXPECT_THAT(parse({"--max-tokens=", "chat"}).err, HasSubstr("See \"tandem --help\"."));
}

TEST_F(words_of_arguments, tell_the_flag_of_a_url_without_its_password) {
    for (const auto* command : {"doctor", "chat", "bench", "serve"})
        EXPECT_THAT(parse({command, "http://me:sesame@gpu:8080"}).err,
                    AllOf(HasSubstr("write --url before it"), Not(HasSubstr("sesame"))));
}

TEST_F(words_of_arguments, show_what_a_proxy_looks_like_if_it_is_none) {
    for (const char* command : {"replay", "chat", "doctor", "bench", "serve"})
        EXPECT_THAT(parse({command, "--url", "http://a:1", "--proxy", "u:sesame@host"}).err,
                    AllOf(HasSubstr(R"(--proxy: "host" is not a proxy; write it as http://host)"),
                          Not(HasSubstr("sesame"))))
            << command;
}

TEST_F(words_of_arguments, tell_a_key_file_without_a_key) {
    const auto file = file_with("\n");
    EXPECT_THAT(replay({"--api-key-file", file}).err,
                HasSubstr("--api-key-file " + file + ": has no key"));
}

TEST_F(words_of_arguments, name_the_file_of_a_key_that_cannot_be_sent) {
    const auto file = file_with("two\nlines");
    EXPECT_THAT(replay({"--api-key-file", file}).err,
                HasSubstr("--api-key-file " + file + ": the API key's character 4 of 9"));
}

TEST_F(words_of_arguments, refuse_a_key_beside_a_file_of_it) {
    EXPECT_THAT(replay({"--api-key", "sesame", "--api-key-file", "/nowhere/x"}).err,
                AllOf(HasSubstr("--api-key cannot be combined with --api-key-file"),
                      Not(HasSubstr("sesame"))));
}

TEST_F(words_of_arguments, tell_variables_that_are_nearly_those_of_a_field) {
    variables_ = {{"TANDEM_REUSE_GARD", "sesame"}, {"TANDEM_SLOT", "x"}};
    const auto c = replay({});
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(
        c.err,
        AllOf(HasSubstr(
                  "TANDEM_REUSE_GARD is not a tandem variable; did you mean TANDEM_REUSE_GUARD?"),
              HasSubstr("TANDEM_SLOTS?"), Not(HasSubstr("sesame"))));
}

TEST_F(words_of_arguments, leave_variables_of_others_alone) {
    for (const auto* name : {"TANDEM",
                             "TANDEM_",
                             "TANDEM_CHAOS_KILLS",
                             "TANDEM_CHAOS_LOG",
                             "TANDEM_CHAOS_REPLIES",
                             "TANDEM_CHAOS_SEED",
                             "TANDEM_COMMAND",
                             "TANDEM_CONVERSATIONS",
                             "TANDEM_CUTS",
                             "TANDEM_DEBIAN_MIRROR",
                             "TANDEM_FUZZ_SECONDS",
                             "TANDEM_GUARD_MS",
                             "TANDEM_INTERRUPTS",
                             "TANDEM_INTERRUPT_EVERY_MS",
                             "TANDEM_LLAMA_SERVER_DIR",
                             "TANDEM_REQUIRE_REAL_SERVER",
                             "TANDEM_SIMULATION_SEED",
                             "TANDEM_SIMULATION_STEPS",
                             "TANDEM_SOAK_SECONDS",
                             "TANDEM_WPM",
                             "TANDEMSLOTS",
                             "SLOTS"})
        variables_[name] = "x";
    EXPECT_TRUE(replay({}).replay) << replay({}).err;
}

TEST_F(words_of_arguments, name_the_line_at_which_a_broken_file_ends) {
    EXPECT_THAT(replay({"--config", file_with("{\"slots\": 2\n")}).err, HasSubstr("line 1 is not"));
    EXPECT_THAT(replay({"--config", file_with("{\n\"slots\": x\n}\n")}).err,
                HasSubstr("line 2 is not"));
}

TEST_F(words_of_arguments, name_a_ca_file_that_is_not_there) {
    EXPECT_THAT(replay({"--ca-file", "/nowhere/ca.pem"}).err,
                HasSubstr("--ca-file /nowhere/ca.pem: No such file or directory"));
}

TEST_F(words_of_arguments, say_what_a_ca_file_without_certificates_must_contain) {
    const tandem::testing::certificate c("DNS:one");
    const auto broken = c.cert + "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
    for (const auto& text : {std::string(), std::string("no PEM"), c.key, broken}) {
        const auto file = file_with(text);
        EXPECT_THAT(replay({"--ca-file", file}).err,
                    HasSubstr("--ca-file " + file +
                              ": is not a file of PEM certificates; it must "
                              "contain the certificates to trust"))
            << text;
    }
    EXPECT_TRUE(replay({"--ca-file", file_with(c.cert + c.cert)}).replay);
}

}  // namespace
