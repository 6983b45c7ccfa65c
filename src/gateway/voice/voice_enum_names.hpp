#pragma once

#include "gateway/voice/voice_message_reader.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/conversation_options.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

// Enumerations in the client's messages, by their names.
namespace tandem::gateway {

template <class Enum>
inline constexpr std::array<Enum, 0> voice_values{};
template <>
inline constexpr std::array voice_values<history_policy>{
    history_policy::heard, history_policy::handed_over, history_policy::full, history_policy::none};
template <>
inline constexpr std::array voice_values<pacing>{pacing::automatic, pacing::strict, pacing::warm,
                                                 pacing::ahead, pacing::stream};
template <>
inline constexpr std::array voice_values<speech_form>{speech_form::exact, speech_form::clean};
template <>
inline constexpr std::array voice_values<mark_speech>{mark_speech::drop, mark_speech::keep,
                                                      mark_speech::report};
template <>
inline constexpr std::array voice_values<voice::word_match>{voice::word_match::words,
                                                            voice::word_match::exact};

template <class Enum>
std::optional<Enum> find_voice_value(std::string_view name) {
    const auto& all = voice_values<Enum>;
    const auto found = std::ranges::find(all, name, [](Enum e) { return to_string(e); });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

/// Such as "exact, clean".
template <class Enum>
std::string list_voice_values() {
    std::string names;
    for (const auto e : voice_values<Enum>)
        names.append(names.empty() ? "" : ", ").append(to_string(e));
    return names;
}

}  // namespace tandem::gateway
