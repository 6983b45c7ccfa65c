#include "conversation/history/heard_position.hpp"
#include "conversation/history/turn_ledger.hpp"
#include "text/characters/utf8.hpp"
#include "unit/conversation/chunks.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::conversations {
namespace {

/// A piece of text, and the words that a voice says for it. Spaces separate the pieces.
struct piece {
    std::string text;
    std::string speech;
};

/// The history keeps replaced words, numbers and marks as the model wrote them.
piece random_piece(std::mt19937& random) {
    static const std::vector<piece> pieces{{"Dr.", "Doctor"},
                                           {"kWh", "kilowatt hours"},
                                           {"New York", "the city"},
                                           {"C++", "C plus plus"},
                                           {"same", "else"},
                                           {"12", "zwölf"},
                                           {"[laughs]", ""},
                                           {"*laughs*", ""},
                                           {"<emotion value=\"sad\"/>", ""},
                                           {"word", "word"},
                                           {"**bold**", "bold"},
                                           {"_Dr._", "Doctor"},
                                           {"[Dr.](https://a.b/12)", "Doctor"},
                                           {"&amp;", "&"},
                                           {"größer", "größer"}};
    if (random() % 4) return pieces[random() % pieces.size()];
    const auto number = std::to_string(20 + random() % 1000);
    return {number, number};
}

text::speech_options options() {
    text::speech_options o;
    o.replace = {{"Dr.", "Doctor"},      {"kWh", "kilowatt hours"}, {"New York", "the city"},
                 {"C++", "C plus plus"}, {"same", "else"},          {"12", "zwölf"}};
    o.mark_tags = {"laughs", "emotion"};
    return o;
}

/// A chunk of pieces, and the place of each spoken piece: its end in the speech, in characters, and
/// its end in the text, in bytes.
struct pieced_chunk {
    struct place {
        std::size_t speech_end = 0;
        std::size_t text_end = 0;
        std::size_t text_before = 0;  // end of the previous pieces
    };
    std::string text{};
    std::string speech{};
    std::vector<place> spoken{};
};

pieced_chunk random_chunk(std::mt19937& random) {
    pieced_chunk c;
    for (auto n = 1 + random() % 12; n > 0; --n) {
        const auto p = random_piece(random);
        const auto before = c.text.size();
        c.text += (c.text.empty() ? "" : " ") + p.text;
        if (p.speech.empty()) continue;
        c.speech += (c.speech.empty() ? "" : " ") + p.speech;
        c.spoken.push_back({text::count_characters(c.speech), c.text.size(), before});
    }
    return c;
}

std::string history_after(const chunk& c, std::size_t characters) {
    turn_ledger turn;
    turn.begin_reply(1);
    turn.on_handed_over(c);
    turn.record_heard({1, 0}, characters);
    return turn.make_history_text(history_policy::heard, "");
}

/// The number of bytes of text that the history keeps. A piece that was heard only in part is
/// dropped, but the marks before that piece are kept.
std::size_t kept_after(const pieced_chunk& c, std::size_t characters) {
    std::size_t speech_begin = 0, text_end = 0;
    for (const auto& p : c.spoken) {
        if (characters <= speech_begin) break;
        text_end = characters < p.speech_end ? p.text_before : p.text_end;
        speech_begin = p.speech_end + 1;
    }
    return text_end;
}

TEST(speech_positions, are_exact_after_replaced_words_numbers_and_marks) {
    std::size_t pieces = 0;
    for (unsigned seed = 0; pieces < 1000 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto expected = random_chunk(random);
        const auto c = spoken_chunk_of({1, 0}, expected.text, options());
        ASSERT_EQ(c.speech, expected.speech) << c.text;
        for (std::size_t n = 0; n < text::count_characters(c.speech); ++n)
            EXPECT_EQ(history_after(c, n), c.text.substr(0, kept_after(expected, n)))
                << c.speech << " at " << n;
        pieces += expected.spoken.size();
    }
}

}  // namespace
}  // namespace tandem::conversations
