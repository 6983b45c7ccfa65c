#include "integration/mock_fixture.hpp"
#include "loop/strand_scope.hpp"
#include "server/server_link.hpp"

#include <memory>
#include <vector>

// How the client learns the beginning of a tool call from the server's chat template.
namespace tandem::testing {
namespace {

using detail::server_link;
using ::testing::Contains;

struct learned {
    error_code ec;
    server::template_marks marks;
};

class call_mark_of_server : public client_and_mock {
 protected:
    call_mark_of_server() { server_options.tool_template = true; }

    void start() {
        client_and_mock::start();
        link = server_link::make(
            std::make_shared<detail::strand_scope>(loop.ioc.get_executor(), log.logger()), config,
            instruments, detail::slot_defaults{});
    }
    /// Requests the marks `times` times at once, and returns all answers.
    std::vector<learned> load(
        std::size_t times = 1,
        decltype(&server_link::load_tool_call_mark) what = &server_link::load_tool_call_mark) {
        std::vector<learned> all;
        for (std::size_t i = 0; i < times; ++i)
            ((*link).*what)([&](error_code ec, const diagnostics&, const auto& marks) {
                all.push_back({ec, marks});
            });
        EXPECT_TRUE(loop.run_until([&] { return all.size() == times; }));
        return all;
    }
    /// Requests only the marks around the words of a reply.
    learned load_words() { return load(1, &server_link::load_word_marks).front(); }
    std::size_t renderings() const { return server->observe().of_path("/apply-template").size(); }

    std::shared_ptr<server_link> link;
};

TEST_F(call_mark_of_server, is_learned_once) {
    start();
    for (int i = 0; i < 3; ++i) {
        const auto answer = load().front();
        EXPECT_FALSE(answer.ec);
        EXPECT_EQ(answer.marks.opening, "<tool_call>");
        EXPECT_THAT(answer.marks.preserved, Contains("</tool_call>"));
        EXPECT_TRUE(answer.marks.end_token);
    }
    EXPECT_EQ(renderings(), 3u) << "one for each probe";
    EXPECT_EQ(server->observe().of_path("/tokenize").size(), 1u);
}

TEST_F(call_mark_of_server, is_one_answer_for_all_who_wait) {
    start();
    for (const auto& answer : load(5)) EXPECT_EQ(answer.marks.opening, "<tool_call>");
    EXPECT_EQ(renderings(), 3u);
}

TEST_F(call_mark_of_server, is_empty_for_a_template_without_calls) {
    server_options.tool_template = false;
    start();
    EXPECT_FALSE(load().front().ec);
    EXPECT_EQ(load().front().marks, server::template_marks());
    EXPECT_EQ(renderings(), 3u);
}

TEST_F(call_mark_of_server, is_empty_for_a_server_without_templates) {
    server_options.has_chat_template = false;
    start();
    EXPECT_FALSE(load().front().ec);
    EXPECT_EQ(load().front().marks, server::template_marks());
}

TEST_F(call_mark_of_server, is_asked_for_again_after_the_server_rendered_nothing) {
    for (const int status : {400, 500}) {
        server_options.faults = {{.kind = mock::fault_kind::http_error,
                                  .times = status == 500 ? 6 : 3,
                                  .path = "/apply-template",
                                  .status = status}};
        start();
        EXPECT_TRUE(load().front().ec) << status;
        EXPECT_EQ(load().front().marks.opening, "<tool_call>") << status;
    }
}

TEST_F(call_mark_of_server, is_found_even_if_the_template_rejects_one_probe) {
    server_options.faults = {{.kind = mock::fault_kind::http_error, .path = "/apply-template"}};
    start();
    EXPECT_EQ(load().front().marks.opening, "<tool_call>");
}

TEST_F(call_mark_of_server, is_an_error_that_is_not_kept_if_the_connection_breaks) {
    server_options.faults = {{.kind = mock::fault_kind::reset, .path = "/apply-template"}};
    start();
    for (const auto& answer : load(2)) {
        EXPECT_EQ(answer.ec, errc::stream_incomplete);
        EXPECT_EQ(answer.marks, server::template_marks());
    }
    EXPECT_EQ(load().front().marks.opening, "<tool_call>");
}

TEST_F(call_mark_of_server, is_an_error_if_the_server_cannot_be_reached) {
    start();
    server->stop();
    EXPECT_EQ(load().front().ec, errc::connect_failed);
}

TEST_F(call_mark_of_server, is_learned_again_from_another_model) {
    start();
    EXPECT_EQ(load().front().marks.opening, "<tool_call>");
    server_options.port = server->port();
    server_options.tool_template = false;
    server->stop();
    server.emplace(server_options);
    link->on_request_failed({errc::connect_failed, {}});  // makes the link request /props again
    EXPECT_EQ(load().front().marks, server::template_marks());
}

TEST_F(call_mark_of_server, is_kept_if_the_same_model_returns) {
    start();
    load();
    const auto before = renderings();
    link->on_request_failed({errc::connect_failed, {}});
    EXPECT_EQ(load().front().marks.opening, "<tool_call>");
    EXPECT_EQ(renderings(), before);
    EXPECT_EQ(server->observe().of_path("/props").size(), 2u);
}

TEST_F(call_mark_of_server, takes_one_probe_if_only_the_words_may_have_marks) {
    start();
    for (int i = 0; i < 2; ++i) {
        const auto answer = load_words();
        EXPECT_FALSE(answer.ec);
        EXPECT_EQ(answer.marks, server::template_marks());
    }
    EXPECT_EQ(renderings(), 1u);
}

TEST_F(call_mark_of_server, is_asked_for_again_at_once_after_a_500) {
    server_options.faults = {{.kind = mock::fault_kind::http_error, .path = "/apply-template"}};
    start();
    EXPECT_FALSE(load_words().ec);
    EXPECT_EQ(renderings(), 2u);
    EXPECT_FALSE(load_words().ec);
    EXPECT_EQ(renderings(), 2u) << "known";
}

TEST_F(call_mark_of_server, is_none_if_the_server_answers_500_twice) {
    server_options.faults = {
        {.kind = mock::fault_kind::http_error, .times = 2, .path = "/apply-template"}};
    start();
    for (int i = 0; i < 2; ++i) {
        EXPECT_FALSE(load_words().ec);
        EXPECT_EQ(renderings(), 2u) << "a template's own error stays";
    }
}

TEST_F(call_mark_of_server, does_not_include_marks_of_words_if_there_is_no_template) {
    server_options.has_chat_template = false;
    start();
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(load_words().ec);
    EXPECT_EQ(renderings(), 1u);
}

TEST_F(call_mark_of_server, is_an_error_for_all_who_wait_when_the_link_shuts_down) {
    server_options.faults = {
        {.kind = mock::fault_kind::slow_headers, .duration = 10s, .path = "/apply-template"}};
    start();
    std::vector<error_code> ends;
    for (int i = 0; i < 2; ++i)
        link->load_tool_call_mark([&](error_code ec, const diagnostics&,
                                      const server::template_marks&) { ends.push_back(ec); });
    EXPECT_TRUE(loop.run_until([&] { return renderings() == 1; }));
    link->shut_down(errc::client_destroyed);
    EXPECT_EQ(ends, std::vector<error_code>(2, errc::client_destroyed));
    EXPECT_EQ(load().front().ec, errc::client_destroyed);
}

}  // namespace
}  // namespace tandem::testing
