#include "replay/replay_command.hpp"

#include "config/config_defaults.hpp"
#include "os/exit_status.hpp"
#include "os/input_file.hpp"
#include "os/stop_signals.hpp"
#include "recording/dialogue_input.hpp"
#include "recording/recording_file.hpp"
#include "replay/junit_report.hpp"
#include "replay/replay.hpp"
#include "replay/replay_json_view.hpp"
#include "replay/replay_report.hpp"
#include "replay/replay_text_view.hpp"
#include "run/progress.hpp"
#include "terminal/log_output.hpp"
#include "terminal/terminal.hpp"
#include "text/terminal_text.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <ctime>

namespace tandem::command {
namespace {

constexpr int max_name_columns = 16;

// Returns the dialogues to run. Reports a fault and returns no dialogues if the input is invalid.
std::vector<dialogue> read_dialogues(const replay_options& options, terminal& t) {
    if (options.played) return options.played_dialogues;
    const auto& common = options.service.client.generation;
    if (!options.file.empty())
        return read_dialogue_file(options.file, "tandem replay", common, dialogue_use::whole, t);
    return check_dialogues(make_dialogues(options.prompts, options.user_messages, options.system),
                           "tandem replay", common, t);
}

bool is_one_by_one(const replay_options& options, const std::vector<dialogue>& dialogues) {
    return options.concurrency == 1 || (dialogues.size() == 1 && options.conversations == 1);
}

// Returns the width of the name column for concurrent replies; 0 if replies run one at a time.
int name_columns(const replay_options& options, const std::vector<dialogue>& dialogues, int width) {
    if (is_one_by_one(options, dialogues)) return 0;
    const auto runs = options.conversations;
    int columns = 0;
    for (const auto& d : dialogues) {
        const auto id = run_id(d.id, runs - 1, runs);
        columns = std::max(columns, count_columns(format_reply_name({id, d.replies() - 1})));
    }
    return std::min(columns, std::max(max_name_columns, width / 5));
}

// Returns the log level. By default, text output has no log, because the timeline shows the events
// that the log would warn about.
log_level level_of(const replay_options& options) {
    // JSON output and verify_cut need the log: the timeline does not show whether the server
    // noticed a cut.
    const bool warns = options.json || options.service.client.server.verify_cut;
    return options.log_level.value_or(warns ? log_level::warning : log_level::off);
}

bool has_conversations(const std::vector<dialogue>& dialogues) {
    return std::ranges::any_of(dialogues, [](const dialogue& d) { return !d.prompt; });
}

// Returns the number of slots that a run uses; 0 = all.
int slots_of(const replay_options& options, const std::vector<dialogue>& dialogues) {
    return options.service.client.server.slots.value_or(has_conversations(dialogues) ? 0 : 2);
}

recorded_run make_recorded_run(const replay_options& options,
                               const std::vector<dialogue>& dialogues) {
    auto settings = collect_changed_settings(options.service, options.record.prompts);
    if (const auto slots = options.service.client.server.slots)
        settings.push_back({"", "slots", std::to_string(*slots)});
    return {std::move(settings), options.recorded_flags, dialogues, true};
}

// The report and the JUnit file of a run, if they are requested.
class written_files {
 public:
    written_files(const replay_options& options, const std::vector<dialogue>& dialogues)
        : junit_(options.junit, input_name(options.file),
                 count_expectations(dialogues, options.conversations)) {
        if (options.reports.empty()) return;
        report_.emplace(options, count_replies(dialogues, options.conversations));
        views_.push_back(&report_->view());
    }

    // Checks before the run whether the files can be written. Returns the error, or an empty
    // string.
    std::string fault() const {
        const auto fault = report_ ? report_->fault() : "";
        return fault.empty() ? junit_.fault() : fault;
    }
    // Returns the errors, or an empty string.
    std::string write() const {
        const auto report = report_ ? report_->write() : "";
        const auto junit = junit_.write();
        return report + (report.empty() || junit.empty() ? "" : "; ") + junit;
    }
    const std::vector<replay_view*>& views() const noexcept { return views_; }

