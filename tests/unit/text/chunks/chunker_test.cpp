#include "text/chunks/chunker.hpp"

#include "text/sentences/make_boundary_detector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

bool operator==(const chunk_text& a, const chunk_text& b) {
    return a.text == b.text && a.why == b.why && a.tokens == b.tokens;
}

void PrintTo(const chunk_text& p, std::ostream* out) {
    constexpr const char* names[] = {"sentence", "clause", "word", "limit", "end"};
    *out << '"' << p.text << "\" " << names[static_cast<int>(p.why)] << " of " << p.tokens;
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum boundary;
using status = chunker::status;
using tokens = std::vector<std::string_view>;

class ChunkerTest : public testing::Test {
 protected:
    void set_limits(int first_min, int first_max, int max) {
        chunks_ =
            chunker(make_boundary_detector(boundary_rule::classic), {first_min, first_max, max});
    }
    status read(const tokens& list) {
        for (const auto t : list) chunks_.feed(t);
        return chunks_.current();
    }
    std::vector<chunk_text> taken() {
        std::vector<chunk_text> list;
        while (chunks_.current() == status::ready) list.push_back(chunks_.take_chunk());
        return list;
    }
    std::vector<chunk_text> pieces_of(const tokens& list) {
        read(list);
        chunks_.finish();
        return taken();
    }

    /// A chunker that ends a chunk after every sentence.
    chunker chunks_{make_boundary_detector(boundary_rule::classic), {0, 24, 96}};
};

TEST_F(ChunkerTest, EndsAChunkWithASentenceOnceTheNextTokenIsRead) {
    EXPECT_EQ(read({"Hello"}), status::reading);
    EXPECT_EQ(read({"!"}), status::holding);
    EXPECT_EQ(read({" How"}), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Hello!", sentence, 2}));
    EXPECT_EQ(chunks_.untaken_text(), " How");
    EXPECT_EQ(chunks_.current(), status::reading);
}

TEST_F(ChunkerTest, KeepsTheClosingQuoteWithTheSentence) {
    EXPECT_THAT(pieces_of({"He", " said", " \"", "Hello", "!", "\"", " Then", " left", "."}),
                ElementsAre(chunk_text{"He said \"Hello!\"", sentence, 6},
                            chunk_text{" Then left.", end, 3}));
}

TEST_F(ChunkerTest, LeavesAnOpeningQuoteToTheNextSentence) {
    EXPECT_THAT(pieces_of({"Yes", ".", " \"", "No", ".\""}),
                ElementsAre(chunk_text{"Yes.", sentence, 2}, chunk_text{" \"No.\"", end, 3}));
}

TEST_F(ChunkerTest, AbsorbsWhiteSpaceAfterASentence) {
    EXPECT_THAT(pieces_of({"Yes", ".", "\n\n", "No"}),
                ElementsAre(chunk_text{"Yes.\n\n", sentence, 3}, chunk_text{"No", end, 1}));
}

TEST_F(ChunkerTest, CountsACarriedTokenInTheNextChunk) {
    read({"One", ".", " Two"});
    taken();
    read({".", " Three"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{" Two.", sentence, 2}));
}

TEST_F(ChunkerTest, CountsEachTokenOfATextThatSeveralMade) {
    set_limits(0, 4, 4);
    chunks_.feed("\xE4\xBD\xA0", 3);
    chunks_.feed(" so", 1);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"\xE4\xBD\xA0", word, 3}));
    chunks_.finish();
    EXPECT_THAT(taken(), ElementsAre(chunk_text{" so", end, 1}));
}

TEST_F(ChunkerTest, TakesAChunkThatIsKnownAsItIs) {
    set_limits(10, 24, 96);
    chunks_.feed_chunk({"One. Two, ", clause, 3});
    read({"three", ".", " Four"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"One. Two, ", clause, 3},
                                     chunk_text{"three.", sentence, 2}));
}

TEST_F(ChunkerTest, EndsTheSentenceOfAKnownChunkOnce) {
    chunks_.feed_chunk({"Yes.", sentence, 2});
    read({" No", ".", " And"});
    EXPECT_THAT(taken(),
                ElementsAre(chunk_text{"Yes.", sentence, 2}, chunk_text{" No.", sentence, 2}));
}

TEST_F(ChunkerTest, FindsNoChangeInAnEmptyToken) {
    EXPECT_EQ(read({"Yes", ".", "", ""}), status::holding);
    EXPECT_THAT(pieces_of({""}), ElementsAre(chunk_text{"Yes.", end, 2}));
}

