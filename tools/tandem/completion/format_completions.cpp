#include "completion/format_completions.hpp"

#include "completion/flag_values.hpp"

#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

// Returns "-h" and "--help", or "FILE" for an argument.
std::vector<std::string> names_of(const CLI::Option& o) {
    if (o.get_positional()) return {o.get_name(true)};
    std::vector<std::string> names;
    for (const auto& n : o.get_snames()) names.push_back("-" + n);
    for (const auto& n : o.get_lnames()) names.push_back("--" + n);
    return names;
}

/// Collects the completions that start with the typed text.
class offers {
 public:
    explicit offers(std::string_view typed) : typed_(typed) {}

    void add(const std::string& word, std::string_view help = {}) {
        if (!word.starts_with(typed_)) return;
        lines_ += word;
        if (!help.empty()) (lines_ += '\t') += help;
        lines_ += '\n';
    }
    void add_commands(const CLI::App& tandem) {
        for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; }))
            add(c->get_name(), c->get_footer());
    }
    void add_flags(const CLI::App& app) {
        for (const auto* o :
             app.get_options([](const auto* any) { return !any->get_positional(); }))
            for (const auto& name : names_of(*o)) add(name, o->get_description());
    }
    /// `before` is the text before the value in the same word, such as "--color=".
    void add_values(const CLI::App& command, const CLI::Option& o, const std::string& before = {}) {
        bool has_words = false;
        for (const auto& name : names_of(o))
            for (const auto word : find_flag_values(command.get_name(), name)) {
                add(before + std::string(word));
                has_words = true;
            }
        const auto value = o.get_positional() ? o.get_name(true) : o.get_type_name();
        if (!has_words && value.ends_with("FILE")) lines_ = ":files\n";
        if (!has_words && value == "DIR") lines_ = ":folders\n";
    }
    std::string take() && { return std::move(lines_); }

 private:
    std::string_view typed_;
    std::string lines_;
};

// Returns nullptr if there is no such flag, or if it is a switch.
const CLI::Option* find_flag_with_value(const CLI::App& command, const std::string& name) {
    const auto* o = name.starts_with('-') ? command.get_option_no_throw(name) : nullptr;
    return o && o->get_items_expected_max() > 0 ? o : nullptr;
}

// Completes the value of the previous flag, the value of a flag in the same word, a flag name, or
// an argument.
void add_of_command(offers& out, const CLI::App& command, const std::string& before,
                    const std::string& typed) {
    if (const auto* o = find_flag_with_value(command, before)) return out.add_values(command, *o);
    const auto equals = typed.find('=');
    const auto* same_word = find_flag_with_value(command, typed.substr(0, equals));
    if (equals != typed.npos && same_word)
        return out.add_values(command, *same_word, typed.substr(0, equals + 1));
    if (typed.starts_with('-')) return out.add_flags(command);
    for (const auto* o : command.get_options([](const auto* any) { return any->get_positional(); }))
        out.add_values(command, *o);
}

}  // namespace

std::string format_completions(const CLI::App& tandem, const std::vector<std::string>& typed) {
    if (typed.empty()) return {};
    offers out(typed.back());
    if (typed.size() == 1) {
        out.add_commands(tandem);
        out.add("help", "show the help of a command");
        if (typed[0].starts_with('-')) out.add_flags(tandem);
        return std::move(out).take();
    }
    if (typed[0] == "help" && typed.size() == 2) out.add_commands(tandem);
    for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; }))
        if (c->get_name() == typed[0])
            add_of_command(out, *c, typed[typed.size() - 2], typed.back());
    return std::move(out).take();
}

}  // namespace tandem::command
