#include "segment/segment_flags.hpp"

#include "flags/flag_faults.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace tandem::command {
namespace {

constexpr const char* segment_text = R"(Example:
  echo 'Dr. No came at 5 p.m. today. "Hello!" he said.' | tandem segment --text

Finds the ends of sentences in a text that comes token by token, as they are
found in a reply, but without limits of length.

Usage: tandem segment [FLAG...] [FILE]

Each line of FILE is a JSON object, and is answered by one at once. A whole text
in a line ("at" tells how many tokens were read when a chunk was complete; one
more than there are = it took the end of the text):
  {"tokens": ["Hi", ".", " Come", " in"], "lang": "en"}
                                   {"chunks":["Hi."," Come in"],"at":[3,5]}
Or a token in a line:
  {"start": true, "lang": "en"}    no answer; "lang" may be left out
  {"token": "Hi"}                  {"chunks":[]}, what is complete now
  {"end": true}                    {"chunks":["Hi"]}, the rest
All chunks of a text, joined, are its tokens, joined. Empty lines are skipped.
What is wrong with a line is told in its answer:
  {"chunks":[],"error":"line 3: ..."}

Exit status: 0 all lines could be used, 1 some could not, 2 wrong use, 130
stopped with Ctrl-C, 143 with SIGTERM, 129 with SIGHUP, 141 when nobody reads
its output any more.)";

constexpr std::array<std::string_view, 2> rule_names{"classic", "spoken"};

}  // namespace

segment_flags::segment_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, segment_text)) {
    app_.footer("find the sentences of a text");
    app_.allow_extras();
    app_.set_help_flag();
    app_.add_option("FILE", options_.file, "what to read, or - for stdin [-]")->group("input");
    const auto add = [&](const char* flag, auto& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, "sentences");
    };
    add("--rule", rule_, "RULE", "classic, or spoken as a listener hears it [spoken]");
    add("--language", options_.sentences.language, "TAG",
        "of texts without \"lang\", as in en or de-AT (empty: by script)");
    app_.add_flag("--text", options_.text,
                  "FILE is plain text; each sentence is shown on a line of its own")
        ->group("input");
    app_.set_help_flag("-h,--help", "this text")->group("help");
}

segment_options segment_flags::read(std::vector<std::string>& faults) {
    faults = argument_faults(app_);
    read_choice("--rule", rule_names, rule_, options_.sentences.rule, faults);
    return std::move(options_);
}

}  // namespace tandem::command
