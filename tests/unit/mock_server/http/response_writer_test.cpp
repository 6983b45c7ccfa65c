#include "http/response_writer.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

using kind = socket_action::kind;
using std::chrono::milliseconds;

// The socket actions in order: written bytes in quotes, with HEAD in place of the headers, and the
// other actions by name.
std::string told(response_writer& w) {
    std::string text;
    for (socket_action& a : w.take_actions()) {
        const std::size_t head_end = a.bytes.find("\r\n\r\n");
        if (a.bytes.compare(0, 5, "HTTP/") == 0) a.bytes.replace(0, head_end + 4, "HEAD ");
        switch (a.what) {
            case kind::write:
                text += "'" + a.bytes + "'";
                break;
            case kind::pause:
                text += " pause " + std::to_string(a.duration.count());
                break;
            case kind::finish:
                text += " finish";
                break;
            case kind::close:
                text += " close";
                break;
            case kind::reset:
                text += " reset";
                break;
        }
    }
    return text;
}

// The actions for a stream of three events of four bytes each: tokens 1 and 2, and the final event.
std::string streamed(std::optional<fault> f) {
    response_writer w(true, std::move(f));
    w.begin_event_stream();
    w.write_event("one.", 1, false);
    w.write_event("two.", 2, false);
    w.write_event("end.", 2, true);
    w.end_event_stream();
    return told(w);
}

std::string replied(std::optional<fault> f) {
    response_writer w(true, std::move(f));
    w.write_reply({200, "{\"a\":1}"});
    return told(w);
}

#define ONE "4\r\none.\r\n"
#define TWO "4\r\ntwo.\r\n"
#define END "4\r\nend.\r\n"
#define LAST "0\r\n\r\n"

TEST(response_writer, sends_events_as_chunks) {
    EXPECT_EQ(streamed({}), "'HEAD " ONE TWO END LAST "' finish");
}

TEST(response_writer, plays_faults_in_a_stream) {
    const struct {
        fault what;
        std::string told;
    } table[] = {
        {{.kind = fault_kind::reset}, "'HEAD " ONE "' reset"},
        {{.kind = fault_kind::reset, .at_token = 0}, "'HEAD ' reset"},
        {{.kind = fault_kind::reset, .at_token = -1}, "'HEAD " ONE TWO "' reset"},
        {{.kind = fault_kind::reset, .at_token = 99}, "'HEAD " ONE TWO "' reset"},
        {{.kind = fault_kind::reset, .at_byte = 5}, "'HEAD " ONE "1\r\nt\r\n' reset"},
        {{.kind = fault_kind::close}, "'HEAD " ONE "' close"},
        {{.kind = fault_kind::half_event}, "'HEAD " ONE "2\r\ntw\r\n' close"},
        {{.kind = fault_kind::half_event, .duration = milliseconds(7)},
         "'HEAD " ONE "2\r\ntw\r\n' pause 7'2\r\no.\r\n" END LAST "' finish"},
        {{.kind = fault_kind::garbage, .text = "??"},
         "'HEAD " ONE "2\r\n??\r\n" TWO END LAST "' finish"},
        {{.kind = fault_kind::no_final}, "'HEAD " ONE LAST "' finish"},
        {{.kind = fault_kind::no_final, .at_token = -1}, "'HEAD " ONE TWO LAST "' finish"},
        {{.kind = fault_kind::slow_headers, .duration = milliseconds(7)},
         " pause 7'HEAD " ONE TWO END LAST "' finish"},
        {{.kind = fault_kind::stall, .at_byte = 4, .duration = milliseconds(7)},
         "'HEAD " ONE "' pause 7'" TWO END LAST "' finish"},
    };
    for (const auto& row : table) EXPECT_EQ(streamed(row.what), row.told);
}

TEST(response_writer, plays_faults_in_an_answer_of_one_piece) {
    const struct {
        fault what;
        std::string told;
    } table[] = {
        {{.kind = fault_kind::reset}, " reset"},
        {{.kind = fault_kind::close}, " close"},
        {{.kind = fault_kind::no_final}, " close"},
        {{.kind = fault_kind::half_event}, "'HEAD {\"a' close"},
        {{.kind = fault_kind::close, .at_byte = 1}, "'HEAD {' close"},
        {{.kind = fault_kind::garbage, .text = "??"}, "'??HTTP/1.1 200 OK"},
        {{.kind = fault_kind::stall}, " pause 0'HEAD {\"a\":1}' finish"},
    };
    for (const auto& row : table) {
        EXPECT_EQ(replied(row.what).substr(0, row.told.size()), row.told);
    }
}

TEST(response_writer, says_whether_the_connection_stays_open) {
    for (const bool keep_alive : {true, false}) {
        response_writer w(keep_alive, {});
        w.write_reply({200, ""});
        const std::string head = w.take_actions().at(0).bytes;
        EXPECT_EQ(head.find("Connection: close") == head.npos, keep_alive);
        EXPECT_EQ(head.find("Keep-Alive: timeout=5, max=100") != head.npos, keep_alive);
    }
}

}  // namespace
}  // namespace tandem::mock
