#include "command_line.hpp"

#include "bench/bench_flags.hpp"
#include "chat/chat_flags.hpp"
#include "cluster_status/cluster_command_flags.hpp"
#include "completion/completion_flags.hpp"
#include "completion/format_completions.hpp"
#include "doctor/doctor_flags.hpp"
#include "flags/flag_parsing.hpp"
#include "flags/help_format.hpp"
#include "os/exit_status.hpp"
#include "replay/replay_flags.hpp"
#include "segment/segment_flags.hpp"
#include "serve/key_flags.hpp"
#include "serve/serve_flags.hpp"
#include "text/edit_distance.hpp"
#include "text/sentences/word_lists.hpp"

#include "tandem/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr const char* tandem_text = R"(Example:
  tandem replay --url http://127.0.0.1:8080 --user "Tell me a story."

tandem streams replies from llama-server sentence by sentence, as a voice bot
needs them. "tandem COMMAND --help" shows the common flags of a command, and
"tandem COMMAND --help=all" shows all of them.

Usage: tandem COMMAND [FLAG...])";

command_line refused(const std::string& who, const std::vector<std::string>& faults) {
    std::string text;
    for (const auto& fault : faults) text += fmt::format("{}: {}\n", who, fault);
    return {.status = wrong_use, .err = text + fmt::format("See \"{} --help\".", who)};
}

// Returns the language of the replies or texts; empty if the options have none.
template <class Options>
std::string language_of(const Options& o) {
    if constexpr (requires { o.sentences; }) return o.sentences.language;
    if constexpr (requires { o.gateway; }) return o.gateway.service.client.chunking.language;
    if constexpr (requires { o.service; }) return o.service.client.chunking.language;
    return {};
}

// Returns a note if the sentence rules do not support this language; empty if they do or if `tag`
// is empty.
std::string describe_unknown_language(std::string_view tag) {
    if (tag.empty() || text::lexicon::supports_language(tag)) return {};
    return fmt::format("the language {} is unknown; sentence ends are detected by English rules",
                       tag);
}

// Returns "a", "a and b" or "a, b and c".
std::string joined_by_and(const std::vector<std::string>& names) {
    const auto all_but_last = std::span(names).first(names.size() - 1);
    return fmt::format("{}{}{}", fmt::join(all_but_last, ", "), all_but_last.empty() ? "" : " and ",
                       names.back());
}

// Drops a leading "--", and converts "help replay" to "replay --help".
void read_help(std::vector<std::string>& args) {
    if (!args.empty() && args.front() == "--") args.erase(args.begin());
    if (args.empty() || args.front() != "help") return;
    while (!args.empty() && args.front() == "help") args.erase(args.begin());
    args.emplace_back("--help");
}

// Returns the command named by the first argument; empty if there is none.
std::string_view named_command(const std::vector<std::string>& args) {
    static constexpr std::array<std::string_view, 9> names{
        replay_flags::name,    chat_flags::name,  doctor_flags::name, bench_flags::name,
        segment_flags::name,   serve_flags::name, key_flags::name,    cluster_command_flags::name,
        completion_flags::name};
    const auto found = args.empty() ? names.end() : std::ranges::find(names, args.front());
    return found == names.end() ? std::string_view() : *found;
}

class parser {
 public:
    explicit parser(std::string_view named) {
        create(replay_, named);
        create(chat_, named);
        create(doctor_, named);
        create(bench_, named);
        create(segment_, named);
        create(serve_, named);
        create(key_, named);
        create(cluster_, named);
        create(completion_, named);
        app_.footer("the LLM stage of a voice bot, in front of llama-server");
        app_.set_help_flag("-h,--help", "show this help")->group("help");
        app_.set_version_flag("-V,--version", "tandem " TANDEM_VERSION_STRING, "show the version")
            ->group("help");
        app_.allow_extras();
        // Prevents CLI11 from parsing a later argument as another command.
        app_.require_subcommand(0, 1);
    }

    const CLI::App& commands() const noexcept { return app_; }

    command_line parse(std::vector<std::string> args, const environment& variables) try {
        const std::string command(named_command(args));
        const bool begins_with_command = !command.empty();
        if (const auto faults = describe_empty_values(app_, args); !faults.empty())
            return refused(begins_with_command ? "tandem " + command : "tandem", faults);
        std::ranges::reverse(args);  // the order that CLI11 expects
        app_.parse(std::move(args));
        if (const auto rest = app_.remaining(); begins_with_command && !rest.empty())
            return refused(name(), {rest.front() + " is an unexpected argument"});
        if (const auto faults = faults_before(); !faults.empty()) return refused("tandem", faults);
        if (const auto faults = find_flags_taken_as_values(parsed()); !faults.empty())
            return refused(name(), faults);
        return read_command(variables);
    } catch (const CLI::CallForHelp&) {
        const auto rest = app_.remaining();
        if (&parsed() == &app_ && !rest.empty() && !is_flag(rest.front()))
            return refused("tandem", {unknown_command(rest.front())});
        return help();
    } catch (const CLI::CallForVersion&) {
        return {.out = "tandem " TANDEM_VERSION_STRING "\n"};
    } catch (const CLI::ArgumentMismatch& e) {
        return refused(name(), {value_missing(e.what())});
    } catch (const CLI::ParseError& e) {
        return refused(name(), {e.what()});
    }

