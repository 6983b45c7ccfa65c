#include "chat/chat_command.hpp"

#include "chat/chat.hpp"
#include "chat/chat_views.hpp"
#include "line_input/line_editor.hpp"
#include "line_input/line_reader.hpp"
#include "os/atomic_file.hpp"
#include "os/exit_status.hpp"
#include "os/input_file.hpp"
#include "os/signal_pipe.hpp"
#include "os/stop_signals.hpp"
#include "recording/recording_file.hpp"
#include "terminal/log_output.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t max_saved_bytes = std::size_t{64} << 20;
constexpr const char* no_espeak =
    "espeak-ng is not installed; replies are shown at {} words a minute, but not spoken; install "
    "it (apt-get install espeak-ng), or use --tts-command or --tts none";
constexpr const char* no_aplay =
    "aplay is not installed; nothing is played; install it (apt-get install alsa-utils), or use "
    "--player CMD or --play no";

using tts = chat_options::tts;
using playing = chat_options::playing;

bool has_synthesizer(const speaker_options& o) {
    return !o.synthesizer.empty();
}

// Chooses the programs for speech output and reports missing ones.
class speaker_choice {
 public:
    speaker_choice(const chat_options& options, terminal& t) : options_(options), terminal_(t) {
        // The reply fails at continue_timeout. A slow program is killed shortly before, so that the
        // text of its chunk is still shown.
        chosen_ = {.wav = options.wav,
                   .pace = {static_cast<double>(options.words_per_minute)},
                   .sentence_pause = options.sentence_pause,
                   .limit = options.service.client.limits.continue_timeout * 9 / 10};
        choose_synthesizer();
        if (has_synthesizer(chosen_)) choose_player();
    }

    /// Returns nothing if a requested program is missing.
    std::optional<speaker_options> chosen() const {
        return ok_ ? std::optional(chosen_) : std::nullopt;
    }

 private:
    void choose_synthesizer() {
        const auto& o = options_;
        if (o.synthesizer == tts::command) chosen_.synthesizer = shell_arguments(o.tts_command);
        if (o.synthesizer != tts::espeak && o.synthesizer != tts::automatic) return;
        if (is_on_path("espeak-ng")) {
            chosen_.synthesizer = espeak_arguments(o.voice_name, o.words_per_minute);
            chosen_.tries_synthesizer = true;
            if (!o.voice_name.empty())
                chosen_.voice_flag =
                    (o.voice_is_language ? "--language " : "--voice ") + o.voice_name;
            return;
        }
        if (o.synthesizer == tts::espeak)
            return refuse("--tts is espeak-ng, which is not installed (apt-get install espeak-ng)");
        if (!o.wav.empty() || o.play == playing::yes)
            return refuse(
                "--wav, --play and --player require a synthesizer: install espeak-ng (apt-get "
                "install espeak-ng), or use --tts-command");
        if (!o.quiet) print_note(fmt::format(fmt::runtime(no_espeak), o.words_per_minute));
    }

    void choose_player() {
        const auto& o = options_;
        if (o.play == playing::no) return;
        chosen_.needs_player = o.play == playing::yes;
        if (!o.player.empty())
            chosen_.player = shell_arguments(o.player);
        else if (is_on_path("aplay"))
            chosen_.player = {"aplay", "-q", "-"};
        else if (chosen_.needs_player)
            refuse(
                "--play is yes, but aplay is not installed (apt-get install alsa-utils); install "
                "it, or use another program with --player");
        else
            chosen_.no_player_message = no_aplay;
    }

    void refuse(const std::string& text) {
        ok_ = false;
        print_note(text);
    }
    void print_note(const std::string& text) {
        terminal_.print_error(wrap_for_stderr(terminal_, text));
    }

    const chat_options& options_;
    terminal& terminal_;
    speaker_options chosen_;
    bool ok_ = true;
};

