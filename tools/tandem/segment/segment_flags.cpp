#include "segment/segment_flags.hpp"

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

segment_flags::segment_flags(CLI::App& tandem)
    : flags_(tandem, name, segment_text, "find the sentences of a text") {
    auto& o = options_;
    flags_.begin_group("input");
    flags_.add_argument("FILE", o.file, "input file, or - for stdin [-]");
    flags_.begin_group("sentences");
    flags_.add_choice("--rule", o.sentences.rule, rule_names, "RULE",
                      "rule that finds sentence ends: classic or spoken", "spoken");
    flags_.add_text(
        "--language", o.sentences.language, "TAG",
        "language of texts without \"lang\", such as en or de-AT (empty: by the script)");
    flags_.begin_group("input");
    flags_.add_switch("--text", o.text, "read plain text, and print one sentence per line");
    flags_.begin_group("help");
    flags_.add_help_flag();
}

segment_options segment_flags::read(const environment&, std::vector<std::string>& faults) {
    faults = describe_unparsed_arguments(flags_.app());
    flags_.read(faults);
    return std::move(options_);
}

}  // namespace tandem::command
