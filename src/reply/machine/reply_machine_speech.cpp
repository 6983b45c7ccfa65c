#include "reply/machine/reply_machine.hpp"
#include "text/sentences/trim_to_speakable.hpp"

// The spoken form of chunks.
namespace tandem::detail {

std::string reply_machine::speech_of(text::speech_cleaner& cleaner, const std::string& said) const {
    return rules_.speech == speech_form::clean ? text::trim_to_speakable(cleaner.clean(said))
                                               : said;
}

std::optional<std::string> reply_machine::upcoming_speech() const {
    const auto* c = delivery_.next_chunk();
    if (!c) return std::nullopt;
    auto cleaner = cleaner_;
    return speech_of(cleaner, c->text);
}

}  // namespace tandem::detail
