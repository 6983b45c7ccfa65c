#include "doctor/doctor_flags.hpp"

#include "flags/flag_faults.hpp"
#include "flags/run_flags.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr const char* doctor_text = R"(Example:
  tandem doctor --url http://127.0.0.1:8080

Tells whether a llama-server and this set-up are good for a voice bot: what the
server is, what is known against its build, how fast it is, whether a cut stops
it and what its slots keep of a prompt; then what to set in tandem, and how to
start the server.

Usage: tandem doctor [FLAG...]

Each line is one of these:
  ok       it is as it should be
  note     worth knowing; nothing has to be done
  warning  a bot works, but not as well as it could
  bad      a bot would break

Measuring sends some 20 small requests to two idle slots, and takes a few
seconds. What these slots held is lost: a conversation that goes on there has
its prompt evaluated once more. --quick asks only, and uses no slot.

Times are written 250ms, 2s, 1m, 0.5h or as plain seconds. Each flag of the
groups server to limits may also be set by a variable (--slots by TANDEM_SLOTS)
or in the file of --config ("slots"). Flags win over variables, and variables
over the file.

Exit status: 0 good (warnings too), 1 a bot would break, 2 wrong use, 130
stopped with Ctrl-C, 143 with SIGTERM, 129 with SIGHUP, 141 when nobody reads
its output any more.)";

// What a look at a server has to do with, and what goes with it on a line that was replay's.
bool is_asked_about(const field_info& f) {
    const std::string_view group = f.group;
    const std::string_view field = f.name;
    if (field == "erase_after_cut" || field == "continue_timeout") return false;
    return group == "server" || group == "slots" || group == "limits" || field == "pacing" ||
           field == "ahead_chunks" || field == "held_chunks_max";
}

}  // namespace

doctor_flags::doctor_flags(CLI::App& tandem) : app_(*tandem.add_subcommand(name, doctor_text)) {
    app_.footer("tell whether a server is good for a bot");
    app_.set_help_flag();
    app_.allow_extras();
    app_.add_flag("--quick", options_.quick, "ask only; measure nothing, use no slot")
        ->group("run");
    add_value_flag(app_, "--wait", wait_, "TIME", "how long to wait for a model that loads [30s]",
                   "run");
    app_.add_flag("--json", options_.json, "one JSON object, for programs")->group("output");
    add_value_flag(app_, "--color", color_, "WHEN", "auto, always or never [auto]", "output");
    app_.set_help_flag("-h,--help", "this text")->group("output");
    config_.add_to(app_, is_asked_about);
}

doctor_options doctor_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = argument_faults(app_);
    read_wait(wait_, options_.wait, faults);
    read_color(color_, options_.color, faults);
    auto loaded = config_.load(variables);
    std::ranges::move(loaded.faults, std::back_inserter(faults));
    if (loaded.urls.size() > 1)
        faults.push_back(
            fmt::format("{} servers are given; doctor looks at one at a time", loaded.urls.size()));
    options_.settings = std::move(loaded.value);
    return std::move(options_);
}

}  // namespace tandem::command
