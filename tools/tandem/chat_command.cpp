#include "chat_command.hpp"

#include "chat.hpp"
#include "chat_views.hpp"
#include "exit_status.hpp"
#include "input_file.hpp"
#include "log_output.hpp"
#include "stop_pipe.hpp"
#include "stop_signals.hpp"
#include "terminal.hpp"
#include "whole_file.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <clocale>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t max_saved_bytes = std::size_t{64} << 20;
constexpr const char* no_espeak =
    "espeak-ng is not installed, so replies are shown and not heard, {} words a minute; install it "
    "(apt-get install espeak-ng), or give --tts-command or --tts none";

using tts = chat_options::tts;
using playing = chat_options::playing;

bool has_synthesiser(const voice_options& o) {
    return !o.synthesiser.empty();
}

// The programs that the options ask for; what is missing is told.
class voice_choice {
 public:
    voice_choice(const chat_options& options, terminal& t) : options_(options), terminal_(t) {
        // The reply fails at the timeout: a program that takes too long is ended before, and its
        // chunk shown.
        voice_ = {.wav = options.wav,
                  .pace = {static_cast<double>(options.words_per_minute)},
                  .sentence_pause = options.sentence_pause,
                  .limit = options.service.server.continue_timeout * 9 / 10};
        choose_synthesiser();
        if (has_synthesiser(voice_)) choose_player();
    }

    /// Nothing if it cannot speak as it was asked to.
    std::optional<voice_options> chosen() const {
        return ok_ ? std::optional(voice_) : std::nullopt;
    }

 private:
    void choose_synthesiser() {
        const auto& o = options_;
        if (o.synthesiser == tts::command) voice_.synthesiser = shell_arguments(o.tts_command);
        if (o.synthesiser != tts::espeak && o.synthesiser != tts::automatic) return;
        if (is_on_path("espeak-ng")) {
            voice_.synthesiser = espeak_arguments(o.voice_name, o.words_per_minute);
            voice_.tries_synthesiser = true;
            return;
        }
        if (o.synthesiser == tts::espeak)
            return refuse("--tts is espeak-ng, which is not installed (apt-get install espeak-ng)");
        if (!o.wav.empty() || o.play == playing::yes)
            return refuse(
                "there is nothing to speak with for --wav, --play or --player: espeak-ng is not "
                "installed (apt-get install espeak-ng), and no --tts-command is given");
        if (!o.quiet) tell(fmt::format(fmt::runtime(no_espeak), o.words_per_minute));
    }

    void choose_player() {
        const auto& o = options_;
        if (o.play == playing::no) return;
        voice_.needs_player = o.play == playing::yes;
        if (!o.player.empty())
            voice_.player = shell_arguments(o.player);
        else if (is_on_path("aplay"))
            voice_.player = {"aplay", "-q", "-"};
        else if (voice_.needs_player)
            refuse(
                "--play is yes, and aplay is not installed (apt-get install alsa-utils); give "
                "another program with --player");
    }

    void refuse(const std::string& text) {
        ok_ = false;
        tell(text);
    }
    void tell(const std::string& text) { terminal_.print_error("tandem chat: " + text); }

    const chat_options& options_;
    terminal& terminal_;
    voice_options voice_;
    bool ok_ = true;
};

// False if there is a fault, which is told.
bool is_fine(const std::string& fault, terminal& t) {
    if (!fault.empty()) t.print_error("tandem chat: " + fault);
    return fault.empty();
}

// One chat with all that belongs to it.
class chat_run {
 public:
    chat_run(const chat_options& options, voice_options speaker, std::string saved, terminal& t)
        : options_(options),
          terminal_(t),
          text_(t, style()),
          json_(t),
          chat_(ioc_, settings(), rules(std::move(saved)), std::move(speaker), view(),
                STDIN_FILENO),
          signals_(ioc_, [this] { chat_.stop(); }) {
        t.on_failure([this] { chat_.stop(); });
    }

    int run() {
        chat_.start([this] { signals_.cancel(); });
        ioc_.run();
        bool good = !chat_.has_failed() && terminal_.failure().empty();
        if (chat_.saved())
            good = is_fine(whole_file(options_.save).write(*chat_.saved()), terminal_) && good;
        if (stop_pipe::received() != 0) return by_signal + stop_pipe::received();
        return good ? all_good : not_all_good;
    }

 private:
    static bool has_terminal() { return ::isatty(STDIN_FILENO) == 1; }
    chat_text_view::style style() const {
        return {.color = wants_color(options_.color, terminal_),
                .is_prompting = has_terminal() && terminal_.out_is_terminal(),
                .is_quiet = options_.quiet};
    }
    service_config settings() const {
        auto s = options_.service;
        s.server.logger = log_to_terminal(terminal_, options_.log_level.value_or(log_level::off));
        return s;
    }
    chat_rules rules(std::string saved) const {
        return {.wait = options_.wait,
                .all_slots = !options_.has_slots,
                .saved = std::move(saved),
                .saves = !options_.save.empty(),
                .barge_in = options_.barge_in || has_terminal(),
                .barge_in_after = options_.barge_in_after,
                .vad_stop = options_.vad_stop};
    }
    chat_view& view() {
        if (options_.json) return json_;
        return text_;
    }

    const chat_options& options_;
    terminal& terminal_;
    boost::asio::io_context ioc_{1};
    chat_text_view text_;
    chat_json_view json_;
    chat chat_;
    stop_signals signals_;
};

}  // namespace

int run_chat(const chat_options& options) {
    std::setlocale(LC_CTYPE, "C.UTF-8");  // for the width of characters
    terminal t;
    auto speaker = voice_choice(options, t).chosen();
    if (!speaker) return wrong_use;
    file_content saved;
    if (!options.load.empty()) saved = read_file(options.load, max_saved_bytes);
    if (!is_fine(saved.fault, t)) return wrong_use;
    // Not when somebody has talked for an hour.
    if (!options.save.empty() && !is_fine(whole_file(options.save).fault(), t)) return wrong_use;
    const int status = chat_run(options, std::move(*speaker), std::move(saved.text), t).run();
    if (!t.failure().empty()) t.print_error("tandem chat: " + t.failure());
    return status;
}

}  // namespace tandem::command
