#include "server/template_marks.hpp"

#include "text/characters/white_space.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace tandem::server {
namespace {

using std::string_view;

// Words of the probes. They have no white space at their ends, because templates may trim text. The
// name of the call is also its id, because some templates render only one of them, and some reject
// an id that does not have nine letters.
constexpr string_view question = "First question.";
constexpr string_view text_before_call = "Words before a call.";
constexpr string_view function_name = "probecall";
constexpr string_view tool_result = "Result of a call.";
constexpr string_view last_question = "Last question.";

constexpr string_view arguments = R"({"key":"value"})";
// The tool's name differs from the call's, so that the call's name in a prompt can only come from
// the call.
constexpr string_view tools =
    R"([{"type":"function","function":{"name":"look_up","description":"Looks up a key.",)"
    R"("parameters":{"type":"object","properties":{"key":{"type":"string",)"
    R"("description":"The key."}},"required":["key"]}}}])";

constexpr string_view white_space = " \t\r\n";

/// The marks of calls of a model whose template does not render calls.
struct known_mark {
    /// By this text, a prompt of the model with tools is recognized.
    string_view hint;
    string_view opening;
    string_view lead;
    string_view closing;
};

constexpr std::array<known_mark, 3> known_marks{{
    {"<|tool_list_start|>", "<|tool_call_start|>", "<|tool_call_start|>[",
     "<|tool_call_end|>"},  // LFM2
    {"List of tools: [", "<|tool_call_start|>", "<|tool_call_start|>[",
     "<|tool_call_end|>"},  // LFM2.5
    {"respond only with <|tool_call|>", "<|tool_call|>", "<|tool_call|>[{\"name\": \"",
     ""},  // Granite 3
}};

// Muse formats its reasoning like spoken text, but addresses the reasoning to itself.
constexpr string_view opening_to_user = " to=user<|message|>";
constexpr string_view opening_to_self = " to=self<|message|>";

std::string closing_before_thoughts(string_view opening) {
    if (!opening.ends_with(opening_to_user)) return {};
    opening.remove_suffix(opening_to_user.size());
    return std::string(opening) + std::string(opening_to_self);
}

// End tokens of calls. If they were preserved, the server would add them to the text.
constexpr std::array<string_view, 5> ends_of_calls{"<|call|>", "<|calls|>", "<|eom_id|>",
                                                   "<|observation|>", "<|tool_response>"};

std::vector<chat_message> conversation_with_call(string_view text) {
    const std::string name(function_name);
    return {
        {.role = "user", .content = std::string(question)},
        {.role = "assistant",
         .content = std::string(text),
         .tool_calls = {{.id = name, .name = name, .arguments = std::string(arguments)}}},
        {.role = "tool", .content = std::string(tool_result), .tool_call_id = name, .name = name}};
}

std::vector<chat_message> conversation_without_call() {
    return {{.role = "user", .content = std::string(question)},
            {.role = "assistant", .content = std::string(text_before_call)},
            {.role = "user", .content = std::string(last_question)}};
}

bool is_end_of_call(string_view tag) noexcept {
    return std::find(ends_of_calls.begin(), ends_of_calls.end(), tag) != ends_of_calls.end();
}

/// The text after the last occurrence of `from`; empty if `from` does not occur.
string_view text_after(string_view text, string_view from) noexcept {
    const auto at = text.rfind(from);
    return at == string_view::npos ? string_view() : text.substr(at + from.size());
}

/// The text before the first occurrence of `end`; all of it if `end` is empty or does not occur.
string_view text_before(string_view text, string_view end) noexcept {
    return end.empty() ? text : text.substr(0, text.find(end));
}

/// The start of the tag that contains the offset `end`; otherwise `end`.
std::size_t start_of_partial_tag(string_view text, std::size_t end) noexcept {
    const auto before = text.substr(0, end);
    const auto open = before.find_last_of("<[");
    if (open == string_view::npos) return end;
    const char close = before[open] == '<' ? '>' : ']';
    return before.find(close, open) == string_view::npos ? open : end;
}

/// `text` without the prefix that it shares with the beginning of a reply.
string_view without_header(string_view text, string_view header) noexcept {
    const auto [end, ignored] =
        std::mismatch(text.begin(), text.end(), header.begin(), header.end());
    auto common = static_cast<std::size_t>(end - text.begin());
    if (common < header.size()) common = start_of_partial_tag(text, common);
    return text.substr(common);
}

/// The common suffix of both strings. If neither string is a suffix of the other, the result begins
/// at a tag or at JSON.
string_view common_end(string_view a, string_view b) noexcept {
    const auto [end, ignored] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    const auto size = static_cast<std::size_t>(end - a.rbegin());
    const auto common = a.substr(a.size() - size);
    if (size == a.size() || size == b.size()) return common;
    return common.substr(std::min(common.find_first_of("<[{"), size));
}

bool is_about_thinking(string_view tag) noexcept {
    return tag.find("think") != string_view::npos || tag.find("THINK") != string_view::npos;
}

/// The mark in the text between an assistant's words and the name of a function.
string_view opening_in(string_view text) noexcept {
    text = text::trim_leading_space(text);
    for (auto tag = parse_leading_tag(text); is_about_thinking(tag); tag = parse_leading_tag(text))
        text = text::trim_leading_space(text.substr(tag.size()));
    if (const auto tag = parse_leading_tag(text); !tag.empty()) return tag;
    return text.substr(0, text.find_first_of(white_space));
}

/// The tags that end an assistant's message, and the tags that directly follow; if the message's
/// words have marks, all tags up to the next question.
std::vector<string_view> tags_after_message(string_view after,
                                            const text::reply_delimiters& words) {
    if (!words.opening.empty())
        return find_tags(after.substr(after.starts_with(words.closing) ? words.closing.size() : 0));
    const auto text = text::trim_leading_space(after);
    auto rest = text;
    for (auto tag = parse_leading_tag(rest); !tag.empty(); tag = parse_leading_tag(rest))
        rest = text::trim_leading_space(rest.substr(tag.size()));
    return find_tags(text.substr(0, text.size() - rest.size()));
}

/// A rendered call.
struct call_text {
    /// The text between the assistant's words, or the question, and the function's name.
    string_view lead;
    /// The text from the function's name to the result of the call.
    string_view rest;
};

/// The call in a prompt; nullopt if it is missing, or not after `words`.
std::optional<call_text> text_of_call(string_view prompt, string_view words) noexcept {
    const auto answer = text_after(prompt, question);
    const auto name = answer.find(function_name);
    if (name == string_view::npos) return std::nullopt;
    const auto before = answer.substr(0, name);
    const auto at = words.empty() ? 0 : before.rfind(words);
    if (at == string_view::npos) return std::nullopt;
    const auto rest = answer.substr(name);
    return call_text{before.substr(at + words.size()), rest.substr(0, rest.find(tool_result))};
}

void preserve_tags(const std::vector<string_view>& tags, template_marks& marks) {
    for (const auto tag : tags)
        if (marks.preserved.size() < max_preserved_tokens &&
            std::find(marks.preserved.begin(), marks.preserved.end(), tag) == marks.preserved.end())
            marks.preserved.emplace_back(tag);
}

/// A reply in the history.
struct past_reply {
    /// The text between the question and the words of the reply.
    string_view before;
    /// The text between the words and the next question.
    string_view after;
    /// The text between the next question and the reply that the model generates.
    string_view header;
};

/// The parts are empty if the prompt lacks the words.
past_reply find_past_reply(string_view without_call) noexcept {
    const auto header = text_after(without_call, last_question);
    const auto reply = text_after(without_call, question);
    const auto at = reply.find(text_before_call);
    if (at == string_view::npos) return {{}, {}, header};
    const auto after = reply.substr(at + text_before_call.size());
    return {reply.substr(0, at), after.substr(0, after.find(last_question)), header};
}

/// Whether the server shows any part of the mark: it hides tags with a bar, which are control
/// tokens.
bool has_shown_text(string_view mark) noexcept {
    while (!mark.empty()) {
        const auto tag = parse_leading_tag(mark);
        const bool is_control = tag.find('|') != string_view::npos ||
                                tag.find("\xEF\xBD\x9C") != string_view::npos;  // a wide bar
        if (!is_control && white_space.find(mark.front()) == string_view::npos) return true;
        mark.remove_prefix(is_control ? tag.size() : 1);
    }
    return false;
}

string_view without_reasoning(string_view text, const std::vector<tag_pair>& tags) noexcept {
    for (const auto& pair : tags)
        for (const auto* tag : {&pair.open, &pair.close})
            if (const auto at = text.rfind(*tag); at != string_view::npos)
                text.remove_prefix(at + tag->size());
    return text;
}

/// The end of the prompt with which each part of a reply begins, such as ">>>". This is the last
/// word of the prompt, unless a tag ends that word.
string_view find_open_end(string_view header) noexcept {
    const auto word = header.substr(header.find_last_of(white_space) + 1);
    const auto end = word.substr(std::min(word.find_last_of("<["), word.size()));
    if (end.empty()) return word;
    return parse_leading_tag(end) == end ? string_view() : end;
}

/// The text between a reply's words and the text that ends the message; a question ends the same
/// way.
string_view find_closing(string_view after, string_view end_of_question) noexcept {
    after = after.substr(0, 2 * max_preserved_bytes);
    std::size_t longest = 0;
    std::size_t end = 0;
    for (std::size_t at = 0; at < after.size(); ++at) {
        // The end of the message starts with a tag, or with white space before a tag.
        if (at > 0 && string_view("<[ \t\r\n").find(after[at]) == string_view::npos) continue;
        const auto rest = after.substr(at);
        const auto [last, ignored] =
            std::mismatch(rest.begin(), rest.end(), end_of_question.begin(), end_of_question.end());
        const auto common = static_cast<std::size_t>(last - rest.begin());
        if (common > longest) end = at;
        longest = std::max(longest, common);
    }
    return text::trim_white_space(after.substr(0, end));
}

/// The mark at the start of `lead`. It extends to the last tag of `lead` if the first tag also
/// occurs around other replies. Empty if other replies contain the mark.
string_view find_distinct_opening(string_view lead, const past_reply& other,
                                  bool has_marks) noexcept {
    const auto is_elsewhere = [&](string_view opening) {
        return other.before.find(opening) != string_view::npos ||
               other.after.find(opening) != string_view::npos;
    };
    const bool is_bare = without_header(other.before, other.header).empty();
    auto opening = opening_in(lead);
    if (is_elsewhere(opening) && (is_bare || has_marks))
        opening = lead.substr(0, lead.find_last_of(">]") + 1);
    return is_elsewhere(opening) ? string_view() : opening;
}

/// Whether the mark is unlikely to occur in prose: it begins with a tag, or like ">>>".
bool is_distinctive(string_view mark) noexcept {
    mark = text::trim_leading_space(mark);
    constexpr std::size_t rare = 3;
    const auto same = mark.substr(0, mark.find_first_not_of(mark.substr(0, 1)));
    return !parse_leading_tag(mark).empty() ||
           (same.size() >= rare && std::ispunct(static_cast<unsigned char>(same[0])) != 0);
}

/// Whether past replies begin like the next one. If not, for example because the template adds text
/// only after the last question, the difference is not a mark.
bool begins_alike(const past_reply& reply) noexcept {
    const auto rest = without_header(reply.before, reply.header);
    return !find_tags(reply.before.substr(0, reply.before.size() - rest.size())).empty();
}

/// Adds the mark of calls that are rendered as `call`.
void add_call(const call_text& call, string_view opening, const past_reply& other,
              template_marks& marks) {
    constexpr std::size_t min_bytes = 2;
    if (opening.size() > max_preserved_bytes) return;
    if (text::trim_white_space(opening).size() < min_bytes) return;
    auto ends = tags_after_message(other.after, marks.words);
    std::erase_if(ends, [&](string_view tag) { return opening.find(tag) != string_view::npos; });
    const auto lead = call.lead.substr(call.lead.rfind(opening));
    marks.opening = opening;
    marks.lead = lead;
    for (const auto text : {lead, call.rest}) {
        auto tags = find_tags(text);
        std::erase_if(tags, [&](string_view tag) {
            const bool is_end = contains(ends, tag) || is_end_of_call(tag);
            return is_end || tag.find('=') != string_view::npos;
        });
        preserve_tags(tags, marks);
    }
}

/// Adds the mark of calls that the template does not show.
void add_known_call(string_view prompt, template_marks& marks) {
    const auto known = std::ranges::find_if(
        known_marks, [&](const known_mark& m) { return prompt.find(m.hint) != string_view::npos; });
    if (known == known_marks.end()) return;
    marks.opening = known->opening;
    marks.lead = known->lead;
    preserve_tags(find_tags(known->opening), marks);
    preserve_tags(find_tags(known->closing), marks);
}

}  // namespace

