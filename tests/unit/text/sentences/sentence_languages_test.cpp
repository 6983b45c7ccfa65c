#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(german, has_ordinals_and_abbreviations) {
    expect_sentences(
        "de", {
                  "Wir treffen uns am 12. Mai in Köln.| Bis dann.",
                  "Am 3. Oktober ist frei.| Wir schlafen aus.",
                  "Ludwig XIV. war König.| Er lebte lange.",
                  "Nimm z. B. einen Apfel.| Der ist gesund.",
                  "Nimm z.B. einen Apfel.| Der ist gesund.",
                  "Dr. Huber ist da.| Kommen Sie herein.",
                  "Das kostet ca. 20 Euro.| Das ist günstig.",
                  "Siehe Nr. 5 und Abb. 3 im Buch.| Dort steht es.",
                  {"Siehe Nr. 5 und Abb. 3.| Dort steht es.", whole_text | token_like_pieces},
                  "Es gibt Äpfel, Birnen usw. im Laden.",
                  "Sie sagte: „Ich komme.“| Dann ging sie.",
                  "Er sagte: »Ich komme.«| Dann ging er.",
                  "Prof. Dr. Lang hält die Rede.| Sie dauert lange.",
                  "Das ist gut.| Was meinst du?",
                  "Bis zum 31.12. ist offen.| Dann ist Schluss.",
                  "Es kostet max. 5 Euro.| Das ist wenig.",
                  "Es war 20 n. Chr. in Rom.| Das ist lange her.",
                  "Das sind ca. 3.000 Leute, d.h. zu viele.| Schade!",
              });
}

TEST(french, has_spaced_quotes_and_marks) {
    expect_sentences("fr", {
                               "Il a dit : « Je viens demain. »| Puis il est parti.",
                               "Comment allez-vous ?| Très bien !| Merci.",
                               "M. Dupont est là.| Il attend Mme Leroy.",
                               "Mme. Blanc arrive.| Elle est en retard.",
                               "« Entrez ! » dit-elle.| Il entra.",
                               "Voir p. 12 et fig. 3.| C’est clair.",
                               "Il est né en 50 av. J.-C. à Rome.| Il y vit.",
                               "Quoi ?!| Non.",
                               "Prix : 5 €.| Merci.",
                               "Achetez du pain, du lait, etc.| Merci bien.",
                           });
}

TEST(spanish, has_titles_and_inverted_marks) {
    expect_sentences("es", {
                               "El Sr. López llega hoy.| La Sra. Ruiz llega mañana.",
                               "¿Dónde está?| ¡Ya viene!",
                               "Vive en EE.UU. desde niño.| Le gusta.",
                               "Ud. puede pasar.| Gracias.",
                               "Nació en 50 a. C. en Roma.| Allí vive.",
                               "«Ya voy.»| Se fue.",
                               "Véase la pág. 7 del libro.| Es corta.",
                               "La Dra. Gil no está.| Vuelva mañana.",
                           });
}

TEST(italian, has_titles) {
    expect_sentences("it", {
                               "Il sig. Conti è qui.| La dott.ssa Neri arriva.",
                               "Vedi pag. 9 del libro.| È breve.",
                               "Ciao!| Come stai?",
                               "Il prof. Riva parla, ecc.| Poi tace.",
                           });
}

TEST(portuguese, has_titles) {
    expect_sentences("pt", {
                               "O Sr. Lima chegou.| A Sra. Reis não veio.",
                               "O Dr. Melo atende às 9.| Venha cedo.",
                               "Veja a pág. 3 do livro.| É curta.",
                               "Bom dia!| Tudo bem?",
                           });
}

TEST(russian, has_abbreviations) {
    expect_sentences("ru", {
                               "Он живёт на ул. Мира.| Она живёт рядом.",
                               "Это было в 1990 г. в Москве.| Я помню.",
                               "Купи хлеб, сыр и т. д. в магазине.",
                               "Купи хлеб, т. е. батон.| Спасибо.",
                               "А. С. Иванов писал стихи.| Их любят.",
                               "Где ты?| Я дома!",
                               "Это стоит 5 тыс. руб. в год.| Это мало.",
                               "См. рис. 3 на стр. 5.| Там всё есть.",
                           });
}

TEST(polish, has_abbreviations_and_ordinals) {
    expect_sentences("pl", {
                               "Dr. Nowak przyjmuje dziś.| Proszę czekać.",
                               "Weź np. jabłko.| Jest dobre.",
                               "Spotkamy się 12. maja.| Do zobaczenia.",
                               "Mieszka na ul. Długiej.| Znam go.",
                           });
}

TEST(dutch_and_swedish, have_abbreviations) {
    expect_sentences("nl", {
                               "Dhr. Visser is er.| Hij wacht.",
                               "Neem bijv. een appel.| Die is lekker.",
                               "Mevr. Jansen is er.| Zij wacht.",
                           });
    expect_sentences("sv", {
                               "Ta t.ex. ett äpple.| Det är gott.",
                               "Vi ses i morgon.| Hej då!",
                           });
}

TEST(czech_and_turkish, have_abbreviations) {
    expect_sentences("cs", {
                               "Vezmi např. jablko.| Je dobré.",
                               "Přijdu 5. května.| Počkej na mě.",
                           });
    expect_sentences("tr", {
                               "Dr. Yılmaz geldi.| Sizi bekliyor.",
                               "Bugün hava güzel.| Dışarı çıkalım mı?",
                           });
}

