#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

// What the sentence rules know about words. Each language has its lists in words/.
namespace tandem::text {

/// The roles of a word before a full stop, and of a word after one. A word may have several
/// classes.
enum class word_class : std::uint16_t {
    title = 1 << 0,       ///< precedes a name; if capitalized, ends no sentence ("Dr.")
    inner = 1 << 1,       ///< ends no sentence ("e.g.")
    numbered = 1 << 2,    ///< ends no sentence if a number follows ("No. 9")
    name_part = 1 << 3,   ///< ends a sentence only if the next word starts one ("U.S.", "Inc.")
    tail = 1 << 4,        ///< ends a sentence if a capital follows ("etc.")
    unit = 1 << 5,        ///< like tail after a number, otherwise a plain word ("10 in.")
    clock = 1 << 6,       ///< like tail, but a day or time zone may follow ("3 p.m. Monday")
    date = 1 << 7,        ///< a month or day, like name_part if capitalized ("Sept. 9")
    when = 1 << 8,        ///< follows a clock time: days, months, time zones
    starter = 1 << 9,     ///< starts sentences and is not a name
    label = 1 << 10,      ///< a single letter after it is not an initial ("plan B.")
    exclaimed = 1 << 11,  ///< a name with an exclamation mark ("Yahoo!")
    brief = 1 << 12,      ///< a plain word despite its length ("up")
    file = 1 << 13,       ///< often starts the name of a file or site ("main.cpp")
    heading = 1 << 14,    ///< a number follows: "Step 1. Unplug it." is one sentence
    suffix = 1 << 15,     ///< follows a name; a title may start the next sentence ("Jr. Dr. Lee")
};

class word_classes {
 public:
    constexpr word_classes() = default;
    constexpr word_classes(word_class c) : bits_(static_cast<std::uint16_t>(c)) {}
    constexpr bool has(word_class c) const { return (bits_ & static_cast<std::uint16_t>(c)) != 0; }
    constexpr bool none() const { return bits_ == 0; }
    constexpr word_classes& operator|=(word_classes other) {
        bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
        return *this;
    }

 private:
    std::uint16_t bits_ = 0;
};

/// Words of one class: lower case, without the final full stop, separated by white space.
struct word_group {
    word_class what;
    std::string_view words;
};

struct language_words {
    std::string_view language;  ///< primary subtag of BCP 47
    std::span<const word_group> groups;
    /// Whether numbers with a full stop are ordinals ("am 12. Dezember").
    bool has_ordinals = false;
    /// Words with this ending are `numbered`.
    std::string_view numbered_ending = {};
};

extern const language_words english_words;
extern const language_words german_words;
extern const language_words french_words;
extern const language_words spanish_words;
extern const language_words italian_words;
extern const language_words portuguese_words;
extern const language_words dutch_words;
extern const language_words swedish_words;
extern const language_words danish_words;
extern const language_words polish_words;
extern const language_words czech_words;
extern const language_words turkish_words;
extern const language_words russian_words;
extern const language_words greek_words;
extern const language_words hindi_words;
extern const language_words bengali_words;
extern const language_words vietnamese_words;
extern const language_words indonesian_words;

/// The words of one language, built once and cached.
class lexicon {
 public:
    /// The lexicon for a BCP 47 tag such as "en" or "de-AT"; English for languages without lists.
    /// The object lives as long as the program. Thread-safe.
    static const lexicon& get(std::string_view language_tag);
    /// Whether get() has lists for the language, or the language needs none, because its script
    /// ends sentences with unambiguous marks.
    static bool supports_language(std::string_view language_tag);

    word_classes find(std::string_view lower_case_word) const;
    /// Whether a word of class `c`, which must be `starter` or `when`, starts with this text.
    bool has_word_starting_with(word_class c, std::string_view lower_case_start) const;
    bool has_ordinals() const noexcept { return has_ordinals_; }
    std::string_view language() const noexcept { return language_; }
    bool is_english() const noexcept { return language_ == "en"; }

    explicit lexicon(const language_words& words);
    ~lexicon();

 private:
    struct tables;
    std::unique_ptr<const tables> tables_;
    bool has_ordinals_;
    std::string_view language_;
};

}  // namespace tandem::text