std::array<template_probe, 3> make_template_probes() {
    return {template_probe{conversation_with_call(text_before_call), std::string(tools)},
            template_probe{conversation_with_call({}), std::string(tools)},
            template_probe{conversation_without_call(), {}}};
}

template_marks find_word_marks(string_view without_call, const std::vector<tag_pair>& reasoning,
                               string_view end_token) {
    const auto reply = find_past_reply(without_call);
    auto [before, after, header] = reply;
    if (!has_shown_text(without_reasoning(without_header(before, header), reasoning))) return {};
    if (!begins_alike(reply)) return {};
    header.remove_suffix(find_open_end(header).size());
    template_marks marks;
    marks.words.opening = without_reasoning(without_header(before, header), reasoning);
    if (marks.words.opening.size() > max_preserved_bytes || !is_distinctive(marks.words.opening))
        return {};
    const auto closing = find_closing(after, before);
    if (!parse_leading_tag(closing).empty()) marks.words.closing = text_before(closing, end_token);
    if (auto thoughts = closing_before_thoughts(marks.words.opening); !thoughts.empty())
        marks.words.closing = std::move(thoughts);
    for (const auto* text : {&marks.words.opening, &marks.words.closing})
        preserve_tags(find_tags(*text), marks);
    return marks;
}

