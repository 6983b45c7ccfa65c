#include "replay_command.hpp"

#include "input_file.hpp"
#include "json_view.hpp"
#include "log_output.hpp"
#include "prompt_file.hpp"
#include "replay.hpp"
#include "stop_signals.hpp"
#include "terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <memory>
#include <sys/resource.h>

namespace tandem::command {
namespace {

constexpr std::size_t max_input_bytes = 256u << 20;
constexpr std::size_t max_faults_shown = 20;
enum status { complete = 0, some_failed = 1, wrong_use = 2, stopped = 128 };

// Of this process so far, in user and system mode.
double cpu_ms() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto ms = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
    };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

double ms_since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

void tell_faults(terminal& t, const std::string& name, const std::vector<prompt_fault>& faults) {
    for (std::size_t i = 0; i < faults.size() && i < max_faults_shown; ++i)
        t.print_error(fmt::format("{}:{}: {}", name, faults[i].line, faults[i].message));
    if (faults.size() > max_faults_shown)
        t.print_error(fmt::format("and {} more faults", faults.size() - max_faults_shown));
    t.print_error("tandem replay: nothing was sent");
}

// The dialogues to run; none if there is a fault, which is told.
std::vector<dialogue> read_dialogues(const replay_options& options, terminal& t) {
    if (options.file.empty()) return dialogues_of(options.prompts, options.user_messages);
    const auto file = read_file(options.file, max_input_bytes);
    if (!file.fault.empty()) {
        t.print_error("tandem replay: " + file.fault);
        return {};
    }
    auto parsed = parse_prompts(file.text);
    const auto name = options.file == "-" ? "stdin" : options.file;
    if (!parsed.faults.empty()) {
        tell_faults(t, name, parsed.faults);
        return {};
    }
    if (parsed.dialogues.empty())
        t.print_error(fmt::format("tandem replay: {} has no prompts", name));
    return std::move(parsed.dialogues);
}

int exit_status(const replay_summary& s, const terminal& t) {
    if (!t.failure().empty()) return some_failed;
    if (stop_signals::received() != 0) return stopped + stop_signals::received();
    return s.failed > 0 || s.not_started > 0 ? some_failed : complete;
}

}  // namespace

int run_replay(const replay_options& options) {
    terminal out;
    auto dialogues = read_dialogues(options, out);
    if (dialogues.empty()) return wrong_use;

    const auto start = clock::now();
    boost::asio::io_context ioc(1);
    json_view view(out);
    auto settings = options.settings;
    settings.logger = log_to_terminal(out, options.log_level.value_or(log_level::warning));
    replay run(ioc, std::move(settings), {options.pace, options.concurrency}, std::move(dialogues),
               view);
    stop_signals signals(ioc, [&] { run.stop(); });
    out.on_failure([&] { run.stop(); });
    run.start([&] { signals.cancel(); });
    ioc.run();

    const auto summary = run.totals().summary(ms_since(start), cpu_ms());
    view.finished(summary);
    if (!out.failure().empty()) out.print_error("tandem replay: " + out.failure());
    return exit_status(summary, out);
}

}  // namespace tandem::command
