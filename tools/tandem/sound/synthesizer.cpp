#include "sound/synthesizer.hpp"

#include "sound/wav_file.hpp"

#include <fmt/format.h>

#include <chrono>

namespace tandem::command {

synthesizer::synthesizer(boost::asio::any_io_executor executor, std::vector<std::string> args,
                         duration limit)
    : executor_(executor), args_(std::move(args)), limit_(limit) {}

auto synthesizer::begin(const std::string& text) -> job {
    job j{text, std::make_shared<subprocess>(executor_, args_, text + '\n'),
          std::chrono::steady_clock::now()};
    j.program->start({.time = limit_});
    return j;
}

void synthesizer::drop(job& j) {
    if (j.program) j.program->stop();
    j = {};
}

void synthesizer::prepare(const std::string& text) {
    if (plays_itself_ || text.empty() || (prepared_.program && prepared_.text == text)) return;
    drop(prepared_);
    prepared_ = begin(text);
}

awaitable<synthesis> synthesizer::make(std::string text, duration min_play) {
    if (prepared_.text != text) drop(prepared_);
    running_ = prepared_.program ? std::exchange(prepared_, {}) : begin(text);
    const auto j = running_;
    const auto end = co_await j.program->wait();
    auto result = j.program->was_stopped() ? synthesis{} : read(end, end.at - j.began_at, min_play);
    result.began_at = j.began_at;
    result.ended_at = end.at;
    co_return result;
}

synthesis synthesizer::read(const process_result& end, duration took, duration min_play) {
    if (!end.fault.empty()) return {.fault = end.fault};
    if (end.out.empty()) {
        plays_itself_ = rate_ == 0 && took >= min_play;
        if (plays_itself_) return {};
        if (rate_ != 0) return {.fault = "it wrote no sound"};
        return {.fault = "it wrote no sound",
                .note = fmt::format(", and ended after {:.2g} s, too soon to have played it",
                                    to_ms(took) / 1e3)};
    }
    plays_itself_ = false;
    auto decoded = decode_sound(end.out);
    if (!decoded.fault.empty()) return {.fault = "its output is not a WAV file: " + decoded.fault};
    if (rate_ == 0) rate_ = decoded.value.rate;
    if (decoded.value.rate != rate_)
        return {.fault = fmt::format("its sample rate is {} Hz, but the first sound had {} Hz",
                                     decoded.value.rate, rate_)};
    return {.made = trim_silence(std::move(decoded.value))};
}

void synthesizer::stop() {
    drop(prepared_);
    drop(running_);
}

std::vector<std::string> espeak_arguments(const std::string& voice, int words_per_minute) {
    // -b 1: UTF-8; -z: no trailing silence; --stdin: all input, not line by line.
    std::vector<std::string> args{
        "espeak-ng", "--stdin", "--stdout", "-b",
        "1",         "-z",      "-s",       std::to_string(words_per_minute)};
    if (!voice.empty()) args.insert(args.end(), {"-v", voice});
    return args;
}

std::vector<std::string> shell_arguments(const std::string& command) {
    return {"/bin/sh", "-c", command};
}

const std::string& command_name(const std::vector<std::string>& args) {
    return args.front() == "/bin/sh" ? args.back() : args.front();
}

}  // namespace tandem::command