 private:
    // "--help=all" has the value "all"; for "--help", CLI11 stores "true".
    command_line help() const {
        bool all = false;
        for (const auto* app : {static_cast<const CLI::App*>(&app_), &parsed()})
            for (const auto& value : app->get_help_ptr()->results()) {
                all = all || value == "all";
                if (value != "all" && value != "true" && !value.empty())
                    return refused(name(), {make_invalid_value_message("--help", value,
                                                                       "all, or have no value")});
            }
        return {.out = all ? help_text(parsed()) : short_help_text(parsed())};
    }

    // Returns the named command, or the top level.
    const CLI::App& parsed() const {
        const auto commands = app_.get_subcommands();
        return commands.empty() ? app_ : *commands.front();
    }
    std::string name() const {
        return &parsed() == &app_ ? "tandem" : "tandem " + parsed().get_name();
    }

    // Creates the flags of the named command, or of all commands if none is named, because creating
    // all flags takes a sixth of the startup time.
    template <class Flags>
    void create(std::optional<Flags>& flags, std::string_view named) {
        if (named.empty() || named == Flags::name) flags.emplace(app_);
    }

    command_line read_command(const environment& variables) {
        if (&parsed() == &app_) return {.status = wrong_use, .err = help_text(app_)};
        command_line result;
        std::vector<std::string> faults;
        const auto read = [&]<class Flags>(std::optional<Flags>& flags, auto command) {
            if (parsed().get_name() != Flags::name) return;
            auto options = flags->read(variables, faults);
            result.note = describe_unknown_language(language_of(options));
            result.*command = std::move(options);
        };
        read(replay_, &command_line::replay);
        read(chat_, &command_line::chat);
        read(doctor_, &command_line::doctor);
        read(bench_, &command_line::bench);
        read(segment_, &command_line::segment);
        read(serve_, &command_line::serve);
        read(key_, &command_line::key);
        read(cluster_, &command_line::cluster);
        if (parsed().get_name() == completion_flags::name) result.out = completion_->read(faults);
        if (!faults.empty()) return refused(name(), faults);
        return result;
    }

    // Returns the names of the commands that have `flag`, or of all commands if `flag` is empty.
    std::vector<std::string> commands_with(const std::string& flag) const {
        std::vector<std::string> names;
        for (const auto* command : app_.get_subcommands([](const CLI::App*) { return true; }))
            if (flag.empty() || command->get_option_no_throw(flag))
                names.push_back(command->get_name());
        return names;
    }

    std::string unknown_command(const std::string& given) const {
        const auto names = commands_with("");
        const auto like = find_similar_name(names, given);
        return fmt::format("{} is an unknown command; {} commands: {}", given,
                           like.empty() ? "known" : fmt::format("did you mean {}? Known", like),
                           fmt::join(names, ", "));
    }

    // Reports arguments that are not a command, or that precede the command.
    std::vector<std::string> faults_before() const {
        std::vector<std::string> faults;
        for (const auto& argument : app_.remaining()) {
            if (!is_flag(argument)) {
                // The argument may be the value of the faulty flag before it, so it is not
                // reported.
                if (!faults.empty()) continue;
                return {unknown_command(argument)};
            }
            faults.push_back(flag_before(argument));
        }
        return faults;
    }

    std::string flag_before(const std::string& argument) const {
        const auto flag = argument.substr(0, argument.find('='));
        const auto owners = commands_with(flag);
        if (owners.empty()) return unknown_flag_before(argument);
        return fmt::format("{} is a flag of {}; write it after {}", flag, joined_by_and(owners),
                           owners.size() == 1 ? "that command" : "one of these commands");
    }

    // The flag may belong to tandem itself or to a command.
    std::string unknown_flag_before(const std::string& argument) const {
        auto own = describe_unknown_flag(app_, argument);
        if (!find_similar_flags(app_, argument).empty()) return own;
        for (const auto* command : app_.get_subcommands([](const CLI::App*) { return true; }))
            if (const auto like = find_similar_flags(*command, argument); !like.empty())
                return fmt::format("{} Write it after {}",
                                   describe_unknown_flag(*command, argument),
                                   joined_by_and(commands_with(like.front())));
        return own;
    }

    // Replaces CLI11's message "--slots: 1 required N missing".
    std::string value_missing(const std::string& text) const {
        const auto flag = text.substr(0, text.find(':'));
        const auto* option = parsed().get_option_no_throw(flag);
        return option ? fmt::format("{} needs a value ({})", flag, option->get_type_name()) : text;
    }

    CLI::App app_{tandem_text, "tandem"};
    std::optional<replay_flags> replay_;
    std::optional<chat_flags> chat_;
    std::optional<doctor_flags> doctor_;
    std::optional<bench_flags> bench_;
    std::optional<segment_flags> segment_;
    std::optional<serve_flags> serve_;
    std::optional<key_flags> key_;
    std::optional<cluster_command_flags> cluster_;
    std::optional<completion_flags> completion_;
};

}  // namespace

command_line parse_command_line(std::vector<std::string> args, const environment& variables) {
    if (!args.empty() && args.front() == "__complete")
        return {.out = format_completions(parser("").commands(), {args.begin() + 1, args.end()})};
    read_help(args);
    const auto named = named_command(args);
    auto command = parser(named).parse(args, variables);
    // The error message may refer to other commands, so it needs the flags of all of them.
    const bool is_refused = command.status == wrong_use && !named.empty();
    return is_refused ? parser("").parse(std::move(args), variables) : command;
}

void visit_command_tree(const std::function<void(const CLI::App&)>& visit) {
    visit(parser("").commands());
}

}  // namespace tandem::command
