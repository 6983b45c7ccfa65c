#include "whole_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace {

using tandem::command::whole_file;
using testing::HasSubstr;
namespace files = std::filesystem;

class report_files : public testing::Test {
 protected:
    report_files() { files::create_directory(place_); }
    ~report_files() override { files::remove_all(place_); }

    static std::string text_of(const files::path& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::ptrdiff_t count() const {
        return std::distance(files::directory_iterator(place_), files::directory_iterator());
    }

    files::path place_ = testing::TempDir() + "report_file_test_" + std::to_string(::getpid());
    files::path path_ = place_ / "r.html";
};

TEST_F(report_files, hold_the_whole_text) {
    EXPECT_EQ(whole_file(path_).write("text"), "");
    EXPECT_EQ(text_of(path_), "text");
}

TEST_F(report_files, take_the_place_of_older_ones_and_leave_nothing_else) {
    std::ofstream(path_) << "a longer text from before";
    EXPECT_EQ(whole_file(path_).write("text"), "");
    EXPECT_EQ(text_of(path_), "text");
    EXPECT_EQ(count(), 1);
}

TEST_F(report_files, leave_a_link_that_leads_to_them) {
    files::create_symlink("real.html", path_);
    EXPECT_EQ(whole_file(path_).write("text"), "");
    EXPECT_TRUE(files::is_symlink(path_));
    EXPECT_EQ(text_of(place_ / "real.html"), "text");
}

TEST_F(report_files, are_not_there_after_the_question_whether_they_can_be) {
    EXPECT_EQ(whole_file(path_).fault(), "");
    EXPECT_EQ(count(), 0);
}

TEST_F(report_files, name_a_place_that_is_not_there) {
    const auto path = place_ / "none" / "r.html";
    EXPECT_EQ(whole_file(path).fault(), path.string() + ": No such file or directory");
}

TEST_F(report_files, do_not_take_the_place_of_a_directory) {
    EXPECT_THAT(whole_file(place_).fault(), HasSubstr("no regular file"));
}

}  // namespace
