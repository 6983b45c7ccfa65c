#include "text/sentences/word_lists.hpp"

// Titles and the few abbreviations that are written with a full stop. Hindi and related languages
// end sentences with a danda, so a full stop there nearly always belongs to such a word.
namespace tandem::text {
namespace {

constexpr word_group hindi[] = {
    {word_class::title, "डॉ श्री श्रीमती प्रो कु स्व पं मो सुश्री"},
    {word_class::inner, "कि.मी ई.पू उदा"},
    {word_class::numbered, "क्र सं पृ नं रु रू"},
    {word_class::name_part, "ए बी सी डी"},
};

constexpr word_group bengali[] = {
    {word_class::title, "ডা ড ডঃ মো মি মিস প্রফেসর অধ্যাপক"},
    {word_class::numbered, "নং পৃ"},
};

constexpr word_group vietnamese[] = {
    {word_class::title, "tp gs ts ths pgs bs ks q p tx tt mr mrs ms dr"},
    {word_class::inner, "vd v.v.. tr"},
    {word_class::numbered, "tr"},
    {word_class::tail, "v.v"},
};

constexpr word_group indonesian[] = {
    {word_class::title, "dr drs dra prof ir h hj jl jln bpk tn ny sdr kh mr mrs ms kab kec"},
    {word_class::inner, "dsb dll. a.n d.a u.p yth mis"},
    {word_class::numbered, "no hlm hal vol psl"},
    {word_class::name_part, "s.h s.e s.kom m.sc tbk inc corp ltd"},
    {word_class::tail, "dll dst dkk"},
    {word_class::starter,
     "saya kami kita anda kamu dia mereka ini itu apa siapa kapan di ke dari untuk dengan jika "
     "kalau bila dan tetapi tapi atau namun karena jadi lalu kemudian silakan mohon ya tidak bukan "
     "ada semua setiap bagaimana mengapa berapa sekarang besok terima"},
};

}  // namespace

const language_words hindi_words{"hi", hindi};
const language_words bengali_words{"bn", bengali};
const language_words vietnamese_words{"vi", vietnamese};
const language_words indonesian_words{"id", indonesian};

}  // namespace tandem::text
