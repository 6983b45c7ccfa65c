#pragma once

#include "gateway/voice/voice_turn_machine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// The first message of most tests.
inline const std::string hello = R"({"type":"start","text":"Hello"})";

/// Drives a session as the gateway does, with a library that the test controls. Keeps sent messages
/// as JSON, and the session's requests to the library as words.
class voice_session_driver {
 public:
    using json = nlohmann::json;

    explicit voice_session_driver(voice_setup setup = defaults()) : turns(std::move(setup)) {}

    explicit voice_session_driver(voice_turn_machine session) : turns(std::move(session)) {}

    static voice_setup defaults() {
        return {.session = "s-1", .model = "talk", .asked_model = "default"};
    }

    /// Attaches a socket, whose first message is `start`.
    void attach(voice_socket socket, const std::string& start = R"({"type":"start"})") {
        turns.on_socket_attached(now, socket, std::get<voice::start>(read(start)));
        perform();
    }
    void say(voice_socket socket, const std::string& message) {
        turns.on_message(now, socket, read(message));
        perform();
    }
    void drop(voice_socket socket) {
        turns.on_socket_lost(now, socket);
        perform();
    }
    void release(voice_close why = voice_close::taken_over) {
        turns.release_to_gateway(now, why);
        perform();
    }
    void move() {
        turns.move(now);
        perform();
    }
    void permit(std::uint64_t number) {
        turns.on_turn_permitted(now, number);
        perform();
    }
    void refuse(std::uint64_t number) {
        turns.on_turn_refused(now, number,
                              {.status = 403, .code = "policy", .message = "not this"});
        perform();
    }
    void chunk(std::uint64_t number, std::uint32_t seq, const std::string& text,
               boundary why = boundary::sentence) {
        chunk(number, {.id = {0, seq}, .text = text, .speech = text, .boundary = why});
    }
    void chunk(std::uint64_t number, tandem::chunk c) {
        c.id.reply = library_id(number);
        turns.on_chunk(now, number, c);
        perform();
    }
    void end(std::uint64_t number, finish_reason why = finish_reason::eos, std::string text = {}) {
        reply_result result{.finish_reason = why, .text = std::move(text)};
        if (why == finish_reason::error) result.error = errc::no_model;
        turns.on_reply_ended(now, number, result);
        perform();
    }
    /// Like end(), but with calls, which call() may not have reported before.
    void end_with_calls(std::uint64_t number, std::vector<tool_call> calls) {
        turns.on_reply_ended(
            now, number, {.finish_reason = finish_reason::tool_calls, .calls = std::move(calls)});
        perform();
    }
    /// The library reports calls after the chunk `after`.
    void call(std::uint64_t number, std::vector<tool_call> calls,
              std::optional<std::uint32_t> after = {}) {
        called_functions called{.calls = std::move(calls)};
        if (after) called.after = {library_id(number), *after};
        turns.on_calls(now, number, called);
        perform();
    }
    void drain() {
        turns.drain(now);
        perform();
    }
    void stop() {
        turns.stop(now);
        perform();
    }
    void wait(duration d) {
        now += d;
        turns.check(now);
        perform();
    }

    /// The messages that were sent to the socket since the last call.
    std::vector<json> sent(voice_socket socket) {
        std::vector<json> found;
        std::erase_if(sent_, [&](const auto& s) {
            if (s.first == socket) found.push_back(json::parse(s.second));
            return s.first == socket;
        });
        return found;
    }
    /// The messages since the last call in words, such as "ready", "chunk 1-0" or "end 1".
    std::vector<std::string> heard_by(voice_socket socket) {
        std::vector<std::string> words;
        for (const auto& m : sent(socket)) words.push_back(in_words(m));
        return words;
    }
    /// The requests to the library and to the gateway since the last call.
    std::vector<std::string> asked() { return std::exchange(asked_, {}); }

    time_point now{std::chrono::hours(1)};
    voice_turn_machine turns;
    /// Whether the driver permits each turn as soon as the session requests it.
    bool permits = true;
    bool has_conversation = false;
    std::vector<voice_action::first_chunk> first_chunks;
    std::vector<conversation_options> opened;
    std::vector<voice_turn_ptr> generated;

 private:
    static std::uint64_t library_id(std::uint64_t number) { return 1000 + number; }

