#include "fuzzing.hpp"
#include "gateway/voice/voice_message_reader.hpp"
#include "text/characters/utf8.hpp"

#include <string>

// A message of a voice client either has values that the library accepts or is refused with a code.
namespace {

using namespace tandem;
using namespace tandem::gateway;

bool is_utf8(std::string_view bytes) {
    return text::find_invalid_utf8(bytes) == std::string_view::npos;
}

void require_right_turn(const std::string& turn) {
    fuzzing::require(turn.size() <= 64 && turn.find_first_of(" \"\n") == std::string::npos);
}

void require_refused(const voice_message_error& e) {
    require_right_turn(e.ids.turn);
    fuzzing::require(e.status >= 400 && e.status < 500);
    fuzzing::require(!e.message.empty() && e.message.size() < 2048);
    fuzzing::require(is_utf8(e.message) && is_utf8(e.param));
}

void require_right(const voice::start& s) {
    require_right_turn(s.turn);
    fuzzing::require(is_utf8(s.session) && is_utf8(s.model));
    for (const auto& m : s.messages) fuzzing::require(!m.role.empty() && is_utf8(m.content));
    if (s.text) fuzzing::require(is_utf8(*s.text));
    if (s.prompt) fuzzing::require(is_utf8(*s.prompt) && !s.text && s.messages.empty());
    fuzzing::require(check(apply_changes(generation_options{}, s.options)).empty());
    fuzzing::require(check(apply_changes(conversation_options{}, s.conversation)).empty());
    if (s.filler) fuzzing::require(!s.filler->texts.empty() && s.filler->after >= duration::zero());
    if (s.user_stopped_ago) fuzzing::require(*s.user_stopped_ago >= duration::zero());
}

// Requires that the gateway can write this name.
void require_right(const client_chunk_id& name) {
    fuzzing::require(parse_client_chunk_id(to_string(name)) == name);
}

void require_right(const voice::heard& h) {
    require_right(h.chunk);
    fuzzing::require(h.chars.has_value() != h.share.has_value());
    if (h.share) fuzzing::require(*h.share >= 0 && *h.share <= 1);
}

void require_right(const voice::continued& c) {
    require_right(c.chunk);
}

void require_right(const voice::speaking& s) {
    require_right(s.chunk);
    fuzzing::require(s.ends_in >= duration{});
}

void require_right(const voice::interrupt& i) {
    if (i.heard) require_right(*i.heard);
}

void require_right(const voice::resume& r) {
    require_right_turn(r.turn);
}
void require_right(const voice::result& r) {
    fuzzing::require(is_utf8(r.call) && r.content.has_value() != r.later &&
                     is_utf8(r.content.value_or("")));
}
void require_right(const voice::say& s) {
    require_right_turn(s.turn);
    fuzzing::require(!s.text.empty() && is_utf8(s.text));
}
void require_right(const voice::hearing& h) {
    fuzzing::require(is_utf8(h.text));
}
void require_right(const voice::draft& d) {
    require_right_turn(d.turn);
    fuzzing::require(!d.text.empty() && is_utf8(d.text));
}
void require_right(const voice::commit& c) {
    fuzzing::require(c.text.has_value());
    require_right(static_cast<const voice::start&>(c));
}
void require_right(const voice::drop&) {}
void require_right(const voice::end&) {}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::input in(data, size);
    const auto read = parse_voice_message(in.rest());
    if (const auto* const e = std::get_if<voice_message_error>(&read))
        require_refused(*e);
    else
        std::visit([](const auto& m) { require_right(m); }, std::get<voice_message>(read));
    return 0;
}
