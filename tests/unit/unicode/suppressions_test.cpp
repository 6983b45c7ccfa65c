// The abbreviations after which ICU finds no sentence end (CLDR's suppressions).

#include "text/sentences/word_lists.hpp"

#include "tandem/sentence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unicode/unistr.h>
#include <unicode/ures.h>
#include <vector>

namespace tandem::text {
namespace {

struct closes {
    void operator()(UResourceBundle* bundle) const { ures_close(bundle); }
};
using bundle = std::unique_ptr<UResourceBundle, closes>;

std::vector<icu::UnicodeString> suppressions(const char* language) {
    UErrorCode error = U_ZERO_ERROR;
    const bundle all(ures_open(U_ICUDATA_NAME "-brkitr", language, &error));
    const bundle exceptions(ures_getByKey(all.get(), "exceptions", nullptr, &error));
    const bundle list(ures_getByKey(exceptions.get(), "SentenceBreak", nullptr, &error));
    std::vector<icu::UnicodeString> found;
    if (U_FAILURE(error)) return found;
    for (int i = 0; i < ures_getSize(list.get()); ++i)
        found.push_back(icu::ures_getUnicodeStringByIndex(list.get(), i, &error));
    return found;
}

/// The word in lower case without its final full stop, as in the lexicon.
std::string listed_form(icu::UnicodeString word) {
    word.toLower();
    if (word.endsWith(u".", 1)) word.truncate(word.length() - 1);
    std::string utf8;
    word.toUTF8String(utf8);
    return utf8;
}

std::vector<std::string> words_of(const icu::UnicodeString& suppression) {
    std::vector<std::string> words;
    for (int start = 0; start < suppression.length();) {
        auto end = suppression.indexOf(u' ', start);
        if (end < 0) end = suppression.length();
        words.push_back(listed_form({suppression, start, end - start}));
        start = end + 1;
    }
    return words;
}

bool is_abbreviation(word_classes classes) {
    constexpr word_class kinds[] = {word_class::title, word_class::inner,     word_class::numbered,
                                    word_class::tail,  word_class::name_part, word_class::unit,
                                    word_class::clock, word_class::date};
    return std::ranges::any_of(kinds, [&](word_class c) { return classes.has(c); });
}

/// Initials such as "J" or "u.s", which a rule handles, so that no list needs to contain them.
bool is_initials(std::string_view word) {
    const auto text = icu::UnicodeString::fromUTF8({word.data(), static_cast<int>(word.size())});
    for (int i = 0; i < text.length(); ++i)
        if ((i % 2 == 1) != (text[i] == u'.')) return false;
    return true;
}

struct left_out_words {
    const char* language;
    /// Words that end sentences far more often than they are abbreviations.
    std::string_view plain;
    /// Abbreviations in dictionaries and tables, but not in spoken replies. Even these end no
    /// sentence before a lower-case letter.
    std::string_view rare;
};

constexpr left_out_words left_out[] = {
    {"en",
     "alt jam card long hat link dc by act up job ok cap pc or ad to do joe id is on go all pro aa "
     "ab as mart",
     "num cont fn abs exec lev diff hon.b.a ed adv lib"},
    {"de", "port alt am kl akt fa int bed best test dat led mod trans kop rep prot app",
     "inh ausg spezif obj folg msp einh op bibl rd dtzd tägl gesch e.wz rel p.adr ausschl verf "
     "a.rh jew gek erf mtl qu adj hpts gedr phys reg.-bez kfm proz dim verw schr pin zt temp abw "
     "geograph jhrl ben konv beil röm.-kath ber forts hptst"},
    {"es", "dc sa da kit ram rol sol ant var rev mm ca as em col aa all bien id doc",
     "rdos rr.hh trab excmos rvdos comm ss prov emm desv ss.mm korn ilmas ilmos afma fund afmo "
     "dptos rvdmos afmos afmas ss.aa mss reg sdad deptos bco excmas dto ltdo desc exmas exmos exc "
     "c/c"},
    {"fr", "mart dc doc mer all aux dest pron cam quart",
     "config collab syst bull hôp broch adr symb voit graph édit niv éval anon comm prof indus "
     "équiv illustr acoust p.-d coll encycl desc append var categ exempl ann synth dict op gouv "
     "trav publ"},
    {"it", "dc liv all mod", ""},
    {"pt",
     "port apt col res des long mat sup pal cat rod lit fil prod fem ind com ap mas fac pol comp "
     "bras alm rel fot liter cont div",
     "psicol compl rep doc fisiol dipl astron eletrôn geom mov arquit ff transp lat adm créd jur "
     "anat fís matem gên neol ingl tecnol símb filos abrev aux arit aer lin méd odontol org déb "
     "álg "
     "odont relat organiz hist cx quím mús agric pron autom pq arqueol náut biogr círc tec sociol "
     "gram elem máq cód eletr contab educ rementente desc próx"},
    {"ru", "до", ""},
};

bool is_among(std::string_view words, std::string_view word) {
    const auto padded = " " + std::string(words) + " ";
    return padded.find(" " + std::string(word) + " ") != padded.npos;
}

TEST(suppressions, of_unicode_are_known_or_left_out_on_purpose) {
    for (const auto& out : left_out) {
        const auto& known = lexicon::get(out.language);
        const auto list = suppressions(out.language);
        EXPECT_GT(list.size(), 10u) << out.language;
        for (const auto& suppression : list)
            for (const auto& word : words_of(suppression))
                EXPECT_TRUE(is_abbreviation(known.find(word)) || is_initials(word) ||
                            is_among(out.plain, word) || is_among(out.rare, word))
                    << out.language << ": " << word;
    }
}

std::vector<std::string> sentences_around(const icu::UnicodeString& abbreviation,
                                          const char* language) {
    std::string text = "The ";
    abbreviation.toUTF8String(text);
    return split_sentences(text + " yes", {.language = language});
}

// Exceptions: the splitter finds a sentence end in these abbreviations, because "D" is a title in
// Portuguese, and "G" may start a sentence.
bool is_still_divided(const icu::UnicodeString& suppression) {
    return suppression == u"Ph.D." || suppression == u"P.-D. G.";
}

TEST(suppressions, of_unicode_end_no_sentence_before_lower_case) {
    for (const auto& out : left_out)
        for (const auto& suppression : suppressions(out.language))
            EXPECT_TRUE(is_still_divided(suppression) ||
                        sentences_around(suppression, out.language).size() == 1u)
                << out.language << ": " << listed_form(suppression);
}

}  // namespace
}  // namespace tandem::text
