#include "completion/format_completions.hpp"

#include <algorithm>
#include <string_view>

namespace tandem::command {
namespace {

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
    void add_commands(const completion_words& all) {
        for (const auto& c : all.commands) add(c.name, c.help);
    }
    void add_flags(const std::vector<flag_completion>& flags) {
        for (const auto& f : flags)
            for (const auto& name : f.names) add(name, f.help);
    }
    /// `before` is the text before the value in the same word, such as "--color=".
    void add_values(const flag_completion& f, const std::string& before = {}) {
        if (f.by == completion_kind::files) lines_ = ":files\n";
        if (f.by == completion_kind::folders) lines_ = ":folders\n";
        for (const auto& word : f.words) add(before + word);
    }
    std::string take() && { return std::move(lines_); }

 private:
    std::string_view typed_;
    std::string lines_;
};

const flag_completion* find_flag(const command_completion& c, std::string_view name) {
    const auto found = std::ranges::find_if(c.flags, [&](const flag_completion& f) {
        return std::ranges::find(f.names, name) != f.names.end();
    });
    return found == c.flags.end() ? nullptr : &*found;
}

bool takes_value(const flag_completion* f) {
    return f && f->by != completion_kind::nothing;
}

void add_argument(offers& out, const command_completion& c) {
    for (const auto& f : c.flags)
        if (f.names.empty()) out.add_values(f);
}

// Completes the value of the previous flag, the value of a flag in the same word, a flag name, or
// an argument.
void add_of_command(offers& out, const command_completion& c, const std::string& before,
                    const std::string& typed) {
    if (const auto* const f = find_flag(c, before); takes_value(f)) return out.add_values(*f);
    const auto equals = typed.find('=');
    const auto* const same_word = find_flag(c, typed.substr(0, equals));
    if (equals != typed.npos && takes_value(same_word))
        return out.add_values(*same_word, typed.substr(0, equals + 1));
    if (typed.starts_with('-')) return out.add_flags(c.flags);
    add_argument(out, c);
}

}  // namespace

std::string format_completions(const completion_words& all, const std::vector<std::string>& typed) {
    if (typed.empty()) return {};
    offers out(typed.back());
    if (typed.size() == 1) {
        out.add_commands(all);
        out.add("help", "show the help of a command");
        if (typed[0].starts_with('-')) out.add_flags(all.flags);
        return std::move(out).take();
    }
    if (typed[0] == "help" && typed.size() == 2) out.add_commands(all);
    const auto command = std::ranges::find(all.commands, typed[0], &command_completion::name);
    if (command != all.commands.end())
        add_of_command(out, *command, typed[typed.size() - 2], typed.back());
    return std::move(out).take();
}

}  // namespace tandem::command
