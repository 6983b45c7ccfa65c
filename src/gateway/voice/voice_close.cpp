#include "gateway/voice/voice_close.hpp"

namespace tandem::gateway {

std::string_view to_string(voice_close why) noexcept {
    switch (why) {
        case voice_close::done:
            return "the session has ended";
        case voice_close::no_text:
            return "messages are text";
        case voice_close::too_large:
            return "the message is too large";
        case voice_close::broken:
            return "an error in the gateway";
        case voice_close::restarting:
            return "the gateway is stopping";
        case voice_close::taken_over:
            return "another connection resumed the session";
        case voice_close::silent:
            return "the client is silent";
        case voice_close::moved:
            return "the gateway is stopping; reconnect to continue the session";
        case voice_close::too_many_messages:
            return "too many messages";
    }
    return {};
}

}  // namespace tandem::gateway
