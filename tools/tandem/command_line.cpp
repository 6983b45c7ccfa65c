#include "command_line.hpp"

#include "config_flags.hpp"
#include "help_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tandem::command {
namespace {

constexpr int wrong_use = 2;
constexpr int max_concurrency = 1000;

constexpr const char* tandem_text = R"(Example:
  tandem replay --url http://127.0.0.1:8080 --user "Tell me a story."

tandem streams replies from llama-server sentence by sentence, as a voice bot
needs them. "tandem COMMAND --help" tells more.

Usage: tandem COMMAND [FLAG...])";

constexpr const char* replay_text = R"(Example:
  tandem replay --url http://127.0.0.1:8080 --tts wpm=160 prompts.jsonl

Sends prompts to llama-server, and shows how each reply is handed over chunk by
chunk: the next chunk is asked for when the one before is spoken.

Usage: tandem replay [FLAG...] FILE
       tandem replay [FLAG...] --user TEXT

FILE has one JSON object a line ("-" reads stdin), of one of these kinds:
  {"prompt": "raw text"}
  {"messages": [{"role": "user", "content": "Hello"}]}
  {"system": "Be brief.", "turns": ["Hello", "And then?"]}
Each may have "id", "max_tokens" and "interrupt_after_ms". messages and turns go
through the model's chat template.

The columns show the time since a reply was asked for, the slot, how many tokens
of the prompt it still held and how many it evaluated, and the chunk.

Times are written 250ms, 2s, 1m or as plain seconds. Each flag of the groups
server to generation may also be set by a variable (--reuse-guard by
TANDEM_REUSE_GUARD) or in the file of --config ("reuse_guard"). Flags win over
variables, and variables over the file.

Exit status: 0 all replies complete, 1 some failed, 2 wrong use, 130 stopped
with Ctrl-C, 143 stopped with SIGTERM.)";

// The flags of `tandem replay` besides the configuration, as texts.
struct replay_texts {
    std::string file;
    std::vector<std::string> prompts;
    std::vector<std::string> user_messages;
    std::string tts = "none";
    std::string concurrency = "1";
    std::string color = "auto";
    std::string log_level;
    bool json = false;
};

void add_flags(CLI::App& app, replay_texts& t) {
    app.add_option("FILE", t.file, "file of prompts, or - for stdin")->group("prompts");
    const auto add = [&](const char* name, auto& target, const char* value, const char* help,
                         const char* group) {
        app.add_option(name, target, help)->allow_extra_args(false)->type_name(value)->group(group);
    };
    add("--prompt", t.prompts, "TEXT", "a raw prompt (may be repeated)", "prompts");
    add("--user", t.user_messages, "TEXT", "a user's message (may be repeated)", "prompts");
    add("--tts", t.tts, "PACE",
        "how long a chunk is spoken: none, or wpm=N for N words a minute [none]", "run");
    add("--concurrency", t.concurrency, "N", "lines of FILE that run at a time [1]", "run");
    app.add_flag("--json", t.json, "one JSON object a line, for programs")->group("output");
    add("--color", t.color, "WHEN", "auto, always or never [auto]", "output");
    add("--log-level", t.log_level, "LEVEL",
        "log lines on stderr: debug, info, warning, error or off [warning with --json, else off]",
        "output");
}

// Sets `value` to the entry of `names` that `text` is; false if it is none.
template <class Enum, std::size_t N>
bool choose(const std::array<std::string_view, N>& names, std::string_view text, Enum& value) {
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) value = static_cast<Enum>(found - names.begin());
    return found != names.end();
}

constexpr std::array<std::string_view, 3> color_names{"auto", "always", "never"};
constexpr std::array<std::string_view, 5> level_names{"debug", "info", "warning", "error", "off"};

void read_concurrency(const std::string& text, int& value, std::vector<std::string>& faults) {
    const auto* last = text.data() + text.size();
    const auto [end, fault] = std::from_chars(text.data(), last, value);
    if (fault != std::errc{} || end != last || value < 1 || value > max_concurrency)
        faults.push_back(fmt::format("--concurrency is {}; it must be a whole number from 1 to {}",
                                     text, max_concurrency));
}

replay_options read_options(replay_texts t, std::vector<std::string>& faults) {
    replay_options o;
    if (const auto pace = parse_speech_pace(t.tts))
        o.pace = *pace;
    else
        faults.push_back(fmt::format(
            "--tts is {}; it must be none or wpm=N with N over 0 and at most 100000", t.tts));
    read_concurrency(t.concurrency, o.concurrency, faults);
    if (!choose(color_names, t.color, o.color))
        faults.push_back(fmt::format("--color is {}; it must be auto, always or never", t.color));
    auto level = log_level::off;
    if (!t.log_level.empty() && !choose(level_names, t.log_level, level))
        faults.push_back(fmt::format(
            "--log-level is {}; it must be debug, info, warning, error or off", t.log_level));
    if (!t.log_level.empty()) o.log_level = level;
    o.json = t.json;
    o.file = std::move(t.file);
    o.prompts = std::move(t.prompts);
    o.user_messages = std::move(t.user_messages);
    return o;
}

