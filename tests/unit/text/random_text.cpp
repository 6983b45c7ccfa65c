#include "random_text.hpp"

namespace tandem::text {
namespace {

constexpr std::string_view parts[] = {"a",     " the",   " The",
                                      "word",  " word",  " Dr",
                                      " U",    "S",      " I",
                                      " etc",  " No",    " e.g.",
                                      " p.m.", " Inc.",  "1",
                                      " 42",   "12",     ".",
                                      ".",     ".",      "!",
                                      "?",     "...",    "?!",
                                      "…",     "。",     "！",
                                      "।",     "۔",      ":",
                                      ";",     ",",      "\"",
                                      " \"",   "“",      "”",
                                      "'",     "‘",      "’",
                                      "«",     "»",      "「",
                                      "」",    "(",      ")",
                                      " [",    "]",      "**",
                                      "*",     "_",      "`",
                                      "```",   "<",      "</p>",
                                      ">",     " ",      "  ",
                                      "\n",    "\n\n",   "\n- ",
                                      "\n1.",  "\r\n",   "# ",
                                      " –",    " - ",    "😀",
                                      " 🎉",    "❤️", "👨‍👩‍👧",
                                      "$5",    "€",      "¿",
                                      "我",    "です",   "은",
                                      "हाँ",    "ждём",   " Он",
                                      "Ωδε",   "www.",   "a@b",
                                      "/x.y",  "é",      "\u00A0",
                                      "ß",     " ‹",     "＜",
                                      "・"};

}  // namespace

std::string random_text::token() {
    std::string made;
    for (auto n = 1 + below(10) / 8 + below(10) / 9; n > 0; --n)
        made += parts[below(std::size(parts))];
    return made;
}

std::vector<std::string> random_text::tokens(std::size_t most) {
    std::vector<std::string> list(below(most));
    for (auto& t : list) t = token();
    return list;
}

std::string random_text::bytes(std::size_t most) {
    std::string made;
    for (auto n = below(most); n > 0; --n) {
        if (below(4) == 0)
            made += token();
        else
            made += static_cast<char>(below(256));
    }
    return made;
}

}  // namespace tandem::text
