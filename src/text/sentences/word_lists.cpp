#include "text/sentences/word_lists.hpp"

#include "text/characters/white_space.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tandem::text {

struct lexicon::tables {
    std::unordered_map<std::string_view, word_classes> words;
    std::vector<std::string_view> starters;  // sorted, as is the next list
    std::vector<std::string_view> whens;
    std::string_view numbered_ending;
};

namespace {

constexpr std::array all_languages{
    &english_words,    &german_words,     &french_words,    &spanish_words, &italian_words,
    &portuguese_words, &dutch_words,      &swedish_words,   &danish_words,  &polish_words,
    &czech_words,      &turkish_words,    &russian_words,   &greek_words,   &hindi_words,
    &bengali_words,    &vietnamese_words, &indonesian_words};

struct alias {
    std::string_view tag;
    std::string_view language;
};

// Languages for which the lists of another language are close enough.
constexpr std::array aliases{
    alias{"no", "da"}, alias{"nb", "da"}, alias{"nn", "da"}, alias{"sk", "cs"}, alias{"uk", "ru"},
    alias{"bg", "ru"}, alias{"kk", "ru"}, alias{"be", "ru"}, alias{"sr", "ru"}, alias{"mk", "ru"},
    alias{"ky", "ru"}, alias{"ca", "es"}, alias{"gl", "es"}, alias{"af", "nl"}, alias{"mr", "hi"},
    alias{"ne", "hi"}, alias{"hr", "cs"}, alias{"sl", "cs"}, alias{"fi", "sv"}, alias{"et", "sv"},
    alias{"hu", "cs"}};

template <class Use>
void for_each_word(std::string_view words, Use use) {
    while (!words.empty()) {
        const auto start = words.find_first_not_of(" \n");
        if (start == words.npos) return;
        words.remove_prefix(start);
        const auto end = std::min(words.find_first_of(" \n"), words.size());
        use(words.substr(0, end));
        words.remove_prefix(end);
    }
}

// The scripts of these languages end sentences with unambiguous marks, so no lists are needed.
constexpr std::array<std::string_view, 12> languages_without_lists{
    "ar", "fa", "he", "ja", "km", "ko", "lo", "my", "th", "ur", "yue", "zh"};

std::string primary_subtag(std::string_view tag) {
    std::string primary(tag.substr(0, tag.find_first_of("-_")));
    std::ranges::transform(primary, primary.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = std::ranges::find(aliases, primary, &alias::tag);
    return found == aliases.end() ? primary : std::string(found->language);
}

}  // namespace

lexicon::lexicon(const language_words& words)
    : has_ordinals_(words.has_ordinals), language_(words.language) {
    auto made = std::make_unique<tables>();
    for (const auto& group : words.groups)
        for_each_word(group.words, [&](std::string_view w) {
            made->words[w] |= group.what;
            if (group.what == word_class::starter) made->starters.push_back(w);
            if (group.what == word_class::when) made->whens.push_back(w);
        });
    std::ranges::sort(made->starters);
    std::ranges::sort(made->whens);
    made->numbered_ending = words.numbered_ending;
    tables_ = std::move(made);
}

lexicon::~lexicon() = default;

bool lexicon::supports_language(std::string_view language_tag) {
    const auto primary = primary_subtag(language_tag);
    const auto has_list = [&](const language_words* w) { return w->language == primary; };
    return std::ranges::any_of(all_languages, has_list) ||
           std::ranges::find(languages_without_lists, primary) != languages_without_lists.end();
}

const lexicon& lexicon::get(std::string_view language_tag) {
    static const auto lexicons = [] {
        std::map<std::string_view, std::unique_ptr<lexicon>> made;
        for (const auto* words : all_languages)
            made.emplace(words->language, std::make_unique<lexicon>(*words));
        return made;
    }();
    const auto found = lexicons.find(primary_subtag(language_tag));
    return *(found == lexicons.end() ? lexicons.find("en") : found)->second;
}

word_classes lexicon::find(std::string_view word) const {
    const auto found = tables_->words.find(word);
    if (found != tables_->words.end()) return found->second;
    const auto& ending = tables_->numbered_ending;
    return !ending.empty() && word.ends_with(ending) ? word_classes(word_class::numbered)
                                                     : word_classes();
}

bool lexicon::has_word_starting_with(word_class c, std::string_view start) const {
    const auto& list = c == word_class::when ? tables_->whens : tables_->starters;
    const auto found = std::ranges::lower_bound(list, start);
    return found != list.end() && found->starts_with(start);
}

}  // namespace tandem::text