 private:
    junit_report junit_;
    std::optional<replay_report> report_;
    std::vector<replay_view*> views_{&junit_};
};

// One run and the objects it needs.
class replay_run {
 public:
    /// `views` also receive all events.
    replay_run(const replay_options& options, std::vector<dialogue> dialogues, terminal& t,
               std::vector<replay_view*> views)
        : options_(options),
          terminal_(t),
          json_(t, has_several_servers() || has_conversations(dialogues)),
          text_(t,
                {.color = is_color_enabled(options.color, t),
                 .name_columns = name_columns(options, dialogues, t.out_width()),
                 .shows_servers = has_several_servers()},
                slots_of(options, dialogues),
                detail::configured_reuse_guard(options.service.client)),
          view_(std::move(views)),
          one_by_one_(is_one_by_one(options, dialogues)),
          replay_(ioc_, options.service, instruments_of_run(), options, std::move(dialogues),
                  view_),
          signals_(ioc_, [this] { replay_.stop(); }),
          progress_(ioc_, t, [this] { return status_line(); }) {
        t.on_failure([this] { replay_.stop(); });
        if (options_.json)
            view_.add(json_);
        else
            view_.add(text_);
    }

    replay_summary run() {
        if (options_.played && !options_.json) text_.show_source(options_.played_source);
        replay_.start([this] {
            signals_.cancel();
            progress_.stop();
        });
        progress_.start();
        ioc_.run();
        const auto cpu_ms = static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC;
        auto summary = replay_.totals().summary(elapsed_ms(), cpu_ms);
        view_.on_run_finished(summary);
        return summary;
    }

 private:
    bool has_several_servers() const noexcept { return options_.service.servers.size() > 1; }
    instruments instruments_of_run() const {
        auto i = options_.instruments;
        i.log = log_to_terminal(terminal_, level_of(options_));
        return i;
    }
    double elapsed_ms() const { return to_ms(clock::now() - start_); }
    std::string status_line() const {
        const auto& totals = replay_.totals();
        auto all = totals.replies() > 1 ? progress_text(totals, elapsed_ms()) : "";
        if (options_.json || !one_by_one_ || !terminal_.out_is_terminal()) return all;
        const auto now = text_.describe_activity();
        return now.empty() || all.empty() ? now + all : now + "  ·  " + all;
    }

    const replay_options& options_;
    terminal& terminal_;
    replay_json_view json_;
    replay_text_view text_;
    tee_view view_;
    bool one_by_one_;
    clock::time_point start_ = clock::now();
    boost::asio::io_context ioc_{1};
    replay replay_;
    stop_signals signals_;
    progress progress_;
};

}  // namespace

int run_replay(replay_options options) {
    terminal t;
    auto dialogues = read_dialogues(options, t);
    if (dialogues.empty()) return wrong_use;
    options.instruments.play = options.played;
    if (!options.played_note.empty()) t.print_error("tandem replay: " + options.played_note);
    written_files files(options, dialogues);
    if (const auto fault = files.fault(); !fault.empty()) {
        t.print_error("tandem replay: " + fault);
        return wrong_use;
    }
    // Opens the recording last, because this replaces an older recording.
    recording_file recorded(options.record, make_recorded_run(options, dialogues),
                            options.instruments);
    recorded.begin();
    if (const auto fault = recorded.fault(); !fault.empty()) {
        t.print_error("tandem replay: " + fault);
        return wrong_use;
    }
    const auto summary = replay_run(options, std::move(dialogues), t, files.views()).run();
    if (recorded.recorder()) recorded.recorder()->note(end_note);
    print_output_failure(t, "tandem replay");
    const auto fault = files.write();
    if (!fault.empty()) t.print_error("tandem replay: " + fault);
    const auto lost = recorded.fault();
    if (!lost.empty()) t.print_error("tandem replay: " + lost);
    const bool good = summary.failed == 0 && summary.not_started == 0 && summary.broken_turns == 0;
    return choose_exit_status(t, good && fault.empty() && lost.empty());
}

}  // namespace tandem::command