TEST_F(ChunkerTest, EndsAHeldChunkWhenTheHoldExpires) {
    read({"Yes", "."});
    EXPECT_EQ(chunks_.on_hold_expired(), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Yes.", sentence, 2}));
    EXPECT_EQ(chunks_.untaken_text(), "");
}

TEST_F(ChunkerTest, IgnoresAnExpiredHoldWhenItDoesNotHold) {
    read({"Yes"});
    EXPECT_EQ(chunks_.on_hold_expired(), status::reading);
    read({".", " No"});
    EXPECT_EQ(chunks_.on_hold_expired(), status::ready);
    EXPECT_EQ(taken().size(), 1u);
}

TEST_F(ChunkerTest, StartsTheNextChunkWithAQuoteThatCameTooLate) {
    read({"\"", "Yes", "."});
    chunks_.on_hold_expired();
    EXPECT_THAT(pieces_of({"\"", " he", " said"}),
                ElementsAre(chunk_text{"\"Yes.", sentence, 3}, chunk_text{"\" he said", end, 3}));
}

// The first chunk.

TEST_F(ChunkerTest, GoesOnWhenTheFirstSentenceIsTooShort) {
    set_limits(10, 24, 96);
    EXPECT_EQ(read({"Hello", "!"}), status::reading);
    EXPECT_EQ(read({" How", " can", " I", " help", " you", " today", "?"}), status::reading);
    EXPECT_EQ(read({" I", " am", " here", "."}), status::holding);
    read({" Yes"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Hello! How can I help you today? I am here.",
                                                sentence, 13}));
}

TEST_F(ChunkerTest, EndsTheFirstChunkAtTheFirstSentenceThatIsLongEnough) {
    set_limits(10, 24, 96);
    EXPECT_EQ(read({"Hello", "!", " How", " can", " I", " help", " all", " of", " you", "?"}),
              status::holding);
}

TEST_F(ChunkerTest, CountsWhatASentenceEndAbsorbs) {
    set_limits(3, 24, 96);
    EXPECT_EQ(read({"Yes", "."}), status::reading);
    EXPECT_EQ(read({"\n"}), status::holding);
}

TEST_F(ChunkerTest, AsksForNoShortestChunkLater) {
    set_limits(3, 24, 96);
    read({"Now", " then", ".", " Yes"});
    taken();
    EXPECT_EQ(read({"."}), status::holding);
}

TEST_F(ChunkerTest, FallsBackToASentenceEndThatCameTooEarly) {
    set_limits(4, 6, 96);
    EXPECT_EQ(read({"Sure", "!", " I", " would", " really", " like"}), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Sure!", sentence, 2}));
    EXPECT_EQ(chunks_.untaken_text(), " I would really like");
}

TEST_F(ChunkerTest, PrefersTheLaterOfAnEarlySentenceEndAndAClause) {
    set_limits(4, 6, 96);
    read({"Sure", "!", " Well", ",", " I", " would"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Sure! Well,", clause, 4}));
    set_limits(6, 7, 96);
    read({"Well", ",", " sure", "!", " I", " would", " really"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Well, sure!", sentence, 4}));
}

TEST_F(ChunkerTest, FindsLaterSentencesBehindAnEarlyEnd) {
    set_limits(4, 24, 96);
    read({"A", ".", " B", ".", " C"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"A. B.", sentence, 4}));
}

TEST_F(ChunkerTest, TakesAnySentenceEndAtTheLimitWhenTheLeastIsMoreThanTheMost) {
    set_limits(10, 3, 96);
    read({"I", " do", ".", " Yes"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"I do.", sentence, 3}));
}

TEST_F(ChunkerTest, HasTheLimitOfLaterChunksWhenTheFirstHasNone) {
    set_limits(0, 0, 3);
    read({"a", " b", " c"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"a b", word, 2}));
}

// Limits.

TEST_F(ChunkerTest, EndsAfterTheLastClauseAtALimit) {
    set_limits(0, 5, 96);
    read({"Well", ",", " one", ",", " two"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Well, one,", clause, 4}));
    EXPECT_EQ(chunks_.untaken_text(), " two");
}

TEST_F(ChunkerTest, EndsBeforeTheLastWordWithoutAClause) {
    set_limits(0, 3, 96);
    read({"the", " quick", " bro"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"the quick", word, 2}));
    EXPECT_EQ(chunks_.untaken_text(), " bro");
}

TEST_F(ChunkerTest, EndsInsideAWordWhenThereIsButOne) {
    set_limits(0, 3, 96);
    EXPECT_THAT(pieces_of({"anti", "dis", "establish", "ment"}),
                ElementsAre(chunk_text{"antidisestablish", boundary::limit, 3},
                            chunk_text{"ment", end, 1}));
}

TEST_F(ChunkerTest, NeverSplitsANumberWhereItHasAnotherPlace) {
    set_limits(0, 5, 96);
    read({"costs", " 1", ",", "000", " euro"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"costs 1,000", word, 4}));
    set_limits(0, 3, 96);
    read({"costs", " 1", ","});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"costs", word, 1}));
}

