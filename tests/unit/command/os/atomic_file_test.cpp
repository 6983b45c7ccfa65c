#include "os/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using tandem::command::atomic_file;
using testing::HasSubstr;
namespace files = std::filesystem;

class whole_files : public testing::Test {
 protected:
    whole_files() { files::create_directory(place_); }
    ~whole_files() override { files::remove_all(place_); }

    static std::string text_of(const files::path& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::ptrdiff_t count() const {
        return std::distance(files::directory_iterator(place_), files::directory_iterator());
    }

    files::path place_ = testing::TempDir() + "whole_file_test_" + std::to_string(::getpid());
    files::path path_ = place_ / "whole.txt";
};

TEST_F(whole_files, hold_the_whole_text) {
    EXPECT_EQ(atomic_file(path_).write("text"), "");
    EXPECT_EQ(text_of(path_), "text");
}

TEST_F(whole_files, take_the_place_of_older_ones_and_leave_nothing_else) {
    std::ofstream(path_) << "a longer text from before";
    EXPECT_EQ(atomic_file(path_).write("text"), "");
    EXPECT_EQ(text_of(path_), "text");
    EXPECT_EQ(count(), 1);
}

TEST_F(whole_files, leave_a_link_that_leads_to_them) {
    files::create_symlink("real.html", path_);
    EXPECT_EQ(atomic_file(path_).write("text"), "");
    EXPECT_TRUE(files::is_symlink(path_));
    EXPECT_EQ(text_of(place_ / "real.html"), "text");
}

TEST_F(whole_files, are_not_there_after_the_question_whether_they_can_be) {
    EXPECT_EQ(atomic_file(path_).fault(), "");
    EXPECT_EQ(count(), 0);
}

TEST_F(whole_files, are_read_by_those_who_could_read_what_was_there) {
    std::ofstream(path_) << "secret";
    files::permissions(path_, files::perms::owner_read | files::perms::owner_write);
    EXPECT_EQ(atomic_file(path_).write("text"), "");
    EXPECT_EQ(files::status(path_).permissions(),
              files::perms::owner_read | files::perms::owner_write);
}

// Limits all file writes of the process to a few bytes, as on a full disk.
class small_disk {
 public:
    small_disk() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{.rlim_cur = 8, .rlim_max = before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~small_disk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

 private:
    void (*handler_)(int);
    rlimit before_{};
};

TEST_F(whole_files, stay_as_they_were_if_the_new_text_does_not_fit) {
    std::ofstream(path_) << "before";
    std::string fault;
    {
        const small_disk full;
        fault = atomic_file(path_).write("more than eight bytes");
    }
    EXPECT_EQ(fault, path_.string() + ": File too large");
    EXPECT_EQ(text_of(path_), "before");
    EXPECT_EQ(count(), 1);
}

TEST_F(whole_files, name_a_place_that_is_not_there) {
    const auto path = place_ / "none" / "whole.txt";
    EXPECT_EQ(atomic_file(path).fault(), path.string() + ": No such file or directory");
}

TEST_F(whole_files, do_not_take_the_place_of_a_directory) {
    EXPECT_THAT(atomic_file(place_).fault(), HasSubstr("not a regular file; name another file"));
}

}  // namespace
