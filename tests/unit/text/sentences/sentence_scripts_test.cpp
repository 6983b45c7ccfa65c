#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(chinese, has_full_stops_without_a_space) {
    expect_sentences({
        "今天天气很好。|我们去公园吧。",
        "你好！|你吃饭了吗？|我还没有。",
        "你好.|我是小明。",
        "价格是3.5元。|很便宜。",
        "我在用Python 3.11。|很快。",
        "他没来。|“你去哪儿？”她问。|“回家。”他说。",
        "嗯……让我想想。|他一直没有来……|我们走吧。",
    });
}

TEST(japanese, has_full_stops_without_a_space) {
    expect_sentences({
        "今日はいい天気です。|散歩に行きましょう。",
        "元気ですか？|はい、元気です！",
        "「行きます。」と言った。|そして帰った。",
        "三時に会いましょう。| お待ちしています。",
        "すごい！！|本当ですか？",
    });
}

TEST(korean, has_full_stops_with_a_space) {
    expect_sentences({
        "안녕하세요.| 만나서 반갑습니다.",
        "어디 가세요?| 집에 가요.",
        "가격은 3.5달러입니다.| 싸네요.",
    });
}

TEST(hindi, has_dandas) {
    expect_sentences({
        "आज मौसम अच्छा है।| हम बाहर चलें।",
        "क्या आप आएंगे?| हाँ।",
        "यह अंत है॥| धन्यवाद।",
        "डॉ. वर्मा आज नहीं हैं।| कल आइए।",
    });
}

TEST(bengali, has_dandas) {
    expect_sentences({
        "আজ আবহাওয়া ভালো।| চলো বাইরে যাই।",
        "তুমি কেমন আছ?| আমি ভালো আছি।",
    });
}

TEST(urdu_and_arabic, have_marks_of_their_own) {
    expect_sentences({
        "آج موسم اچھا ہے۔| ہم باہر چلیں۔",
        "آپ کیسے ہیں؟| میں ٹھیک ہوں۔",
        "كيف حالك؟| أنا بخير.| شكرا لك!",
        "الجو جميل اليوم.| هيا نخرج.",
        "یہ 5.5 ہے۔| ہاں۔",
    });
}

TEST(armenian, has_a_colon_for_a_full_stop) {
    expect_sentences({
        "Այսօր եղանակը լավ է։| Գնանք դուրս։",
        "Այսօր եղանակը լավ է:| Գնանք դուրս:",
    });
}

TEST(greek, has_a_semicolon_for_a_question_mark) {
    expect_sentences({
        "Πού πας;| Πάω σπίτι.",
        "Ο κ. Νίκου είναι εδώ.| Περιμένει.",
        "Τι ώρα είναι;| Είναι αργά!",
    });
}

TEST(burmese, has_full_stops_of_its_own) {
    expect_sentences({
        "ဒီနေ့ ရာသီဥတု ကောင်းတယ်။| အပြင်သွားရအောင်။",
    });
}

TEST(other_scripts, have_full_stops_of_their_own) {
    expect_sentences({
        "ሰላም ነው።| ደህና ነኝ።",           // Amharic
        "ໄປໃສ?| ກັບບ້ານ.",              // Lao
        "გამარჯობა.| როგორ ხარ?",     // Georgian
        "שלום לך.| מה שלומך?",        // Hebrew
        "வணக்கம்.| எப்படி இருக்கிறீர்கள்?",  // Tamil
    });
}

TEST(mixed_scripts, are_divided_as_each_does) {
    expect_sentences({
        "我喜欢 Apple Inc. 的产品。|你呢？",
        "He said 你好。| Then he left.",
        "Das Wort ist 今日は。| Es ist schön.",
    });
}

}  // namespace
}  // namespace tandem::text
