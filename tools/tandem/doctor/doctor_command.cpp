#include "doctor/doctor_command.hpp"

#include "cluster_status/store_client.hpp"
#include "doctor/doctor_report.hpp"
#include "os/exit_status.hpp"
#include "os/stop_signals.hpp"
#include "probe/doctor_probe.hpp"
#include "run/progress.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

namespace tandem::command {
namespace {

doctor_facts examine(const doctor_options& options, terminal& t) {
    boost::asio::io_context ioc{1};
    doctor_probe probe(ioc, options.settings,
                       {.load_wait = options.wait, .measure = !options.quick});
    const auto started = std::chrono::steady_clock::now();
    stop_signals signals(ioc, [&] { probe.stop(); });
    progress shown(ioc, t, [&] {
        const std::chrono::duration<double> since = std::chrono::steady_clock::now() - started;
        return fmt::format("{:>7.1f}s  {}", since.count(), probe.status_text());
    });
    probe.start([&] {
        signals.cancel();
        shown.stop();
    });
    shown.start();
    ioc.run();
    auto facts = probe.facts();
    if (options.cluster && !facts.stopped)
        facts.store = store_client(*options.cluster, "tandem-doctor").read_facts();
    return facts;
}

}  // namespace

int run_doctor(const doctor_options& options) {
    terminal t;
    const auto report = make_doctor_report(examine(options, t));
    const screen_style style{.width = t.out_width(), .color = is_color_enabled(options.color, t)};
    t.print(options.json ? doctor_json(report) : format_doctor_report(style, report));
    print_output_failure(t, "tandem doctor");
    return choose_exit_status(t, report.is_usable());
}

}  // namespace tandem::command
