#include "chat/spoken_reply.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tandem::command {
namespace {

// How often to check whether the reply has failed while a sound plays.
constexpr auto failure_check_interval = std::chrono::milliseconds(50);

time_point clock_now() {
    return std::chrono::steady_clock::now();
}

}  // namespace

spoken_reply::spoken_reply(boost::asio::any_io_executor executor, tandem::reply reply,
                           spoken_reply_context c)
    : reply_(std::move(reply)),
      in_(c),
      schedule_(c.speaker.options().sentence_pause, c.previous_end),
      marks_{.said_at = c.said_at, .begun_at = clock_now(), .vad_stop = c.vad_stop},
      timer_(executor),
      interrupt_timer_(executor) {}

awaitable<void> spoken_reply::run() {
    error_code ec;  // result() reports the error
    while (const auto c = co_await reply_.async_next_chunk(redirect_error(use_awaitable, ec)))
        co_await speak(*c, clock_now());
    interrupt_timer_.cancel();
}

void spoken_reply::interrupt(time_point at) {
    if (std::exchange(interrupted_, true)) return;
    interrupted_at_ = at;
    if (waiting_) report_chunk_start(*waiting_, waiting_start_);
    if (speaking_) in_.talk.heard_share(*speaking_, schedule_.fraction_heard(at));
    in_.talk.interrupt();
    in_.speaker.stop();
    timer_.cancel();
    interrupt_timer_.cancel();
}

awaitable<void> spoken_reply::speak(const chunk& c, time_point arrived) {
    if (interrupted_) co_return;
    if (c.speech.empty()) {
        in_.view.on_chunk_skipped({.where = in_.where, .chunk = c, .at = arrived - in_.begun});
        reply_.continue_after(c.id);
    } else if (in_.speaker.plays_itself()) {
        co_await speak_by_synthesizer(c, arrived);
    } else {
        if (in_.speaker.may_play_itself()) expect_sound(c, arrived);
        const auto made = co_await in_.speaker.make(c.speech);
        waiting_ = nullptr;
        co_await speak(c, arrived, made);
    }
}

// If an interrupt comes before the program ends, assume that the program has played the sound until
// the interrupt.
void spoken_reply::expect_sound(const chunk& c, time_point arrived) {
    waiting_ = &c;
    waiting_start_ = {.arrived = arrived,
                      .ready = arrived,
                      .at = clock_now(),
                      .length = speaking_time(in_.speaker.options().pace, c.speech)};
}

// The synthesizer plays the sound itself, so its length is only an estimate from the text.
awaitable<void> spoken_reply::speak_by_synthesizer(const chunk& c, time_point arrived) {
    co_await wait_until(schedule_.next_sound_start(arrived));
    if (is_over()) co_return;
    const auto about = speaking_time(in_.speaker.options().pace, c.speech);
    const auto now = clock_now();
    report_chunk_start(c, {.arrived = arrived, .ready = arrived, .at = now, .length = about});
    co_await in_.speaker.make(c.speech);
    continue_after_chunk(c, clock_now());
}

awaitable<void> spoken_reply::speak(const chunk& c, time_point arrived,
                                    const speaker::utterance& made) {
    sound_start start{.arrived = arrived, .ready = clock_now(), .length = made.length};
    if (made.was_played) {
        if (interrupted_) co_return;
        start.ready = start.at = made.from;
        report_chunk_start(c, start);
        co_return continue_after_chunk(c, made.to);
    }
    start.at = schedule_.next_sound_start(start.ready);
    co_await wait_until(start.at);
    if (is_over()) co_return;
    const bool has_player = in_.speaker.play(made);
    if (has_player) start.at = clock_now();
    start.has_sound = made.made.has_value();
    report_chunk_start(c, start);
    co_await wait_for_end_of_sound();
    if (clock_now() < schedule_.end()) in_.speaker.stop();
    co_await in_.speaker.wait_until_played();
    const auto stopped = end_of_sound(has_player);
    continue_after_chunk(c, stopped);
    // Comes after the continue, because recording a long silence takes time, which would delay the
    // next chunk.
    in_.speaker.record(made, start.at, stopped);
}

// Without a player, the sound ends exactly after its length, even if the timer fires late.
time_point spoken_reply::end_of_sound(bool has_player) const {
    if (interrupted_) return interrupted_at_;
    const auto now = clock_now();
    return has_player ? now : std::min<time_point>(now, schedule_.end());
}

awaitable<void> spoken_reply::wait_until(time_point due) {
    timer_.expires_at(due);
    if (due > clock_now() && !interrupted_)
        co_await wait_for_timer(timer_);  // ended by an interrupt
}

awaitable<void> spoken_reply::wait_for_end_of_sound() {
    for (auto now = clock_now(); now < schedule_.end() && !is_over(); now = clock_now())
        co_await wait_until(std::min<time_point>(schedule_.end(), now + failure_check_interval));
}

void spoken_reply::report_chunk_start(const chunk& c, const sound_start& s) {
    const bool is_first = !schedule_.first_began();
    schedule_.record_start(s.at, s.length);
    if (is_first) {
        marks_.chunk_at = s.arrived;
        marks_.made_at = s.ready;
        marks_.sound_at = s.at;
        interrupt_later();
    }
    speaking_ = c.id;
    in_.view.on_chunk_started({.where = in_.where,
                               .chunk = c,
                               .at = s.at - in_.begun,
                               .length = s.length,
                               .synthesis = std::max(s.ready - s.arrived, duration{}),
                               .silence = schedule_.silence(),
                               .has_sound = s.has_sound});
    prepare_next();
}

void spoken_reply::continue_after_chunk(const chunk& c, time_point at) {
    schedule_.record_end(at, c.boundary);
    speaking_.reset();
    if (!interrupted_) reply_.continue_after(c.id);
}

// If the next chunk is generated ahead, synthesizes it while this one plays.
void spoken_reply::prepare_next() {
    reply_.async_upcoming_speech(
        [weak = weak_from_this()](const error_code& ec, const std::string& speech) {
            const auto self = weak.lock();
            if (self && !ec && !self->interrupted_) self->in_.speaker.prepare(speech);
        });
}

void spoken_reply::interrupt_later() {
    if (!in_.interrupt_after) return;
    interrupt_timer_.expires_at(*schedule_.first_began() + *in_.interrupt_after);
    interrupt_timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
        const auto self = weak.lock();
        if (self && !ec) self->interrupt(clock_now());
    });
}

std::optional<spoken_timing> spoken_reply::timing() const {
    if (!schedule_.first_began()) return std::nullopt;
    return compute_timing(marks_, result());
}

}  // namespace tandem::command
