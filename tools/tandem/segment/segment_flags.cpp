#include "segment/segment_flags.hpp"

#include "flags/flag_parsing.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace tandem::command {
namespace {

constexpr const char* segment_text = R"(Example:
  echo 'Dr. No came at 5 p.m. today. "Hello!" he said.' | tandem segment --text

Finds the ends of sentences in a text that arrives token by token, as in a
reply, but without length limits.

Usage: tandem segment [FLAG...] [FILE]

Each line of FILE is a JSON object, and is answered by one at once. A whole text
in a line ("at" is the number of tokens read when a chunk was complete; one more
than the number of tokens = only at the end of the text):
  {"tokens": ["Hi", ".", " Come", " in"], "lang": "en"}
                                   {"chunks":["Hi."," Come in"],"at":[3,5]}
Or one token per line:
  {"start": true, "lang": "en"}    no answer; "lang" may be left out
  {"token": "Hi"}                  {"chunks":[]}, what is complete now
  {"end": true}                    {"chunks":["Hi"]}, the rest
The chunks of a text, joined, equal its tokens, joined. Empty lines are skipped.
The answer to an invalid line contains the error:
  {"chunks":[],"error":"line 3: ..."}

Exit status: 0 all lines could be used, 1 some could not, 2 wrong use, 130
stopped with Ctrl-C, 143 with SIGTERM, 129 with SIGHUP, 141 if the reader of its
output has gone.)";

constexpr std::array<std::string_view, 2> rule_names{"classic", "spoken"};

}  // namespace

segment_flags::segment_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, segment_text)) {
    app_.footer("find the sentences of a text");
    app_.allow_extras();
    app_.set_help_flag();
    app_.add_option("FILE", options_.file, "input file, or - for stdin [-]")->group("input");
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "sentences");
    };
    add("--rule", rule_, "RULE", "rule that finds sentence ends: classic or spoken [spoken]");
    add("--language", options_.sentences.language, "TAG",
        "language of texts without \"lang\", such as en or de-AT (empty: by the script)");
    app_.add_flag("--text", options_.text, "read plain text, and print one sentence per line")
        ->group("input");
    app_.set_help_flag("-h,--help", "show this help")->group("help");
}

segment_options segment_flags::read(std::vector<std::string>& faults) {
    faults = argument_faults(app_);
    read_choice("--rule", rule_names, rule_, options_.sentences.rule, faults);
    return std::move(options_);
}

}  // namespace tandem::command
