#include "line_input/line_editor.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace tandem::command {
namespace {

bool has_default_action(int signal) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler == SIG_DFL;
}

// The editor's terminal is not the controlling terminal of this process, so tcgetpgrp() fails.
class a_line_editor : public ::testing::Test {
 protected:
    a_line_editor() : old_term_(set_term("xterm")) {}
    ~a_line_editor() override {
        set_term(old_term_);
        ::close(slave_);
        ::close(master_);
    }

    void type(std::string_view keys) const {
        ASSERT_EQ(::write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
    }

    static std::string set_term(const std::string& term) {
        const char* before = std::getenv("TERM");
        std::string old = before ? before : "";
        ::setenv("TERM", term.c_str(), 1);
        return old;
    }
    static int open_slave(int master) {
        ::grantpt(master);
        ::unlockpt(master);
        return ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    }

    const std::string old_term_;
    const int master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const int slave_ = open_slave(master_);
    boost::asio::io_context ioc_;
    terminal screen_{slave_, slave_};
};

TEST_F(a_line_editor, needs_no_controlling_terminal) {
    line_editor editor(ioc_, screen_, slave_, slave_);
    std::string came;
    editor.on_line([&](const line_read_result& l) {
        came = l.text;
        editor.stop();
    });
    editor.request_line();
    type("two words\r");
    ioc_.run();
    EXPECT_EQ(came, "two words");
}

TEST_F(a_line_editor, reports_a_line_while_it_is_typed_but_not_that_it_was_entered) {
    line_editor editor(ioc_, screen_, slave_, slave_);
    std::string last;
    editor.on_change([&](const std::string& line) {
        last = line;
        if (line == "one") type("\r");
    });
    editor.on_line([&](const line_read_result&) { editor.stop(); });
    editor.request_line();
    type("one");
    ioc_.run();
    EXPECT_EQ(last, "one");
}

TEST_F(a_line_editor, that_is_stopped_leaves_ctrl_z_to_the_system) {
    if (!has_default_action(SIGTSTP)) GTEST_SKIP() << "Ctrl-Z is ignored here";
    line_editor editor(ioc_, screen_, slave_, slave_);
    editor.on_line([](const line_read_result&) {});
    editor.request_line();
    EXPECT_FALSE(has_default_action(SIGTSTP));
    editor.stop();
    EXPECT_TRUE(has_default_action(SIGTSTP));
}

TEST_F(a_line_editor, has_a_line_that_stays_as_it_is_if_too_much_would_be_put_back) {
    edited_line line(slave_, slave_);
    ASSERT_TRUE(line.is_supported());
    line.begin_keys();
    line.insert("\xC3\xA9t\xC3\xA9");
    line.press({.what = typed_key::kind::erase_to_start});
    EXPECT_TRUE(line.insert_erased_text(5));
    EXPECT_EQ(line.text(), "\xC3\xA9t\xC3\xA9");
    line.press({.what = typed_key::kind::left});
    EXPECT_FALSE(line.insert_erased_text(9)) << "ten bytes";
    line.insert("-");
    EXPECT_EQ(line.text(), "\xC3\xA9t-\xC3\xA9") << "the cursor stays, too";
}

}  // namespace
}  // namespace tandem::command