// False for a stdin that was closed: main() has replaced it with a write-only
// descriptor.
bool can_be_read(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

file_content read_saved(const std::string& path) {
    if (path.empty()) return {};
    auto saved = read_file(path, max_saved_bytes);
    if (saved.fault.empty() && saved.text.empty())
        saved.fault = input_name(path) + ": is empty; name a file that --save wrote";
    return saved;
}

// Prevents a mistyped path from overwriting another file.
std::string find_save_fault(const std::string& path, const std::string& loaded) {
    if (path.empty()) return {};
    if (auto fault = atomic_file(path).fault(); !fault.empty()) return fault;
    std::error_code ec;
    if (path == loaded || !std::filesystem::exists(path, ec)) return {};
    const auto old = read_file(path, max_saved_bytes);
    if (!old.fault.empty()) return old.fault;
    const bool is_free = old.text.empty() || old.text.find(R"("exchanges")") != old.text.npos;
    return is_free ? "" : path + ": exists and is not a saved conversation; name another file";
}

// Returns true if `fault` is empty; otherwise, reports it, prefixed with `flag`.
bool is_fine(const std::string& fault, terminal& t, const std::string& flag = {}) {
    if (!fault.empty()) t.print_error(wrap_for_stderr(t, flag + (flag.empty() ? "" : " ") + fault));
    return fault.empty();
}

// One chat and the objects it needs.
class chat_run {
 public:
    chat_run(const chat_options& options, speaker_options sound, std::string saved,
             recording_file& recorded, terminal& t)
        : options_(options),
          recorded_(recorded),
          terminal_(t),
          editor_(make_editor()),
          reader_(editor_ ? nullptr : make_reader()),
          text_(t, style()),
          json_(t),
          chat_(ioc_, options.service, instruments_of_run(), rules(std::move(saved)),
                std::move(sound), view(), lines()),
          signals_(ioc_, [this] { chat_.stop(); }) {
        t.on_failure([this] { chat_.stop(); });
    }

    int run() {
        chat_.start([this] {
            signals_.cancel();
            if (editor_) editor_->stop();
        });
        ioc_.run();
        bool good = !chat_.has_failed();
        if (chat_.saved())
            good = is_fine(atomic_file(options_.save).write(*chat_.saved()), terminal_, "--save") &&
                   good;
        if (signal_pipe::has_hung_up()) return by_signal + signal_pipe::received_signal();
        if (const auto lost = lost_output_exit_status(terminal_)) return *lost;
        if (chat_.has_usage_error()) return wrong_use;
        if (signal_pipe::received_signal() != 0) return by_signal + signal_pipe::received_signal();
        return good ? all_good : not_all_good;
    }

 private:
    static bool has_terminal() { return ::isatty(STDIN_FILENO) == 1; }
    std::unique_ptr<line_editor> make_editor() {
        if (!has_terminal() || options_.json || !terminal_.out_is_terminal()) return {};
        auto editor = std::make_unique<line_editor>(ioc_, terminal_, STDIN_FILENO, STDOUT_FILENO);
        return editor->is_supported() ? std::move(editor) : nullptr;
    }
    std::unique_ptr<line_reader> make_reader() {
        using read_unit = line_reader::read_unit;
        return std::make_unique<line_reader>(
            ioc_.get_executor(), STDIN_FILENO,
            has_terminal() ? read_unit::typed_lines : read_unit::lines);
    }
    line_source& lines() {
        if (editor_) return *editor_;
        return *reader_;
    }
    chat_text_view::style style() const {
        return {.color = is_color_enabled(options_.color, terminal_),
                .is_prompting = has_terminal() && terminal_.out_is_terminal(),
                .is_quiet = options_.quiet,
                .editor = editor_.get()};
    }
    instruments instruments_of_run() const {
        auto i = options_.instruments;
        i.log = log_to_terminal(terminal_, options_.log_level.value_or(log_level::off));
        return i;
    }
    chat_rules rules(std::string saved) const {
        chat_rules r = options_;
        r.saved = std::move(saved);
        r.barge_in = r.barge_in || has_terminal();
        r.begins = [this] { return recorded_.begin(); };
        return r;
    }
    chat_view& view() {
        if (options_.json) return json_;
        return text_;
    }

    const chat_options& options_;
    recording_file& recorded_;
    terminal& terminal_;
    boost::asio::io_context ioc_{1};
    std::unique_ptr<line_editor> editor_;
    std::unique_ptr<line_reader> reader_;
    chat_text_view text_;
    chat_json_view json_;
    chat chat_;
    stop_signals signals_;
};

}  // namespace

int run_chat(chat_options options) {
    terminal t;
    if (!can_be_read(STDIN_FILENO)) {
        is_fine("cannot read stdin: it is closed, or not open for reading", t);
        return wrong_use;
    }
    auto sound = speaker_choice(options, t).chosen();
    if (!sound) return wrong_use;
    auto saved = read_saved(options.load);
    if (!is_fine(saved.fault, t, "--load")) return wrong_use;
    // Checks the file before the chat, so that a long conversation is not lost at its end.
    if (!is_fine(find_save_fault(options.save, options.load), t, "--save")) return wrong_use;
    recording_file recorded(
        options.record, {collect_changed_settings(options.service.client, options.record.prompts)},
        options.instruments);
    if (!is_fine(recorded.fault(), t)) return wrong_use;
    const int status =
        chat_run(options, std::move(*sound), std::move(saved.text), recorded, t).run();
    print_output_failure(t, "tandem chat");
    const bool is_whole = is_fine(recorded.fault(), t);
    return is_whole || status != all_good ? status : not_all_good;
}

}  // namespace tandem::command
