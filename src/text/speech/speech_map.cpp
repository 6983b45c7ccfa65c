#include "text/speech/speech_map.hpp"

#include <algorithm>
#include <utility>

namespace tandem::text {
namespace {

bool is_copy(const speech_run& r) noexcept {
    return r.speech == r.text;
}

/// Copies runs, or parts of them, to a builder.
class run_reader {
 public:
    run_reader(std::span<const speech_run> runs, speech_run_builder& to) : runs_(runs), to_(to) {
        next_run();
    }

    /// Copies the runs of the next `speech` bytes.
    void copy(std::size_t speech) {
        while (speech > 0) {
            const auto bytes = std::min<std::size_t>(speech, run_.speech);
            move_part(bytes);
            speech -= bytes;
        }
    }
    /// Drops the runs of the next `speech` bytes, and returns how many bytes of the text they stand
    /// for.
    std::size_t take(std::size_t speech) {
        std::size_t text = 0;
        while (speech > 0) {
            const auto bytes = std::min<std::size_t>(speech, run_.speech);
            text += drop_part(bytes);
            speech -= bytes;
        }
        return text;
    }
    /// Copies runs of text that is not spoken.
    void copy_omitted() {
        while (run_.speech == 0 && run_.text > 0) move_part(0);
    }
    void copy_rest() {
        while (run_.speech > 0 || run_.text > 0) move_part(run_.speech);
    }

 private:
    void next_run() {
        run_ = runs_.empty() ? speech_run() : runs_.front();
        copies_ = is_copy(run_);
        if (!runs_.empty()) runs_ = runs_.subspan(1);
    }
    /// Drops the first part of the current run, and returns how many bytes of the text it stands
    /// for. In a replacement, only the last part stands for text: for all of the replaced text.
    std::size_t drop_part(std::size_t speech) {
        const bool is_all = speech == run_.speech;
        const std::size_t text = is_all ? run_.text : copies_ ? speech : 0;
        run_.speech -= static_cast<std::uint32_t>(speech);
        run_.text -= static_cast<std::uint32_t>(text);
        if (is_all) next_run();
        return text;
    }
    void move_part(std::size_t speech) {
        const bool copies = copies_;
        const auto text = drop_part(speech);
        if (copies)
            to_.copy(speech);
        else if (speech == 0)
            to_.omit(text);
        else
            to_.replace(speech, text);
    }

    std::span<const speech_run> runs_;
    speech_run_builder& to_;
    speech_run run_{};
    bool copies_ = false;
};

}  // namespace

void speech_run_builder::add(std::size_t speech, std::size_t text) {
    runs_.push_back({static_cast<std::uint32_t>(speech), static_cast<std::uint32_t>(text)});
}

void speech_run_builder::copy(std::size_t bytes) {
    if (bytes == 0) return;
    if (runs_.empty() || !is_copy(runs_.back())) return add(bytes, bytes);
    runs_.back().speech += static_cast<std::uint32_t>(bytes);
    runs_.back().text += static_cast<std::uint32_t>(bytes);
}

void speech_run_builder::omit(std::size_t bytes) {
    if (bytes == 0) return;
    if (runs_.empty() || runs_.back().speech > 0) return add(0, bytes);
    runs_.back().text += static_cast<std::uint32_t>(bytes);
}

void speech_run_builder::replace(std::size_t speech, std::size_t text) {
    if (speech == 0) return omit(text);
    if (speech != text) return add(speech, text);
    // One run with equal lengths would denote a copy.
    if (speech > 1) add(speech - 1, 0);
    add(1, text);
}

void speech_run_builder::drop_last_speech(std::size_t speech) {
    std::size_t text = 0;
    while (speech > 0 && !runs_.empty()) {
        auto& last = runs_.back();
        const auto bytes = std::min<std::size_t>(speech, last.speech);
        const std::size_t text_bytes = bytes == last.speech ? last.text : is_copy(last) ? bytes : 0;
        last.speech -= static_cast<std::uint32_t>(bytes);
        last.text -= static_cast<std::uint32_t>(text_bytes);
        if (last.speech == 0) runs_.pop_back();
        speech -= bytes;
        text += text_bytes;
    }
    omit(text);
}

std::vector<speech_run> speech_run_builder::take() noexcept {
    return std::exchange(runs_, {});
}

mapped_speech edit_speech(const mapped_speech& from, std::span<const speech_edit> edits) {
    speech_run_builder builder;
    run_reader reader(from.runs, builder);
    mapped_speech to;
    std::size_t at = 0;
    for (const auto& e : edits) {
        reader.copy(e.begin - at);
        if (e.end > e.begin) reader.copy_omitted();
        builder.replace(e.words.size(), reader.take(e.end - e.begin));
        to.speech.append(from.speech, at, e.begin - at).append(e.words);
        at = e.end;
    }
    reader.copy_rest();
    to.speech.append(from.speech, at);
    to.runs = builder.take();
    return to;
}

text_place find_text_place(std::span<const speech_run> runs, std::size_t spoken) noexcept {
    text_place place;
    for (const auto& r : runs) {
        if (spoken == 0 && r.speech > 0) return place;
        const bool is_inside = spoken < r.speech;
        const std::size_t text = !is_inside ? r.text : is_copy(r) ? spoken : 0;
        place.after += text;
        if (r.speech > 0) place.before = place.after;
        if (is_inside) return place;
        spoken -= r.speech;
    }
    return place;
}

std::size_t find_speech_offset(std::span<const speech_run> runs, std::size_t offset) noexcept {
    std::size_t speech = 0;
    for (const auto& r : runs) {
        if (offset < r.text) return speech + (is_copy(r) ? offset : 0);
        if (offset == 0 && r.text == 0) return speech;
        offset -= r.text;
        speech += r.speech;
    }
    return speech;
}

}  // namespace tandem::text
