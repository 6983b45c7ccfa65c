#include "completion/completion_words.hpp"

#include "completion/completion_flags.hpp"
#include "completion/completion_script.hpp"
#include "completion/flag_values.hpp"

#include <utility>

namespace tandem::command {
namespace {

void add_values(const std::string& command, const CLI::Option& o, flag_completion& f) {
    f.value = o.get_type_name();
    for (const auto& name : f.names)
        for (const auto word : flag_values(command, name)) f.words.emplace_back(word);
    if (!f.words.empty())
        f.by = completion_kind::words;
    else if (f.value == "FILE")
        f.by = completion_kind::files;
    else
        f.by = f.value == "DIR" ? completion_kind::folders : completion_kind::user;
}

flag_completion argument_of(const CLI::Option& o) {
    flag_completion f{.help = o.get_description(), .value = o.get_name(true)};
    if (f.value == completion_flags::argument) {
        f.by = completion_kind::words;
        f.words.assign(shell_names.begin(), shell_names.end());
    } else {
        f.by = completion_kind::files;
    }
    return f;
}

flag_completion flag_of(const std::string& command, const CLI::Option& o) {
    if (o.get_positional()) return argument_of(o);
    flag_completion f{.help = o.get_description()};
    for (const auto& n : o.get_snames()) f.names.push_back("-" + n);
    for (const auto& n : o.get_lnames()) f.names.push_back("--" + n);
    if (o.get_items_expected_max() > 0) add_values(command, o, f);
    return f;
}

std::vector<flag_completion> flags_of(const CLI::App& app) {
    std::vector<flag_completion> flags;
    for (const auto* o : app.get_options()) flags.push_back(flag_of(app.get_name(), *o));
    return flags;
}

}  // namespace

completion_words collect_completion_words(const CLI::App& tandem) {
    completion_words all{.flags = flags_of(tandem)};
    for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; }))
        all.commands.push_back({c->get_name(), c->get_footer(), flags_of(*c)});
    return all;
}

}  // namespace tandem::command
