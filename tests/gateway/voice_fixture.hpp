#pragma once

#include "gateway/gateway_fixture.hpp"
#include "gateway/voice_client.hpp"

#include <string>

namespace tandem::testing {

/// A gateway with clients of its voice WebSocket.
class voice_gateway : public a_gateway {
 protected:
    voice_gateway() {
        options.service.client.failover.retries = 0;
        answers_with("And you?", "Fine. Thanks. And well rested.");
        answers_with("Long", [] {
            std::string words;
            for (int i = 0; i < 400; ++i) words += "All is well here. ";
            return words;
        }());
    }

    voice_client voice() { return voice_client(port); }
    static json start_of(const std::string& text) { return {{"type", "start"}, {"text", text}}; }
    static json spoken(const json& chunk) { return {{"type", "continue"}, {"chunk", chunk["id"]}}; }
    /// Continues after each chunk, and returns the message that ends the reply.
    static json listen(voice_client& c, std::string& text) {
        for (;;) {
            const auto m = c.read();
            if (!m.is_null() && m["type"] == "ready") continue;
            if (m.is_null() || m["type"] != "chunk") return m;
            text += m["text"];
            c.say(spoken(m));
        }
    }
    static json listen(voice_client& c) {
        std::string ignored;
        return listen(c, ignored);
    }
};

}  // namespace tandem::testing
