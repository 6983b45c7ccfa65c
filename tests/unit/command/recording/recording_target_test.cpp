#include "recording/recording_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using tandem::command::recording_target;
using testing::EndsWith;
namespace fs = std::filesystem;

class recording_places : public testing::Test {
 protected:
    recording_places() { fs::create_directory(folder_); }
    ~recording_places() override {
        if (fd_ >= 0) ::close(fd_);
        fs::remove_all(folder_);
    }

    static std::string recorded(const fs::path& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }
    void take(recording_target& p) {
        fd_ = p.take_descriptor();
        EXPECT_EQ(p.fault(), "");
        EXPECT_GE(fd_, 0);
    }

    static constexpr const char* older = R"({"ms":0.0,"recording":1})";
    static constexpr const char* oldest = R"({"ms":0.1,"recording":1})";
    static constexpr const char* diary = "dear diary";
    static constexpr const char* is_foreign = ".old: exists and is not a recording";
    static constexpr const char* has_writer = "another process is recording to it";

    fs::path folder_ = testing::TempDir() + "recording_place_test_" + std::to_string(::getpid());
    fs::path path_ = folder_ / "run.rec";
    fs::path kept_ = folder_ / "run.rec.old";
    int fd_ = -1;
};

TEST_F(recording_places, leave_an_older_recording_until_they_are_taken) {
    write(path_, older);
    write(kept_, oldest);
    recording_target p(path_);
    EXPECT_TRUE(p.has_older());
    EXPECT_EQ(recorded(path_), older);
    EXPECT_EQ(recorded(kept_), oldest);
    take(p);
    EXPECT_EQ(recorded(path_), "");
    EXPECT_EQ(recorded(kept_), older);
    EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(recording_places, have_nothing_to_keep_of_an_empty_file) {
    write(path_, "");
    recording_target p(path_);
    EXPECT_FALSE(p.has_older());
    take(p);
    EXPECT_FALSE(fs::exists(kept_));
}

TEST_F(recording_places, are_those_of_one_program) {
    write(path_, older);
    recording_target first(path_);
    EXPECT_THAT(recording_target(path_).fault(), EndsWith(has_writer));
    take(first);
    EXPECT_THAT(recording_target(path_).fault(), EndsWith(has_writer));
    EXPECT_EQ(recorded(kept_), older);
}

TEST_F(recording_places, leave_alone_what_took_their_place_meanwhile) {
    write(path_, older);
    recording_target p(path_);
    fs::rename(path_, folder_ / "elsewhere");
    recording_target other(path_);
    EXPECT_LT(p.take_descriptor(), 0);
    EXPECT_THAT(p.fault(), EndsWith("it was moved or replaced"));
    take(other);
    EXPECT_TRUE(fs::exists(path_));
    EXPECT_FALSE(fs::exists(kept_));
}

TEST_F(recording_places, do_not_put_anything_in_place_of_what_is_no_recording) {
    write(path_, older);
    write(kept_, diary);
    EXPECT_THAT(recording_target(path_).fault(), EndsWith(is_foreign));
    fs::remove(kept_);
    recording_target p(path_);
    write(kept_, diary);
    EXPECT_LT(p.take_descriptor(), 0);
    EXPECT_THAT(p.fault(), EndsWith(is_foreign));
    EXPECT_EQ(recorded(path_), older);
    EXPECT_EQ(recorded(kept_), diary);
}

TEST_F(recording_places, do_not_put_anything_in_place_of_a_folder_or_a_link) {
    write(path_, older);
    fs::create_directory(kept_);
    EXPECT_THAT(recording_target(path_).fault(), EndsWith(is_foreign));
    fs::remove(kept_);
    write(folder_ / "elsewhere", oldest);
    fs::create_symlink("elsewhere", kept_);
    EXPECT_THAT(recording_target(path_).fault(), EndsWith(is_foreign));
}

TEST_F(recording_places, do_not_take_the_kept_one_from_who_writes_it) {
    write(path_, older);
    recording_target writer(kept_);
    EXPECT_THAT(recording_target(path_).fault(),
                EndsWith(".old: another process is recording to it"));
}

TEST_F(recording_places, leave_a_link_that_leads_to_them) {
    write(folder_ / "real.rec", older);
    fs::create_symlink("real.rec", path_);
    recording_target p(path_);
    take(p);
    EXPECT_TRUE(fs::is_symlink(path_));
    EXPECT_EQ(recorded(folder_ / "real.rec"), "");
    EXPECT_EQ(recorded(folder_ / "real.rec.old"), older);
}

TEST_F(recording_places, may_be_no_file) {
    recording_target p("/dev/null");
    EXPECT_FALSE(p.has_older());
    take(p);
}

}  // namespace
