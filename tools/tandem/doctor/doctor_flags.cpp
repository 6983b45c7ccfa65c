#include "doctor/doctor_flags.hpp"

#include "flags/run_flags.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

constexpr const char* doctor_text = R"(Example:
  tandem doctor --url http://127.0.0.1:8080

Checks whether a llama-server and its setup suit a voice bot: the server and the
known faults of its build, its speed, whether a cut stops it, how much of a
prompt its slots keep, and what a change of conversation costs. Then recommends
settings of tandem and a command line for the server.

Usage: tandem doctor [FLAG...]

Each line is one of these:
  ok       no problem
  note     worth knowing; no action is needed
  warning  a bot works, but not as well as it could
  bad      a bot would break

Measuring sends about 25 small requests to two idle slots, and takes a few
seconds. The caches of these slots are lost: a conversation that continues there
has its prompt evaluated again. --quick only queries the server, and does not
use slots.

Times are written as 250ms, 2s, 1m, 0.5h or plain seconds. The flags of the
groups server to limits can also be set by environment variables (--slots by
TANDEM_SLOTS) or in the file of --config ("slots"). Flags override variables,
and variables override the file.

Exit status: 0 good (warnings too), 1 a bot would break, 2 wrong use, 130
stopped with Ctrl-C, 143 with SIGTERM, 129 with SIGHUP, 141 if the reader of its
output has gone.)";

// Fields that affect the checks, and fields that users may copy from a `tandem replay` command
// line.
bool is_asked_about(const field_info& f) {
    const std::string_view group = f.group;
    const std::string_view field = f.name;
    if (field == "erase_after_cut" || field == "continue_timeout") return false;
    return group == "server" || group == "slots" || group == "limits" || field == "pacing" ||
           field == "ahead_chunks" || field == "held_chunks_max";
}

}  // namespace

doctor_flags::doctor_flags(CLI::App& tandem)
    : flags_(tandem, name, doctor_text, "check whether a server suits a voice bot") {
    flags_.begin_group("run");
    flags_.add_switch("--quick", options_.quick,
                      "only query the server; do not use slots or measure");
    flags_.add_time("--wait", options_.wait, "how long to wait for the model to load", "30s");
    flags_.begin_group("output");
    flags_.add_switch("--json", options_.json, "print one JSON object");
    add_color_flag(flags_, options_.color);
    flags_.add_help_flag();
    config_.add_to(flags_.app(), is_asked_about);
    store_.add_to(flags_.app(), false);
}

doctor_options doctor_flags::read(const environment& variables, std::vector<std::string>& faults) {
    faults = describe_unparsed_arguments(flags_.app());
    flags_.read(faults);
    auto loaded = config_.load(variables, faults);
    if (loaded.urls.size() > 1)
        faults.push_back(
            fmt::format("--url names {} servers; doctor checks only one", loaded.urls.size()));
    options_.settings = std::move(loaded.value);
    options_.cluster = store_.read(variables, faults);
    if (options_.cluster) options_.cluster->ca_file = options_.settings.server.ca_file;
    return std::move(options_);
}

}  // namespace tandem::command