TEST_F(ChunkerTest, DividesATokenWhereAClauseEndsInIt) {
    set_limits(0, 2, 96);
    read({"so", " well, I"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"so well,", clause, 1}));
    EXPECT_THAT(pieces_of({}), ElementsAre(chunk_text{" I", end, 1}));
}

TEST_F(ChunkerTest, CountsCarriedTokensAgainstTheNextLimit) {
    set_limits(0, 3, 3);
    read({"a", " b", " c"});
    taken();
    EXPECT_EQ(read({" d"}), status::reading);
    EXPECT_EQ(read({" e"}), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{" c d", word, 2}));
}

TEST_F(ChunkerTest, DividesACarriedTextThatIsOverTheNextLimit) {
    set_limits(0, 8, 3);
    read({"a", ",", " b", " c", " d", " e", " f", " g"});
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"a,", clause, 2}, chunk_text{" b c", word, 2},
                                     chunk_text{" d e", word, 2}));
    EXPECT_EQ(chunks_.untaken_text(), " f g");
}

TEST_F(ChunkerTest, LooksOneTokenPastASentenceEndAtTheLimit) {
    set_limits(0, 3, 96);
    EXPECT_EQ(read({"I", " do", "."}), status::holding);
    EXPECT_EQ(read({" Yes"}), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"I do.", sentence, 3}));
    EXPECT_EQ(chunks_.untaken_text(), " Yes");
}

TEST_F(ChunkerTest, LooksNoFurtherThanOneTokenPastTheLimit) {
    set_limits(0, 3, 96);
    read({"Wait", ".", "."});
    EXPECT_EQ(read({"."}), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Wait...", sentence, 4}));
}

TEST_F(ChunkerTest, EndsALateSentenceOfTheLimitWhenTheHoldExpires) {
    set_limits(0, 3, 96);
    read({"I", " do", "."});
    chunks_.on_hold_expired();
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"I do.", sentence, 3}));
}

TEST_F(ChunkerTest, WorksTokenByToken) {
    set_limits(1, 1, 1);
    EXPECT_THAT(
        pieces_of({"One", ".", " two", " three, four"}),
        ElementsAre(chunk_text{"One", boundary::limit, 1}, chunk_text{".", sentence, 1},
                    chunk_text{" two", boundary::limit, 1}, chunk_text{" three,", clause, 0},
                    chunk_text{" four", boundary::limit, 1}));
}

TEST_F(ChunkerTest, HasNoLimitOfTokensWithZero) {
    set_limits(0, 0, 0);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(read({" word"}), status::reading);
    read({".", " Yes"});
    EXPECT_EQ(taken().at(0).tokens, 1001);
}

TEST_F(ChunkerTest, CountsNoTokenForMoreTextOfATokenReadBefore) {
    chunks_.feed("One", 1);
    chunks_.feed(" <", 0);
    chunks_.feed(".", 1);
    chunks_.finish();
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"One <.", boundary::end, 2}));
}

TEST_F(ChunkerTest, BoundsTheBytesOfAChunk) {
    set_limits(0, 0, 0);
    const std::string thousand(1000, 'x');
    for (int i = 0; i < 100; ++i) read({" ", thousand});
    const auto list = taken();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].text.size(), 65u * 1001);
    EXPECT_EQ(list[0].why, word);
}

TEST_F(ChunkerTest, EndsBetweenCharactersAtTheBoundOfBytes) {
    set_limits(0, 0, 0);
    std::string euros;
    while (euros.size() < 3 * max_chunk_bytes) euros += "\xE2\x82\xAC";
    const auto list = pieces_of({euros});
    ASSERT_EQ(list.size(), 4u);
    EXPECT_EQ(list[0].text.size(), max_chunk_bytes - 1);
    EXPECT_EQ(list[0].tokens, 0);
    EXPECT_EQ(list[3].tokens, 1);
}

TEST_F(ChunkerTest, BoundsTheBytesOfARunOfMarks) {
    set_limits(0, 0, 0);
    const std::string dots(1000, '.');
    for (int i = 0; i < 70; ++i) read({dots});
    const auto list = taken();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].text.size(), max_chunk_bytes);
}

// The end of the reply.

TEST_F(ChunkerTest, GivesNoPieceOfAnEmptyReply) {
    EXPECT_EQ(chunks_.finish(), status::reading);
    EXPECT_THAT(taken(), IsEmpty());
}

TEST_F(ChunkerTest, GivesNoEmptyPieceAtTheEnd) {
    read({"Yes", "."});
    chunks_.on_hold_expired();
    chunks_.finish();
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"Yes.", sentence, 2}));
    EXPECT_EQ(chunks_.current(), status::reading);
}