template_marks find_tool_call_mark(const rendered_probes& prompts,
                                   const std::vector<tag_pair>& reasoning, string_view end_token) {
    auto marks = find_word_marks(prompts.without_call, reasoning, end_token);
    const auto& words = marks.words;
    const auto other = find_past_reply(prompts.without_call);
    auto header = other.header;
    if (!words.opening.empty()) header.remove_suffix(find_open_end(header).size());
    const auto after_text = text_of_call(prompts.call_after_text, text_before_call);
    auto alone = text_of_call(prompts.call_without_text, {});
    if (alone) alone->lead = without_header(alone->lead, header);
    if (!after_text && !alone) {
        add_known_call(prompts.call_after_text, marks);
        return marks;
    }
    const auto& call = alone ? *alone : *after_text;
    auto lead = after_text && alone ? common_end(after_text->lead, alone->lead) : call.lead;
    if (lead.starts_with(words.closing)) lead.remove_prefix(words.closing.size());
    // Calls and words may begin alike, for example with ">>>" and ">>>all"; only the text after
    // ">>>" distinguishes them.
    const bool is_of_words = !lead.empty() && words.opening.starts_with(lead);
    add_call(call, is_of_words ? lead : find_distinct_opening(lead, other, !words.opening.empty()),
             other, marks);
    return marks;
}

bool resembles_tool_call(const template_marks& marks, string_view text) noexcept {
    const auto after_mark = [&](string_view from) {
        return text::trim_leading_space(from.substr(std::min(marks.opening.size(), from.size())));
    };
    const auto expected = after_mark(marks.lead);
    // Marks without letters, such as ">>>", may occur in prose.
    if (expected.empty())
        return std::ranges::any_of(marks.opening,
                                   [](unsigned char c) { return std::isalpha(c) != 0; });
    return after_mark(text).starts_with(expected.front());
}

}  // namespace tandem::server
