#include "recording/recorded_run.hpp"

#include "os/input_file.hpp"
#include "recording/prompt_line.hpp"
#include "text/url_text.hpp"
#include "wire/json/dump_json.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::command {
namespace {

using run_json = nlohmann::ordered_json;

constexpr std::size_t max_recording_bytes = std::size_t{1} << 30;
constexpr const char* origin = "the recording";
// These fields may contain text of the prompts, so they are omitted with the prompts.
constexpr std::array<std::string_view, 4> fields_with_texts{"stop", "grammar", "json_schema",
                                                            "tools"};

std::vector<std::string> texts_of(const std::vector<std::string>& texts, const std::string&) {
    return texts;
}

std::vector<std::string> texts_of(const std::vector<tag_pair>& pairs, const std::string&) {
    std::vector<std::string> texts{"none"};  // clears the default list
    for (const auto& p : pairs) texts.push_back(p.open + ' ' + p.close);
    return texts;
}

std::vector<std::string> texts_of(const speech_replacements& words, const std::string&) {
    std::vector<std::string> texts{"none"};
    texts.reserve(words.size() + 1);
    for (const auto& [word, spoken] : words) texts.push_back(fmt::format("{}={}", word, spoken));
    return texts;
}

std::vector<std::string> texts_of(const auto&, const std::string& text) {
    return {text};
}

void add_expectations(const dialogue& d, run_json& out) {
    for (const auto& [turn, expected] : d.expected) {
        auto source = run_json::parse(expected.source);
        if (d.turns.empty()) {
            out["expect"] = std::move(source);
            continue;
        }
        auto& said = out["turns"][static_cast<std::size_t>(turn)];
        said = run_json{{"user", said}, {"expect", std::move(source)}};
    }
}

// Replaces omitted texts with filler of the same length.
run_json json_of(const dialogue& d, bool has_prompts) {
    const auto kept = [&](const std::string& text) {
        return has_prompts ? text : std::string(text.size(), 'x');
    };
    run_json out = run_json::object();
    if (has_prompts) out["id"] = d.id;  // the id may contain a person's name
    if (d.prompt) out["prompt"] = kept(*d.prompt);
    if (!d.prompt && d.turns.empty())
        for (const auto& m : d.messages)
            out["messages"].push_back({{"role", m.role}, {"content", kept(m.content)}});
    if (!d.turns.empty() && !d.messages.empty()) out["system"] = kept(d.messages.front().content);
    for (const auto& turn : d.turns) out["turns"].push_back(kept(turn));
    if (has_prompts) add_expectations(d, out);
    if (d.max_tokens) out["max_tokens"] = *d.max_tokens;
    if (d.interrupt_after) out["interrupt_after_ms"] = to_ms(*d.interrupt_after);
    if (!d.tools.empty() && has_prompts) out["tools"] = run_json::parse(d.tools);
    if (has_prompts)
        for (const auto& [function, texts] : d.results) out["results"][function] = texts;
    return out;
}

void add_replies(const recording& r, recorded_run& run) {
    for (const auto& url : r.servers()) run.settings.push_back({origin, "url", url});
    for (const auto& reply : r.replies()) {
        // If the prompt was omitted or consists of token ids, any text will do, because playback
        // finds the reply by its position.
        dialogue d{.id = fmt::format("r{}", run.dialogues.size() + 1)};
        d.prompt = reply.prompt.empty() ? d.id : reply.prompt;
        if (reply.max_tokens >= 0) d.max_tokens = reply.max_tokens;
        run.dialogues.push_back(std::move(d));
    }
}

// Returns a note to show before the playback.
std::string note_on(const recording& r, const recorded_run& run, const std::string& path) {
    if (r.is_cut_short()) return "the recording reached its size limit; its end is missing";
    // If a run is killed while the voice speaks, there may be no active request, and
    // is_unfinished() is false. Then only the missing end note shows that the run was killed.
    const bool lacks_end =
        run.has_end_note && std::ranges::find(r.notes(), end_note) == r.notes().end();
    if (!r.is_unfinished() && !lacks_end) return {};
    return input_name(path) +
           " ends in the middle of a run; the recording program may have been killed";
}

}  // namespace

