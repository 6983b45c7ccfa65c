#include "replay_fixture.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <unistd.h>

// Records a chat, and replays it without its server.
namespace tandem::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class chat_recording : public replay_test {
 protected:
    chat_recording() {
        mock::options o;
        o.replies = {{ending("moon"), moon}, {ending("count"), "One. Two. Three."}};
        start_server(std::move(o));
    }
    ~chat_recording() override {
        for (const auto& file : {file_, older_file()}) std::remove(file.c_str());
    }

    std::string older_file() const { return file_ + ".old"; }
    void write_older() const { std::ofstream(file_) << older; }

    static std::string ending(const std::string& said) {
        return said + "<|im_end|>\n<|im_start|>assistant\n";
    }
    std::vector<std::string> chat_args(const std::string& file,
                                       const std::vector<std::string>& more = {}) const {
        std::vector<std::string> all{
            "chat", "--json",           "--url", server_->url(),  "--tts", "none",     "--speed",
            "450",  "--sentence-pause", "0",     "--reuse-guard", "0",     "--record", file};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    finished_run talk(const std::string& lines, const std::string& file,
                      const std::vector<std::string>& more = {}) const {
        return finished(child_process(program, {.args = chat_args(file, more), .input = lines}));
    }
    finished_run play() {
        server_.reset();
        return finished(child_process(
            program, {.args = {"replay", "--json", "--speed", "max", "--from-recording", file_}}));
    }
    std::string recorded() const { return text_of(file_); }
    static std::string text_of(const std::string& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static finished_run finished(child_process child) {
        auto end = child.wait();
        return {end.status, std::move(end.out), std::move(end.err)};
    }
    static std::vector<std::string> texts_of(const std::vector<json>& events) {
        std::vector<std::string> texts;
        for (const auto& e : events) texts.push_back(e["text"]);
        return texts;
    }

    static constexpr const char* older = R"({"ms":0.0,"recording":1})";
    static constexpr const char* moon = "We went out and saw the moon.";
    // Limits files to 1 KiB. The trap ignores the signal, so that the write fails instead.
    static constexpr const char* limits_files = R"(trap '' XFSZ; ulimit -f 2; exec "$0" "$@")";

    const std::string file_ =
        ::testing::TempDir() + "chat_recording." + std::to_string(::getpid()) + ".rec";
};

TEST_F(chat_recording, is_played_to_what_was_said) {
    const auto first = talk("count\nmoon\n", file_);
    EXPECT_EQ(first.status, 0) << first.err;
    const auto again = play();
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(texts_of(again.events("end")), (std::vector<std::string>{"One. Two. Three.", moon}));
}

TEST_F(chat_recording, has_the_settings_of_the_talk) {
    const auto first = talk("moon\n", file_, {"--chunk-max-tokens", "2", "--pacing", "ahead"});
    EXPECT_EQ(texts_of(play().events("chunk")), texts_of(first.events("chunk")));
}

TEST_F(chat_recording, may_be_without_what_the_user_said) {
    const auto first = talk("moon\n", file_, {"--record-no-prompts", "--system", "Be a zebra."});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_THAT(recorded(), Not(HasSubstr("zebra")));
    EXPECT_EQ(play().event("end")["text"], moon);
}

TEST_F(chat_recording, must_have_a_place) {
    const auto r = talk("count\n", "/no/such/folder/x");
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err,
                HasSubstr("tandem chat: --record /no/such/folder/x: No such file or directory"));
    EXPECT_THAT(r.out, IsEmpty());
}

TEST_F(chat_recording, is_kept_by_the_next_one) {
    write_older();
    EXPECT_EQ(talk("moon\n", file_).status, 0);
    EXPECT_EQ(text_of(older_file()), older);
    EXPECT_EQ(texts_of(play().events("end")), std::vector<std::string>{moon});
}

TEST_F(chat_recording, stays_if_the_next_talk_cannot_begin) {
    write_older();
    const std::string broken = file_ + ".broken";
    std::ofstream(broken) << "{}";
    EXPECT_EQ(talk("moon\n", file_, {"--load", broken}).status, 2);
    std::remove(broken.c_str());
    const auto url = server_->url();
    server_.reset();
    const auto r = finished(child_process(
        program, {.args = {"chat", "--json", "--url", url, "--tts", "none", "--record", file_},
                  .input = "moon\n"}));
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_EQ(recorded(), older);
    EXPECT_EQ(text_of(older_file()), "");
}

TEST_F(chat_recording, that_is_not_whole_is_reported_at_the_end) {
    auto args = chat_args(file_);
    args.insert(args.begin(), {"-c", limits_files, program});
    const auto r =
        finished(child_process("/bin/sh", {.args = std::move(args), .input = "count\n"}));
    EXPECT_EQ(r.event("end")["text"], "One. Two. Three.");
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("tandem chat: --record " + file_ + ": File too large"));
}

}  // namespace
}  // namespace tandem::testing
