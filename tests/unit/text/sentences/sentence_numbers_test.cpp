#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(decimals, are_not_divided) {
    expect_sentences({
        "Pi is about 3.14159 or so.| It never ends.",
        "The rate rose to 2.5 percent.| It may rise again.",
        "It grew by .5 percent.",
        "He got 9.8.| She got 9.9.",
        "Take 1.5 cups.| Add 0.25 more.",
    });
}

TEST(numbers, end_sentences) {
    expect_sentences({
        "The total is 42.| That is all.",
        "She was born in 1987.| He came later.",
        "We need 1,500.| Can you pay?",
        "Turn to page 7.| Read it aloud.",
        "There were 12.| Now there are 9.",
        "It happened in 2001.| 500 people saw it.",
        "The score was 3-2.| We won.",
        "Read chapter 1.| The start is slow.",
        "Take road I-95.| Turn left.",
        "It was minus 5.| We froze.",
    });
}

TEST(numbers_of_headings, end_no_sentence) {
    expect_sentences({
        "Step 1. Unplug the router.| Step 2. Wait a minute.",
        "Chapter 1. The boy who lived.",
        "No. 5. Chanel's best.",
        "Sc. 1. Shakespeare opens with a storm.",
        "Read chapter 1.| The start is slow.",
    });
    expect_sentences("fr", {"Étape 3. Ouvrez la porte.| C'est tout."});
    expect_sentences("es", {"Paso 1. Abra la puerta.| Eso es todo."});
    expect_sentences("de", {"Nr. 1. Das ist der beste.", "Schritt 2. Das Wasser kocht.| Gut."});
    expect_sentences("zh", {"第1步. 打开门。|第2步. 关门。"});
}

TEST(amounts, keep_their_number) {
    expect_sentences({
        "The temperature is max. 10 degrees.| It is cold.",
        "Max. 10 kg.| Nothing more.",
        "You need min. 3 eggs.| Beat them.",
        "It uses avg. 20 watts.",
        "It took 10 min.| Then we left.",
    });
}

TEST(prices, are_not_divided) {
    expect_sentences({
        "It costs $4.99 today.| That is cheap.",
        "The bill is €12.50.| Pay at the desk.",
        "She paid £1,200.75 for it.| He paid less.",
        "You owe me $20.| Pay soon.",
        "They want $5.| $3 is enough.",
        "That is $2.5 million.| Wow!",
    });
}

TEST(versions, are_not_divided) {
    expect_sentences({
        "Use version 2.4.1 of it.| It is faster.",
        "I run Python 3.11.| It works.",
        "Install v1.2.3-beta first.| Then restart.",
        "The server is at 192.168.0.1.| Try it.",
    });
}

TEST(dates, are_not_divided) {
    expect_sentences({
        "It is due on 12.05.2024.| Hurry up.",
        "We met on 3/4/2021.| It snowed.",
        "It opened on May 4, 1999.| I was there.",
    });
}

TEST(times, are_not_divided) {
    expect_sentences({
        "We open at 9 a.m. and close at 5 p.m. every day.",
        "The train leaves at 6:45 p.m. from here.| Be quick.",
        "Come at 10.30 tomorrow.| Bring food.",
        "Meet me at 7 p.m.| I will be there.",
        "It starts at 8 a.m.| Do not be late.",
        "It starts at 12:30.| Do not be late.",
    });
}

TEST(times, hold_their_day_and_zone) {
    expect_sentences({
        {"It starts at 3 p.m. Monday in the hall.", whole_text | token_like_pieces},
        {"The call is at 9 a.m. Eastern time.", whole_text | token_like_pieces},
        {"Join us at 4 p.m. EST for tea.", whole_text | token_like_pieces},
    });
}

TEST(urls, are_not_divided) {
    expect_sentences({
        "Go to www.example.com for more.| It is free.",
        "See https://docs.example.org/v1.2/index.html now.| Then decide.",
        "Visit example.co.uk today.| You will like it.",
        "Our page is at http://a.example/?q=1.2&r=3 and works.",
        "Read it on example.org.| It is short.",
        "We love Example.com a lot.",
    });
}

TEST(e_mail_addresses, are_not_divided) {
    expect_sentences({
        "Write to ann.lee@example.com please.| We reply fast.",
        "My address is bo@mail.example.net.| Use it.",
        {"Mail first.last@a.b.example.org or call.", whole_text | characters | random_pieces},
    });
}

TEST(files, are_not_divided) {
    expect_sentences({
        "Open main.cpp and look.| It is short.",
        "Run setup.py first.| Then wait.",
        "Edit config.yaml.| Save it.",
        "It is in /etc/app/app.conf on the host.",
        "The file notes.v2.txt is gone.",
        "We use Node.js here.| It is fine.",
        "Look at report.pdf.| It is long.",
        {"Please send the résumé.pdf now.| It is late.", characters},
    });
}

TEST(numbers_in_lists, end_no_sentence) {
    expect_sentences({
        "1. Boil the water.|\n2. Add the rice.|\n3. Wait.",
        "1) Boil the water.|\n2) Add the rice.",
        "Do this:|\n1. Open the box.|\n2. Read the note.",
        "a. First pick one.|\nb. Then pick another.",
        "A. Red|\nB. Blue",
        "10. Close the lid.|\n11. Clean up.",
    });
}

}  // namespace
}  // namespace tandem::text