command_line refused(const std::string& who, const std::vector<std::string>& faults) {
    std::string text;
    for (const auto& fault : faults) text += fmt::format("{}: {}\n", who, fault);
    return {.status = wrong_use, .err = text + fmt::format("See \"{} --help\".", who)};
}

bool is_flag(const std::string& argument) {
    return argument.starts_with('-') && argument.size() > 1;
}

std::vector<std::string> unknown_flags(const CLI::App& app) {
    std::vector<std::string> faults;
    for (const auto& argument : app.remaining()) {
        if (!is_flag(argument)) continue;
        const auto like = similar_flag(app, argument);
        faults.push_back(argument + " is an unknown flag" +
                         (like.empty() ? "" : fmt::format("; did you mean {}?", like)));
    }
    return faults;
}

// What is wrong with FILE, --prompt and --user.
std::vector<std::string> prompt_faults(const CLI::App& app, const replay_texts& t) {
    std::vector<std::string> faults;
    for (const auto& argument : app.remaining())
        faults.push_back(argument + " is one argument too many");
    const bool has_prompts = !t.prompts.empty() || !t.user_messages.empty();
    if (t.file.empty() && !has_prompts)
        faults.push_back("there is nothing to replay; give a FILE, -, --prompt or --user");
    if (!t.file.empty() && has_prompts)
        faults.push_back("FILE and --prompt or --user are given; one of them is possible");
    return faults;
}

// What stands in the place of a command, or before it.
std::vector<std::string> faults_before(const CLI::App& app, const CLI::App& command) {
    std::vector<std::string> faults;
    const auto& name = command.get_name();
    for (const auto& argument : app.remaining()) {
        if (!is_flag(argument)) {
            // Behind a flag it may be that one's value.
            if (!faults.empty()) continue;
            return {fmt::format("{} is an unknown command; known is: {}", argument, name)};
        }
        const auto flag = argument.substr(0, argument.find('='));
        faults.push_back(
            command.get_option_no_throw(flag)
                ? fmt::format("{} is a flag of {}; write it behind that word", flag, name)
                : argument + " is an unknown flag");
    }
    return faults;
}

class parser {
 public:
    parser() {
        app_.set_help_flag("-h,--help", "this text")->group("help");
        app_.set_version_flag("--version", "tandem " TANDEM_VERSION, "the version")->group("help");
        app_.allow_extras();
        replay_->footer("send prompts, show the chunks");
        replay_->set_help_flag();
        replay_->allow_extras();
        add_flags(*replay_, texts_);
        replay_->set_help_flag("-h,--help", "this text")->group("output");
        flags_.add_to(*replay_);
    }

    command_line parse(std::vector<std::string> args, const environment& variable) try {
        std::ranges::reverse(args);  // as CLI11 wants them
        app_.parse(std::move(args));
        if (const auto faults = faults_before(app_, *replay_); !faults.empty())
            return refused("tandem", faults);
        if (!replay_->parsed()) return {.status = wrong_use, .err = help_text(app_)};
        return replay(variable);
    } catch (const CLI::CallForHelp&) {
        return {.out = help_text(replay_->parsed() ? *replay_ : app_)};
    } catch (const CLI::CallForVersion&) {
        return {.out = "tandem " TANDEM_VERSION "\n"};
    } catch (const CLI::ArgumentMismatch& e) {
        return refused(name(), {value_missing(e.what())});
    } catch (const CLI::ParseError& e) {
        return refused(name(), {e.what()});
    }

 private:
    std::string name() const { return replay_->parsed() ? "tandem replay" : "tandem"; }

    // CLI11 says "--slots: 1 required N missing".
    std::string value_missing(const std::string& text) const {
        const auto flag = text.substr(0, text.find(':'));
        const auto* option = replay_->get_option_no_throw(flag);
        return option ? fmt::format("{} needs a value ({})", flag, option->get_type_name()) : text;
    }

    command_line replay(const environment& variable) {
        auto faults = unknown_flags(*replay_);
        // The value of an unknown flag is taken for FILE: more would mislead.
        if (faults.empty()) faults = prompt_faults(*replay_, texts_);
        auto options = read_options(std::move(texts_), faults);
        auto loaded = flags_.load(variable);
        std::ranges::move(loaded.faults, std::back_inserter(faults));
        if (!faults.empty()) return refused(name(), faults);
        options.settings = std::move(loaded.value);
        return {.replay = std::move(options)};
    }

    CLI::App app_{tandem_text, "tandem"};
    CLI::App* replay_ = app_.add_subcommand("replay", replay_text);
    replay_texts texts_;
    config_flags flags_;
};

}  // namespace

command_line parse_command_line(std::vector<std::string> args, const environment& variable) {
    return parser().parse(std::move(args), variable);
}

}  // namespace tandem::command
