#include "sound/speaker.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::command {

speaker::speaker(boost::asio::any_io_executor executor, speaker_options options, time_point begun,
                 std::function<void(std::string_view)> on_fault)
    : options_(std::move(options)),
      on_fault_(std::move(on_fault)),
      player_(executor, options_.player) {
    if (!options_.synthesizer.empty())
        synthesizer_.emplace(executor, options_.synthesizer, options_.limit);
    if (!options_.wav.empty()) heard_.emplace(options_.wav, begun);
}

awaitable<speaker::utterance> speaker::make(const std::string& text) {
    utterance u;
    u.length = speaking_time(options_.pace, text);
    if (!synthesizer_) co_return u;
    // A program that wrote nothing has played the sound or has failed silently. It failed if it
    // ended sooner than a voice at 8 times the configured pace would.
    auto s = co_await synthesizer_->make(text, u.length / 8);
    if (!s.fault.empty())
        report_fault(fmt::format("\"{}\" failed; only the text is shown",
                                 command_name(options_.synthesizer)),
                     s.fault, s.note);
    if (s.made) u.length = get_duration(*s.made);
    u.made = std::move(s.made);
    u.was_played = !u.made && s.fault.empty() && synthesizer_->plays_itself();
    if (u.was_played) u.length = s.ended_at - s.began_at;
    u.from = s.began_at;
    u.to = s.ended_at;
    co_return u;
}

awaitable<std::string> speaker::test_synthesizer() {
    std::string why;
    if (!synthesizer_ || !options_.tries_synthesizer) co_return why;
    auto s = co_await synthesizer_->make("a", duration{});
    why = std::move(s.fault);
    co_return why;
}

awaitable<std::string> speaker::test_player() {
    std::string why;
    if (player_.has_program()) why = co_await player_.play_test_sound();
    co_return why;
}

void speaker::on_missing_player(std::function<void()> on_silent) {
    player_.disable();
    report_unheard_ = std::move(on_silent);
    if (options_.tries_synthesizer) report_unheard();  // the test has made a sound
}

void speaker::report_unheard() {
    if (const auto report = std::exchange(report_unheard_, nullptr)) report();
}

bool speaker::play(const utterance& u) {
    if (u.made) report_unheard();
    playing_ = player_.has_program() && u.made && !u.made->samples.empty();
    if (playing_) player_.start(*u.made, u.length + options_.limit);
    return playing_;
}

awaitable<void> speaker::wait_until_played() {
    if (!playing_) co_return;
    const auto fault = co_await player_.wait();
    if (!fault.empty())
        report_fault(fmt::format("\"{}\" could not play the sound", command_name(options_.player)),
                     fault);
}

void speaker::stop() {
    if (synthesizer_) synthesizer_->stop();
    player_.stop();
}

// Reports consecutive identical faults once.
void speaker::report_fault(std::string_view what, const std::string& why, const std::string& note) {
    failed_ = true;
    auto text = fmt::format("{}: {}", what, why);
    if (text == last_fault_) return;
    on_fault_(text + note);
    last_fault_ = std::move(text);
}

}  // namespace tandem::command
