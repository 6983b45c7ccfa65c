#pragma once

#include "voice_session_driver.hpp"

#include <string>
#include <utility>
#include <vector>

// Sessions whose replies call functions.
namespace tandem::gateway {

inline constexpr voice_socket phone = 7;
inline constexpr voice_socket next_phone = 8;

inline const std::string with_tools =
    R"({"type":"start","turn":"t","text":"Time?","options":{"tools":[{"function":{"name":"clock"}}]}})";
inline const std::string resumed_session = R"({"type":"start","session":"s-1"})";
inline const std::string pause = R"({"type":"interrupt"})";
inline const std::string resume = R"({"type":"resume","turn":"u"})";
inline const std::string more_words = R"({"type":"start","text":"Never mind"})";

inline const tool_call clock_call{.id = "a", .name = "clock", .arguments = R"({"zone":"UTC"})"};
inline const tool_call table_call{.id = "b", .name = "table", .arguments = "{}"};

inline std::string result(const std::string& call, const std::string& content) {
    return R"({"type":"result","call":")" + call + R"(","content":")" + content + "\"}";
}
inline std::string kept_result(const std::string& call, const std::string& content) {
    return R"({"type":"result","keep":true,"call":")" + call + R"(","content":")" + content + "\"}";
}
inline std::string comes_later(const std::string& call) {
    return R"({"type":"result","later":true,"call":")" + call + "\"}";
}

struct session_with_tools : voice_session_driver {
    explicit session_with_tools(voice_setup setup = defaults())
        : voice_session_driver(std::move(setup)) {
        attach(phone, with_tools);
        sent(phone);
    }
};

// The voice is speaking the first chunk, and two calls have followed it.
struct calling : session_with_tools {
    calling() {
        chunk(1, 0, "One moment. ");
        sent(phone);
        asked();
        call(1, {clock_call, table_call}, 0);
    }
};

// The calling reply has ended, and the voice has spoken its chunk.
struct waiting_for_results : calling {
    waiting_for_results() {
        say(phone, R"({"type":"continue","chunk":"1-0"})");
        end_with_calls(1, {clock_call, table_call});
        sent(phone);
        asked();
    }
};

// The calling reply has ended, but the voice is still speaking its chunk.
struct speaking_before_calls : calling {
    speaking_before_calls() {
        end_with_calls(1, {clock_call, table_call});
        sent(phone);
        asked();
    }
    // Returns the words in the chunks since the last call.
    std::vector<std::string> spoken(voice_socket socket) {
        std::vector<std::string> words;
        for (const auto& m : sent(socket))
            if (m["type"] == "chunk") words.push_back(m["speech"]);
        return words;
    }
};

}  // namespace tandem::gateway
