#include "bench/bench_command.hpp"

#include "bench/bench_json.hpp"
#include "bench/bench_prompts.hpp"
#include "bench/bench_run.hpp"
#include "bench/bench_text.hpp"
#include "os/exit_status.hpp"
#include "os/lost_output.hpp"
#include "os/stop_pipe.hpp"
#include "recording/dialogue_input.hpp"
#include "terminal/terminal.hpp"

#include <clocale>
#include <utility>

namespace tandem::command {
namespace {

// The dialogues to hold; none if there is a fault, which is told.
std::vector<dialogue> read_bench_dialogues(const bench_options& o, terminal& t) {
    if (!o.file.empty()) return read_dialogue_file(o.file, "tandem bench", t);
    if (o.prompts.empty() && o.user_messages.empty()) return usual_dialogues();
    return dialogues_of(o.prompts, o.user_messages);
}

int bench_status(const std::optional<bench_report>& r, const terminal& t) {
    if (const auto lost = status_of_output(t)) return *lost;
    if (stop_pipe::received() != 0) return by_signal + stop_pipe::received();
    return r && r->figures.failed == 0 && r->missed == 0 ? all_good : not_all_good;
}

}  // namespace

int run_bench(const bench_options& options) {
    std::setlocale(LC_CTYPE, "C.UTF-8");  // for the width of characters
    terminal t;
    auto dialogues = read_bench_dialogues(options, t);
    if (dialogues.empty()) return wrong_use;
    const auto report = bench_run(options, std::move(dialogues), t).run();
    if (report)
        t.print(options.json ? bench_json(*report)
                             : bench_screen(*report, wants_color(options.color, t)));
    tell_lost_output(t, "tandem bench");
    return bench_status(report, t);
}

}  // namespace tandem::command