TEST(words_of_one_letter, end_sentences) {
    const auto expect = [](const char* language, const char* text) {
        expect_sentences(language, {{text, whole_text | token_like_pieces}});
    };
    expect("vi", "Mình hẹn lúc tám giờ ạ.| Bên em sẽ gọi.");
    expect("ru", "Да, это я.| Что вам нужно?");
    expect("ru", "Да, это я.| А кто вы?");
    expect("pt", "Sim, é.| Depois vemos.");
    expect("pt", "Sim, é.| E depois?");
    expect("fr", "Oui, il y en a.| Combien en voulez-vous ?");
    expect("it", "Sì, lo è.| Poi vediamo.");
    expect("hu", "Igen, az ő.| Most hívom.");
    expect("tr", "Evet, o.| Şimdi geliyor.");
    expect("sv", "Kom hit till vår ö.| Den är fin.");
    expect("el", "Ναι, αυτός ή.| Τότε πάμε.");
    expect("nl", "Dank u.| Tot ziens.");
}

TEST(abbreviations_of_one_letter, end_no_sentence) {
    expect_sentences("de", {
                               "Nimm z. B. einen Apfel, d. h. Obst u. Ä. im Haus.",
                               "Er kommt aus Freiburg i. Br. am Montag.",
                               "Der Ort heißt Neustadt a. d. Donau.",
                               "Siehe S. 5 und s. 12 im Buch.",
                           });
    expect_sentences("it", {"Nel 50 a. C. era qui."});
    expect_sentences("es", {"En el s. XIX era así."});
    expect_sentences("hu", {"A Kossuth u. 5 alatt lakik."});
    expect_sentences("ru", {"Он живёт в г. Москва у м. Киевская.", "Мы летим на о. Сахалин."});
    expect_sentences("pl", {"To powiedział o. Jan wczoraj."});
    expect_sentences("sv", {"Det var 500 e. Kr. i Rom."});
    expect_sentences("da", {"Det var 500 e. Kr. i Rom."});
}

TEST(common_words, end_sentences_though_they_look_like_abbreviations) {
    expect_sentences("vi", {"Em chào ông.| Ông cần gì?", "Em chào bà.| Bà cần gì?",
                            "Đây là một con số.| Anh nhớ nhé."});
    expect_sentences("ru", {{"Я помогу им.| Они ждут.", whole_text | token_like_pieces},
                            "Театр им. Пушкина закрыт.| Он далеко.",
                            {"Всё ок.| Мы едем.", whole_text | token_like_pieces},
                            {"Это пришло на ум.| Это так.", whole_text | token_like_pieces},
                            {"Тут много букв.| Но я читаю.", whole_text | token_like_pieces}});
    expect_sentences("pl", {{"Powiedz im.| Oni czekają.", whole_text | token_like_pieces},
                            {"Weź ten lek.| To pomoże.", whole_text | token_like_pieces},
                            "Szkoła im. Adama Nowaka jest tu.",
                            "Kosztuje ok. 20 zł.| Tak."});
    expect_sentences("de", {"Ich helfe dir.| Sag Bescheid.", "Danke, mein Herr.| Wie geht es?",
                            "Das ist Musik, die ich mag.| Sie ist gut.", "Mag. Huber ist da."});
    expect_sentences("fr", {"Il est six heures et quart.| Nous partons.",
                            {"C'est mon ex.| Il vient.", whole_text | token_like_pieces}});
    expect_sentences("it", {"Alle otto circa.| Poi vediamo."});
    expect_sentences("pt", {{"Ela tem um ex.| Ele vem.", whole_text | token_like_pieces}});
    expect_sentences("es", {"¿Vienes?| No.| Tengo trabajo.", "No. 5 es mi casa."});
    expect_sentences("tr", {{"Işığı yak.| Sonra gel.", whole_text | token_like_pieces},
                            {"Bunu gör.| Sonra gel.", whole_text | token_like_pieces}});
    expect_sentences("sv", {{"Hon är ung.| Hon bor här.", whole_text | token_like_pieces}});
    expect_sentences("id", {{"Ada banyak hal.| Kami bantu.", whole_text | token_like_pieces},
                            "Lihat hal. 5 di buku."});
}

TEST(hints, may_name_a_region) {
    expect_sentences("de-AT", {"Wir kommen am 3. Juni an.| Bis dann."});
    expect_sentences("DE_ch", {"Wir kommen am 3. Juni an.| Bis dann."});
    expect_sentences("en-GB", {"Mr. Cole is here.| He waits."});
    expect_sentences("pt-BR", {"O Sr. Lima chegou.| Ele espera."});
}

TEST(hints, of_unknown_languages_do_no_harm) {
    expect_sentences("xx", {"It is late.| Dr. Cole went home."});
    expect_sentences("tlh-Latn", {"It is late.| We went home."});
    expect_sentences("-", {"It is late.| We went home."});
}

TEST(scripts, choose_the_language_without_a_hint) {
    expect_sentences({
        "Он живёт на ул. Мира.| Она живёт рядом.",
        "डॉ. शर्मा आज आएंगे।| आप रुकिए।",
        "Πού είσαι;| Είμαι σπίτι.",
    });
}

TEST(scripts, of_a_few_letters_do_not_change_the_language) {
    expect_sentences({
        "The area is πr² here.| Ask Dr. Cole about it.| He knows.",
        "The angles are α and β in this case.| Mr. Bell measured them.",
        "In Russian one says «Как дела» to friends.| Ask Dr. Cole about it.",
        "Я купил iPhone 15 на ул. Мира вчера.| Он новый.",
    });
}

TEST(scripts, change_the_language_with_the_text) {
    expect_sentences({
        "Here it is in Russian.|\nСегодня мы гуляли весь день и очень устали.| Он живёт на ул. "
        "Мира.| Она рядом.",
    });
}

}  // namespace
}  // namespace tandem::text