    static voice_message read(const std::string& text) {
        auto message = parse_voice_message(text);
        if (const auto* why = std::get_if<voice_message_error>(&message)) {
            ADD_FAILURE() << text << ": " << why->message;
            return voice::end();
        }
        return std::get<voice_message>(std::move(message));
    }
    static std::string in_words(const json& m) {
        const std::string type = m["type"];
        if (type == "chunk" || type == "call") return type + " " + m["id"].get<std::string>();
        if (type == "call_dropped")
            return "dropped " + m["call"].get<std::string>() + " " + m["reason"].get<std::string>();
        std::string words = type == "error" ? type + " " + m["code"].get<std::string>() : type;
        if (m.contains("reply")) words += " " + m["reply"].get<std::string>();
        const std::string why = m.value("finish_reason", "");
        if (why == "interrupted" || why == "tool_calls") words += " " + why;
        return words;
    }
    void perform() {
        for (auto actions = turns.take_actions(); !actions.empty(); actions = turns.take_actions())
            for (auto& a : actions) std::visit([this](auto& value) { perform(value); }, a);
    }
    void note(std::string what) { asked_.push_back(std::move(what)); }
    static std::string name(chunk_id id) {
        return std::to_string(id.reply - 1000) + "-" + std::to_string(id.seq);
    }

    void perform(voice_action::send& a) { sent_.emplace_back(a.socket, std::move(a.text)); }
    void perform(voice_action::close& a) {
        note("close " + std::to_string(a.socket) + " " +
             std::to_string(static_cast<unsigned>(a.why)));
    }
    void perform(voice_action::check_turn& a) {
        note("check " + std::to_string(a.turn->number) + (a.is_again ? " again" : ""));
        if (permits) turns.on_turn_permitted(now, a.turn->number);
    }
    void perform(voice_action::open_conversation& a) {
        note("open with " + std::to_string(a.options.messages.size()));
        has_conversation = true;
        opened.push_back(std::move(a.options));
    }
    void perform(const voice_action::load_conversation& a) {
        note("load " + a.text);
        has_conversation = true;
    }
    void perform(voice_action::warm&) { note("warm"); }
    void perform(voice_action::hear& a) {
        note("hear " + a.text + (a.stable ? " " + std::to_string(*a.stable) : ""));
    }
    void perform(voice_action::draft& a) { note("draft " + a.turn->messages.back().content); }
    void perform(voice_action::drop_draft& a) {
        note(a.unless.empty() ? "drop draft" : "drop draft unless " + a.unless);
    }
    void perform(voice_action::append& a) { note("append " + a.message.content); }
    void perform(voice_action::answer_call& a) {
        const auto& [id, content, is_final] = a.result;
        note((is_final ? "answer " : "answer for now ") + id + " " + content);
    }
    void perform(voice_action::add_filler& a) { note("filler " + a.text); }
    void perform(voice_action::await_calls& a) { note("await calls " + std::to_string(a.number)); }
    void perform(voice_action::generate& a) {
        note("generate " + std::to_string(a.turn->number));
        generated.push_back(a.turn);
    }
    void perform(voice_action::generate_raw& a) {
        note("generate raw " + std::to_string(a.turn->number));
        generated.push_back(a.turn);
    }
    void perform(voice_action::resume& a) {
        const auto after = a.speaking ? " after " + name(*a.speaking) : "";
        note("resume " + std::to_string(a.turn->number) + after);
    }
    void perform(voice_action::say_text& a) {
        note(fmt::format("say {} {}", a.turn->number, a.turn->text));
    }
    void perform(voice_action::say_aside& a) {
        note(fmt::format("say aside {} {}", a.turn->number, a.turn->text));
    }
    void perform(voice_action::next_chunk& a) { note("next " + std::to_string(a.number)); }
    void perform(voice_action::continue_after& a) {
        note("continue " + name(a.id) + (a.chunks > 1 ? fmt::format(" of {}", a.chunks) : ""));
    }
    void perform(voice_action::speaks_until& a) {
        note(fmt::format("speaks {} for {:.0f} ms", name(a.id), to_ms(a.rest)));
    }
    void perform(voice_action::heard& a) {
        note("heard " + name(a.id) + " " +
             (a.share ? std::to_string(*a.share) : std::to_string(a.chars)));
    }
    void perform(voice_action::interrupt& a) {
        note(a.is_outside_history ? "interrupt outside" : "interrupt");
    }
    void perform(voice_action::first_chunk& a) { first_chunks.push_back(a); }
    void perform(voice_action::keep&) { note("keep"); }
    void perform(const voice_action::forget& a) { note(a.is_moved ? "leave" : "forget"); }

    std::vector<std::pair<voice_socket, std::string>> sent_;
    std::vector<std::string> asked_;
};

}  // namespace tandem::gateway
