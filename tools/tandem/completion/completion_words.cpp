#include "completion/completion_words.hpp"

#include "completion/completion_flags.hpp"
#include "completion/flag_values.hpp"

#include <utility>

namespace tandem::command {
namespace {

void add_values(const std::string& command, const CLI::Option& o, completed_flag& f) {
    f.value = o.get_type_name();
    for (const auto& name : f.names)
        for (const auto word : flag_values(command, name)) f.words.emplace_back(word);
    if (!f.words.empty())
        f.by = completed_by::words;
    else if (f.value == "FILE")
        f.by = completed_by::files;
    else
        f.by = f.value == "DIR" ? completed_by::folders : completed_by::user;
}

completed_flag argument_of(const CLI::Option& o) {
    completed_flag f{.help = o.get_description(), .value = o.get_name(true)};
    if (f.value == completion_flags::argument) {
        f.by = completed_by::words;
        f.words = completion_flags::shells();
    } else {
        f.by = completed_by::files;
    }
    return f;
}

completed_flag flag_of(const std::string& command, const CLI::Option& o) {
    if (o.get_positional()) return argument_of(o);
    completed_flag f{.help = o.get_description()};
    for (const auto& n : o.get_snames()) f.names.push_back("-" + n);
    for (const auto& n : o.get_lnames()) f.names.push_back("--" + n);
    if (o.get_items_expected_max() > 0) add_values(command, o, f);
    return f;
}

std::vector<completed_flag> flags_of(const CLI::App& app) {
    std::vector<completed_flag> flags;
    for (const auto* o : app.get_options()) flags.push_back(flag_of(app.get_name(), *o));
    return flags;
}

}  // namespace

completion_words words_of(const CLI::App& tandem) {
    completion_words all{.flags = flags_of(tandem)};
    for (const auto* c : tandem.get_subcommands([](const CLI::App*) { return true; }))
        all.commands.push_back({c->get_name(), c->get_footer(), flags_of(*c)});
    return all;
}

}  // namespace tandem::command