TEST_F(ChunkerTest, KeepsAnEarlySentenceInTheOnlyChunk) {
    set_limits(10, 24, 96);
    EXPECT_THAT(pieces_of({"Yes", ".", " No", "."}), ElementsAre(chunk_text{"Yes. No.", end, 4}));
}

TEST_F(ChunkerTest, GivesWhatWasReadWhileAChunkWaited) {
    EXPECT_THAT(pieces_of({"A", ".", " B", ".", " C", ".", "\n"}),
                ElementsAre(chunk_text{"A.", sentence, 2}, chunk_text{" B.", sentence, 2},
                            chunk_text{" C.\n", end, 3}));
}

TEST_F(ChunkerTest, HoldsWhatIsNotTakenAsUnread) {
    read({"A", ".", " B", ".", " C"});
    EXPECT_EQ(chunks_.untaken_text(), "A. B. C");
    chunks_.take_chunk();
    EXPECT_EQ(chunks_.untaken_text(), " B. C");
}

TEST_F(ChunkerTest, GivesAnEmptyPieceWhenNoneIsReady) {
    EXPECT_EQ(chunks_.take_chunk(), chunk_text{});
}

/// A detector that returns the verdicts of the test, one for each call.
class scripted_detector final : public boundary_detector {
 public:
    explicit scripted_detector(std::vector<boundary_verdict> script) : script_(std::move(script)) {}
    boundary_verdict feed(std::string_view) override { return next(); }
    boundary_verdict end_sentence_after(std::size_t) override { return next(); }
    boundary_verdict finish() override { return last_; }

 private:
    boundary_verdict next() {
        return last_ = at_ < script_.size() ? script_[at_++] : boundary_verdict{};
    }
    std::vector<boundary_verdict> script_;
    boundary_verdict last_;
    std::size_t at_ = 0;
};

std::vector<chunk_text> pieces_by(std::vector<boundary_verdict> script, chunk_limits limits,
                                  const tokens& list) {
    chunker chunks(std::make_unique<scripted_detector>(std::move(script)), limits);
    for (const auto t : list) chunks.feed(t);
    chunks.finish();
    std::vector<chunk_text> out;
    while (chunks.current() == status::ready) out.push_back(chunks.take_chunk());
    return out;
}

TEST(ChunkerWithAnyRule, EndsAChunkInsideAToken) {
    EXPECT_THAT(pieces_by({{}, {5, {}}}, {0, 24, 96}, {"I d", "o. Yes"}),
                ElementsAre(chunk_text{"I do.", sentence, 1}, chunk_text{" Yes", end, 1}));
}

TEST(ChunkerWithAnyRule, TakesSeveralSettledEndsOfOneToken) {
    EXPECT_THAT(pieces_by({{2, {}}, {3, {}}}, {0, 24, 96}, {"A. B. C"}),
                ElementsAre(chunk_text{"A.", sentence, 0}, chunk_text{" B.", sentence, 0},
                            chunk_text{" C", end, 1}));
}

TEST(ChunkerWithAnyRule, FallsBackWhenTheTokenPastTheLimitDeniesTheEnd) {
    EXPECT_THAT(pieces_by({{}, {{}, 6}, {}}, {0, 2, 96}, {"Dear", " M.", " Smith"}),
                ElementsAre(chunk_text{"Dear", word, 1}, chunk_text{" M. Smith", end, 2}));
}

TEST(ChunkerWithAnyRule, EndsASentenceInsideWhatIsLeftAtTheEnd) {
    EXPECT_THAT(pieces_by({{}, {{}, 3}}, {0, 24, 96}, {"Yes.", " No"}),
                ElementsAre(chunk_text{"Yes", sentence, 0}, chunk_text{". No", end, 2}));
}

TEST(ChunkerWithAnyRule, LeavesNoWhiteSpaceAloneAtTheEnd) {
    EXPECT_THAT(pieces_by({{{}, 4}}, {0, 24, 96}, {"Yes. \n"}),
                ElementsAre(chunk_text{"Yes. \n", end, 1}));
}

TEST_F(ChunkerTest, MakesAChunkOfEachTextByToken) {
    chunks_ = chunker(make_boundary_detector(boundary_rule::spoken), {.by_token = true});
    EXPECT_EQ(read({"It is", " 3", ""}), status::ready);
    chunks_.feed(".", 2);
    EXPECT_EQ(chunks_.finish(), status::ready);
    EXPECT_THAT(taken(), ElementsAre(chunk_text{"It is", boundary::limit, 1},
                                     chunk_text{" 3", boundary::limit, 1},
                                     chunk_text{".", boundary::limit, 2}));
    EXPECT_EQ(chunks_.current(), status::reading);
    EXPECT_THAT(chunks_.untaken_text(), IsEmpty());
}

}  // namespace
}  // namespace tandem::text
