#pragma once

#include "gateway/voice/voice_message_reader.hpp"

#include "tandem/config_fields.hpp"

// Field names of the client's messages. The reader uses this table, and a test compares it with the
// documentation.
namespace tandem::gateway {

/// Calls `visit(const char* type, message)` for each message type.
template <class Visitor>
void for_each_voice_message(Visitor&& visit) {
    visit("start", voice::start());
    visit("continue", voice::continued());
    visit("speaking", voice::speaking());
    visit("heard", voice::heard());
    visit("interrupt", voice::interrupt());
    visit("resume", voice::resume());
    visit("result", voice::result());
    visit("say", voice::say());
    visit("hearing", voice::hearing());
    visit("draft", voice::draft());
    visit("commit", voice::commit());
    visit("drop", voice::drop());
    visit("end", voice::end());
}

// These functions call `visit(const char* name, field&)` for each field. Durations are in
// milliseconds.

/// The fields that `start` and `commit` share.
template <class Visitor>
void for_each_turn_field(voice::start& m, Visitor&& visit) {
    visit("turn", m.turn);
    visit("text", m.text);
    visit("options", m.options);
    visit("filler", m.filler);
    visit("user_stopped_ms_ago", m.user_stopped_ago);
    visit("vad_stop_ms", m.vad_stop);
    visit("timeline", m.timeline);
    visit("traceparent", m.traceparent);
}

template <class Visitor>
void for_each_voice_field(voice::start& m, Visitor&& visit) {
    for_each_turn_field(m, visit);
    visit("session", m.session);
    visit("last", m.last);
    visit("messages", m.messages);
    visit("prompt", m.prompt);
    visit("conversation", m.conversation);
    visit("model", m.model);
}

template <class Visitor>
void for_each_voice_field(voice_filler& f, Visitor&& visit) {
    visit("after_ms", f.after);
    visit("texts", f.texts);
    visit("history", f.history);
}

template <class Visitor>
void for_each_voice_field(voice::continued& m, Visitor&& visit) {
    visit("chunk", m.chunk);
}

template <class Visitor>
void for_each_voice_field(voice::speaking& m, Visitor&& visit) {
    visit("chunk", m.chunk);
    visit("ends_in_ms", m.ends_in);
}

template <class Visitor>
void for_each_voice_field(voice::heard& m, Visitor&& visit) {
    visit("chunk", m.chunk);
    visit("chars", m.chars);
    visit("share", m.share);
    visit("words", m.words);
    visit("said", m.said);
}

template <class Visitor>
void for_each_voice_field(voice::last_heard& m, Visitor&& visit) {
    for_each_voice_field(static_cast<voice::heard&>(m), visit);
    visit("speaking", m.speaking);
    visit("text", m.text);
}

template <class Visitor>
void for_each_voice_field(voice::interrupt& m, Visitor&& visit) {
    visit("heard", m.heard);
}

template <class Visitor>
void for_each_voice_field(voice::resume& m, Visitor&& visit) {
    visit("turn", m.turn);
}

template <class Visitor>
void for_each_voice_field(voice::result& m, Visitor&& visit) {
    visit("call", m.call);
    visit("content", m.content);
    visit("later", m.later);
    visit("keep", m.keep);
}

template <class Visitor>
void for_each_voice_field(voice::say& m, Visitor&& visit) {
    visit("turn", m.turn);
    visit("text", m.text);
    visit("history", m.history);
}

template <class Visitor>
void for_each_voice_field(voice::hearing& m, Visitor&& visit) {
    visit("text", m.text);
    visit("stable", m.stable);
}

template <class Visitor>
void for_each_voice_field(voice::draft& m, Visitor&& visit) {
    visit("turn", m.turn);
    visit("text", m.text);
    visit("options", m.options);
}

template <class Visitor>
void for_each_voice_field(voice::commit& m, Visitor&& visit) {
    for_each_turn_field(m, visit);
    visit("match", m.match);
}

template <class Visitor>
void for_each_voice_field(voice::drop&, Visitor&&) {}

template <class Visitor>
void for_each_voice_field(voice::end&, Visitor&&) {}

template <class Visitor>
void for_each_voice_field(chat_message& m, Visitor&& visit) {
    visit("role", m.role);
    visit("content", m.content);
    visit("tool_calls", m.tool_calls);
    visit("tool_call_id", m.tool_call_id);
    visit("name", m.name);
}

template <class Visitor>
void for_each_voice_field(tool_call& c, Visitor&& visit) {
    visit("id", c.id);
    visit("name", c.name);
    visit("arguments", c.arguments);
}

template <class Visitor>
void for_each_voice_field(requested_adapter& a, Visitor&& visit) {
    visit("id", a.name);
    visit("scale", a.scale);
}

template <class Visitor>
void for_each_voice_field(conversation_changes& c, Visitor&& visit) {
    visit("interrupted", c.interrupted);
    visit("interrupted_mark", c.interrupted_mark);
    visit("resume_grace_ms", c.resume_grace);
    visit("reply_reserve", c.reply_reserve);
    visit("trim_slack", c.trim_slack);
    visit("trim", c.trim);
    visit("draft_limit", c.draft_limit);
    visit("isolate", c.isolate);
}

/// Calls `visit(const char* name, field)` for each field of delivery_options. `field` is a pointer
/// to member.
template <class Visitor>
void for_each_delivery_field(Visitor&& visit) {
    using o = delivery_options;
    visit("pacing", &o::pacing);
    visit("language", &o::language);
    visit("speech", &o::speech);
    visit("speech_replace", &o::speech_replace);
    visit("speech_marks", &o::speech_marks);
    visit("speech_mark_tags", &o::speech_mark_tags);
    visit("first_chunk_min_tokens", &o::first_chunk_min_tokens);
    visit("first_chunk_max_tokens", &o::first_chunk_max_tokens);
    visit("chunk_max_tokens", &o::chunk_max_tokens);
    visit("chunk_min_chars", &o::chunk_min_chars);
    visit("peek_hold_ms", &o::peek_hold);
    visit("chunk_deadline_ms", &o::chunk_deadline);
    visit("reasoning_limit_ms", &o::reasoning_limit);
    visit("reasoning_limit_tokens", &o::reasoning_limit_tokens);
}

/// The fields are those of the library, except that adapters have the gateway's names.
template <class Visitor>
void for_each_voice_field(generation_changes& c, Visitor&& visit) {
    for_each_field(c.values, [&](const field_info& f, auto& field) { visit(f.name, field); });
    visit("lora", c.lora);
    visit("lookahead", c.lookahead);
    visit("context", c.values.context);
    for_each_delivery_field(
        [&](const char* name, auto field) { visit(name, c.values.delivery.*field); });
}

}  // namespace tandem::gateway
