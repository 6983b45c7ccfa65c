#include "bench/bench_command.hpp"

#include "bench/bench_json.hpp"
#include "bench/bench_run.hpp"
#include "bench/bench_text.hpp"
#include "os/exit_status.hpp"
#include "os/input_file.hpp"
#include "recording/dialogue_input.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::command {
namespace {

dialogue dialogue_of(std::string id, std::string system, std::vector<std::string> turns) {
    dialogue d;
    d.id = std::move(id);
    d.messages.push_back({"system", std::move(system)});
    d.turns = std::move(turns);
    return d;
}

// Dialogues that are typical of voice bots, for runs without prompts.
std::vector<dialogue> default_dialogues() {
    return {
        dialogue_of("ferry",
                    "You answer the telephone of a ferry line. Speak in short, whole sentences, "
                    "without lists and without Markdown.",
                    {"Good morning. When does the next ferry to the island leave?",
                     "And how much is a return for two adults and a child?",
                     "Can we take our dog along?", "Thank you. Please book the three of us."}),
        dialogue_of("doctor",
                    "You are the receptionist of Dr. Imre's surgery. Be kind and brief, and ask "
                    "for one thing at a time.",
                    {"Hello, I would like to see the doctor this week.",
                     "Thursday is fine, but only after four.", "It is about my left knee."}),
        dialogue_of("recipe", "You help in the kitchen. Your words are read aloud by a voice.",
                    {"What can I cook with leeks, potatoes and an egg?", "How long does that take?",
                     "Tell me the steps, one after the other."}),
        dialogue_of("story", "You tell stories to children at bedtime, in four or five sentences.",
                    {"Tell me a story of a fox and the moon.", "What did the fox do then?"}),
    };
}

// Returns the dialogues to hold. Reports a fault and returns no dialogues if the file is invalid.
std::vector<dialogue> read_bench_dialogues(const bench_options& o, terminal& t) {
    const auto& common = o.service.client.generation;
    if (!o.file.empty())
        return read_dialogue_file(o.file, "tandem bench", common, dialogue_use::requests, t);
    const bool has_prompts = !o.prompts.empty() || !o.user_messages.empty();
    return check_dialogues(
        has_prompts ? make_dialogues(o.prompts, o.user_messages) : default_dialogues(),
        "tandem bench", common, t);
}

void note_expectations(const std::vector<dialogue>& dialogues, const std::string& file,
                       terminal& t) {
    const auto first =
        std::ranges::find_if(dialogues, [](const dialogue& d) { return !d.expected.empty(); });
    if (first != dialogues.end())
        t.print_error(fmt::format(
            "tandem bench: {}:{}: bench does not check expect; use tandem replay for that",
            input_name(file), first->line));
}

// Returns whether all replies are complete.
bool measure_load(bench_run& run, const bench_options& options, terminal& t) {
    const auto report = run.run();
    if (!report) return false;
    t.print(options.json ? bench_json(*report)
                         : format_bench_report(*report, is_color_enabled(options.color, t)));
    return report->figures.failed == 0 && report->missed == 0;
}

// Returns true if the server can serve at least one caller, and no step consisted only of failed
// turns.
bool find_capacity(bench_run& run, const bench_options& options, terminal& t) {
    const auto report = run.find_capacity();
    if (!report) return false;
    t.print(options.json ? capacity_json(*report)
                         : format_capacity_report(*report, is_color_enabled(options.color, t)));
    return report->callers > 0 && !report->was_given_up;
}

}  // namespace

int run_bench(const bench_options& options) {
    terminal t;
    auto dialogues = read_bench_dialogues(options, t);
    if (dialogues.empty()) return wrong_use;
    note_expectations(dialogues, options.file, t);
    bench_run run(options, std::move(dialogues), t);
    const bool good =
        options.capacity ? find_capacity(run, options, t) : measure_load(run, options, t);
    print_output_failure(t, "tandem bench");
    return choose_exit_status(t, good);
}

}  // namespace tandem::command