std::vector<setting> collect_changed_settings(const config& settings, bool has_prompts) {
    std::vector<setting> list;
    const auto defaults = default_config();
    const auto is_left_out = [&](const field_info& f) {
        return f.secret || std::string_view(f.name) == "url" ||
               (!has_prompts &&
                std::ranges::find(fields_with_texts, f.name) != fields_with_texts.end());
    };
    for_each_field(settings, [&](const field_info& f, const auto& value) {
        const auto text = field_text(settings, f.name);
        if (is_left_out(f) || text == field_text(defaults, f.name)) return;
        for (auto& t : texts_of(value, text)) list.push_back({origin, f.name, std::move(t)});
    });
    return list;
}

std::vector<setting> collect_changed_settings(const service_config& settings, bool has_prompts) {
    auto list = collect_changed_settings(settings.client, has_prompts);
    for (const auto& url : server_urls(settings)) list.push_back({origin, "url", redact_url(url)});
    return list;
}

std::string format_run_note(const recorded_run& run, bool has_prompts) {
    auto flags = run.flags;
    if (!has_prompts) flags.erase("interrupted-mark");
    run_json settings = run_json::array();
    for (const auto& s : run.settings) settings.push_back({s.field, s.text});
    run_json dialogues = run_json::array();
    for (const auto& d : run.dialogues) dialogues.push_back(json_of(d, has_prompts));
    run_json note{{"replay",
                   {{"settings", std::move(settings)},
                    {"flags", std::move(flags)},
                    {"dialogues", std::move(dialogues)}}}};
    if (run.has_end_note) note["replay"]["tells_end"] = true;
    return wire::dump_json(note);
}

std::optional<recorded_run> parse_run_note(std::string_view note) try {
    const auto all = run_json::parse(note);
    const auto& replay = all.at("replay");
    recorded_run run;
    for (const auto& s : replay.at("settings"))
        run.settings.push_back({origin, s.at(0).get<std::string>(), s.at(1).get<std::string>()});
    replay.at("flags").get_to(run.flags);
    run.has_end_note = replay.value("tells_end", false);
    for (const auto& line : replay.at("dialogues")) {
        dialogue d;
        if (!parse_prompt_line(line.dump(), d).empty()) return std::nullopt;
        if (d.id.empty()) d.id = fmt::format("p{}", run.dialogues.size() + 1);
        run.dialogues.push_back(std::move(d));
    }
    return run;
} catch (const run_json::exception&) {
    return std::nullopt;
}

opened_recording open_recording(const std::string& path) {
    auto read = read_file(path, max_recording_bytes);
    if (!read.fault.empty()) return {.fault = std::move(read.fault)};
    error_code ec;
    diagnostics diag;
    opened_recording opened{.file = recording::read(read.text, ec, diag)};
    if (!opened.file) {
        opened.fault = fmt::format("{}: {}", input_name(path), diag.client_message);
        return opened;
    }
    for (const auto& note : opened.file->notes())
        if (auto run = parse_run_note(note)) {
            opened.run = *std::move(run);
            break;
        }
    opened.note = note_on(*opened.file, opened.run, path);
    if (opened.run.dialogues.empty()) add_replies(*opened.file, opened.run);
    if (opened.run.dialogues.empty())
        opened.fault = fmt::format("{}: no reply was recorded", input_name(path));
    return opened;
}

std::string describe_recording_source(const std::string& path, double speed) {
    const auto speed_text = speed == 0 ? "max" : fmt::format("{:g}", speed);
    return fmt::format("the recording {}, speed {}", input_name(path), speed_text);
}

}  // namespace tandem::command
