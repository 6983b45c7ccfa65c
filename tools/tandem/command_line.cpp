#include "command_line.hpp"

#include "bench/bench_flags.hpp"
#include "chat/chat_flags.hpp"
#include "cluster_status/cluster_command_flags.hpp"
#include "completion/completion_flags.hpp"
#include "completion/format_completions.hpp"
#include "doctor/doctor_flags.hpp"
#include "flags/describe_unknown_language.hpp"
#include "flags/flag_parsing.hpp"
#include "flags/help_format.hpp"
#include "os/exit_status.hpp"
#include "replay/replay_flags.hpp"
#include "segment/segment_flags.hpp"
#include "serve/key_flags.hpp"
#include "serve/serve_flags.hpp"
#include "text/edit_distance.hpp"

#include "tandem/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
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
std::string language_of(const config& c) {
    return c.chunking.language;
}
std::string language_of(const replay_options& o) {
    return language_of(o.service.client);
}
std::string language_of(const chat_options& o) {
    return language_of(o.service.client);
}
std::string language_of(const bench_options& o) {
    return language_of(o.service.client);
}
std::string language_of(const serve_options& o) {
    return language_of(o.gateway.service.client);
}
std::string language_of(const segment_options& o) {
    return o.sentences.language;
}
std::string language_of(const doctor_options&) {
    return {};
}
std::string language_of(const key_options&) {
    return {};
}
std::string language_of(const cluster_command_options&) {
    return {};
}

// Returns "a", "a and b" or "a, b and c".
std::string joined_by_and(const std::vector<std::string>& names) {
    const auto all_but_last = std::span(names).first(names.size() - 1);
    return fmt::format("{}{}{}", fmt::join(all_but_last, ", "), all_but_last.empty() ? "" : " and ",
                       names.back());
}

/// The flags of a command. Created only for the named command, or for all commands if none is
/// named, because creating all flags takes a sixth of the startup time.
template <class Flags>
class flags_where_wanted {
 public:
    flags_where_wanted(CLI::App& tandem, std::string_view named) {
        if (named.empty() || named == Flags::name) flags_.emplace(tandem);
    }
    bool is_asked_for(const CLI::App& tandem) const {
        return flags_ && tandem.got_subcommand(Flags::name);
    }
    Flags& operator*() { return *flags_; }

 private:
    std::optional<Flags> flags_;
};

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
    explicit parser(std::string_view named)
        : replay_(app_, named),
          chat_(app_, named),
          doctor_(app_, named),
          bench_(app_, named),
          segment_(app_, named),
          serve_(app_, named),
          key_(app_, named),
          cluster_(app_, named),
          completion_(app_, named) {
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
        if (const auto faults = empty_values(app_, args); !faults.empty())
            return refused("tandem", faults);
        const bool begins_with_command = !named_command(args).empty();
        std::ranges::reverse(args);  // the order that CLI11 expects
        app_.parse(std::move(args));
        if (const auto rest = app_.remaining(); begins_with_command && !rest.empty())
            return refused(name(), {rest.front() + " is an unexpected argument"});
        if (const auto faults = faults_before(); !faults.empty()) return refused("tandem", faults);
        if (const auto faults = values_taken_from_flags(parsed()); !faults.empty())
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
                    return refused(name(), {refusal_of("--help", value, "all, or have no value")});
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

    command_line read_command(const environment& variables) {
        using result = command_line;
        if (doctor_.is_asked_for(app_))
            return answer(&result::doctor, [&](auto& f) { return (*doctor_).read(variables, f); });
        if (replay_.is_asked_for(app_))
            return answer(&result::replay, [&](auto& f) { return (*replay_).read(variables, f); });
        if (chat_.is_asked_for(app_))
            return answer(&result::chat, [&](auto& f) { return (*chat_).read(variables, f); });
        if (bench_.is_asked_for(app_))
            return answer(&result::bench, [&](auto& f) { return (*bench_).read(variables, f); });
        if (segment_.is_asked_for(app_))
            return answer(&result::segment, [&](auto& f) { return (*segment_).read(f); });
        if (serve_.is_asked_for(app_))
            return answer(&result::serve, [&](auto& f) { return (*serve_).read(variables, f); });
        if (key_.is_asked_for(app_))
            return answer(&result::key, [&](auto& f) { return (*key_).read(f); });
        if (cluster_.is_asked_for(app_))
            return answer(&result::cluster,
                          [&](auto& f) { return (*cluster_).read(variables, f); });
        if (completion_.is_asked_for(app_)) return complete();
        return {.status = wrong_use, .err = help_text(app_)};
    }

    command_line complete() {
        std::vector<std::string> faults;
        const auto chosen = (*completion_).read(faults);
        if (!faults.empty()) return refused(name(), faults);
        return {.out = std::string(completion_script(*chosen))};
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

    // Reports arguments that are no command, or that precede the command.
    std::vector<std::string> faults_before() const {
        std::vector<std::string> faults;
        for (const auto& argument : app_.remaining()) {
            if (!is_flag(argument)) {
                // After a flag this may be its value.
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
        auto own = unknown_flag(app_, argument);
        if (!find_similar_flags(app_, argument).empty()) return own;
        for (const auto* command : app_.get_subcommands([](const CLI::App*) { return true; }))
            if (const auto like = find_similar_flags(*command, argument); !like.empty())
                return fmt::format("{} Write it after {}", unknown_flag(*command, argument),
                                   joined_by_and(commands_with(like.front())));
        return own;
    }

    // Replaces CLI11's message "--slots: 1 required N missing".
    std::string value_missing(const std::string& text) const {
        const auto flag = text.substr(0, text.find(':'));
        const auto* option = parsed().get_option_no_throw(flag);
        return option ? fmt::format("{} needs a value ({})", flag, option->get_type_name()) : text;
    }

    template <class Options, class Read>
    command_line answer(std::optional<Options> command_line::*command, Read read) const {
        std::vector<std::string> faults;
        auto options = read(faults);
        if (!faults.empty()) return refused(name(), faults);
        command_line result{.note = describe_unknown_language(language_of(options))};
        result.*command = std::move(options);
        return result;
    }

    CLI::App app_{tandem_text, "tandem"};
    flags_where_wanted<replay_flags> replay_;
    flags_where_wanted<chat_flags> chat_;
    flags_where_wanted<doctor_flags> doctor_;
    flags_where_wanted<bench_flags> bench_;
    flags_where_wanted<segment_flags> segment_;
    flags_where_wanted<serve_flags> serve_;
    flags_where_wanted<key_flags> key_;
    flags_where_wanted<cluster_command_flags> cluster_;
    flags_where_wanted<completion_flags> completion_;
};

}  // namespace

command_line parse_command_line(std::vector<std::string> args, const environment& variables) {
    if (!args.empty() && args.front() == "__complete")
        return {.out = format_completions(collect_completion_words(parser("").commands()),
                                          {args.begin() + 1, args.end()})};
    read_help(args);
    const auto named = named_command(args);
    auto command = parser(named).parse(args, variables);
    // The error message may refer to other commands, so it needs the flags of all of them.
    const bool is_refused = command.status == wrong_use && !named.empty();
    return is_refused ? parser("").parse(std::move(args), variables) : command;
}

void visit_commands(const std::function<void(const CLI::App&)>& visit) {
    visit(parser("").commands());
}

}  // namespace tandem::command
