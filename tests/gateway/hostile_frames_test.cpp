// WebSocket frames that only hostile or broken clients send.

#include "gateway/voice_fixture.hpp"
#include "gateway/websocket_frames.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;

// The payload of a close frame with this code.
std::string close_frame(int code) {
    return std::string(1, static_cast<char>(code >> 8)) + static_cast<char>(code & 0xff);
}

// Without this frame, the gateway waits 5 s for the end of the closing handshake.
const std::string goodbye = frame(close_frame(1000), {.what = opcode::close});

class attacked_voice : public voice_gateway {
 protected:
    attacked_voice() { options.voice.message_bytes = 4096; }
    /// Lets another client start a dialogue before the attacker connects.
    void start() {
        voice_gateway::start();
        other_.emplace(port);
        other_->say(start_of("Hello!"));
        ASSERT_EQ(other_->read("chunk")["type"], "chunk");
        attacker_.emplace(port);
        attacker_->send(upgrade_request());
        ASSERT_TRUE(attacker_->read_until("\r\n\r\n"));
    }
    std::string what_comes_of(const std::string& bytes) {
        attacker_->send(bytes);
        return attacker_->read_to_end();
    }
    void expect_that_others_are_served() {
        other_->say({{"type", "continue"}, {"chunk", "1-0"}});
        EXPECT_EQ(listen(*other_)["finish_reason"], "eos");
    }
    http_client& attacker() { return *attacker_; }

 private:
    std::optional<voice_client> other_;
    std::optional<http_client> attacker_;
};

struct bad_frame {
    const char* name;
    std::string sent;
    int code;
};
class bad_frames : public attacked_voice, public ::testing::WithParamInterface<bad_frame> {};

TEST_P(bad_frames, close_their_own_socket_alone) {
    start();
    EXPECT_THAT(what_comes_of(GetParam().sent), HasSubstr(close_frame(GetParam().code)));
    expect_that_others_are_served();
}

INSTANTIATE_TEST_SUITE_P(
    table, bad_frames,
    ::testing::Values(
        bad_frame{"without_a_mask", frame("{}", {.is_masked = false}), 1002},
        bad_frame{"with_reserved_bits", frame("{}", {.reserved = 4}), 1002},
        bad_frame{"of_no_kind", frame("{}", {.what = opcode{5}}), 1002},
        bad_frame{"of_no_control_kind", frame("", {.what = opcode{11}}), 1002},
        bad_frame{"that_continue_nothing", frame("{}", {.what = opcode::more}), 1002},
        bad_frame{"between_parts_of_another", frame("{", {.is_last = false}) + frame("}"), 1002},
        bad_frame{"that_are_too_large", frame(std::string(5000, ' ')) + goodbye, 1009},
        bad_frame{"of_a_size_beyond_all_memory",
                  head_of_frame({}, ~std::uint64_t{0} >> 1) + std::string(5000, ' '), 1009},
        bad_frame{"with_a_ping_in_parts", frame("", {.what = opcode::ping, .is_last = false}),
                  1002},
        bad_frame{"with_a_ping_that_is_too_large",
                  frame(std::string(126, 'x'), {.what = opcode::ping}), 1002},
        bad_frame{"that_are_no_utf8", frame("\"\xff\""), 1007},
        bad_frame{"with_half_a_close_code", frame("\x03", {.what = opcode::close}), 1002},
        bad_frame{"with_a_close_code_that_is_none",
                  frame(close_frame(999), {.what = opcode::close}), 1002},
        bad_frame{"with_a_close_code_that_is_never_sent",
                  frame(close_frame(1005), {.what = opcode::close}), 1002}),
    [](const auto& row) { return row.param.name; });

TEST_F(attacked_voice, refuses_a_message_in_parts_without_end) {
    start();
    std::string parts = frame("{", {.is_last = false});
    for (int i = 0; i < 100; ++i)
        parts += frame(std::string(100, ' '), {.what = opcode::more, .is_last = false});
    EXPECT_THAT(what_comes_of(parts + goodbye), HasSubstr(close_frame(1009)));
    expect_that_others_are_served();
}

TEST_F(attacked_voice, gives_up_a_message_in_parts_that_are_empty) {
    options.read_timeout = 2s;
    start();
    std::string parts = frame("{", {.is_last = false});
    for (int i = 0; i < 1000; ++i) parts += frame("", {.what = opcode::more, .is_last = false});
    what_comes_of(parts);
    expect_that_others_are_served();
}

TEST_F(attacked_voice, serves_others_in_a_flood_of_pings) {
    start();
    std::string pings;
    for (int i = 0; i < 10'000; ++i) pings += frame("ping", {.what = opcode::ping});
    attacker().send(pings);
    expect_that_others_are_served();
    attacker().send(frame(close_frame(1000), {.what = opcode::close}));
    EXPECT_THAT(attacker().read_to_end(), HasSubstr("ping"));
}

}  // namespace
