#include "terminal/color.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace tandem::command {

bool is_color_enabled(color_choice choice, const terminal& t) {
    if (choice != color_choice::automatic) return choice == color_choice::always;
    const char* no_color = std::getenv("NO_COLOR");
    return t.out_is_terminal() && !(no_color && *no_color);
}

std::string colorize(bool color, const char* paint, std::string_view text) {
    return color ? fmt::format("{}{}\x1b[0m", paint, text) : std::string(text);
}

}  // namespace tandem::command
