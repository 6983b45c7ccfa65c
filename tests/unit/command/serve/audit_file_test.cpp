#include "serve/audit_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::IsEmpty;

class an_audit_file : public testing::Test {
 protected:
    ~an_audit_file() override {
        std::remove(path.c_str());
        std::remove(moved.c_str());
    }
    static std::string content(const std::string& file) {
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::string path = testing::TempDir() + "audit_file_test_" + std::to_string(::getpid());
    std::string moved = path + ".1";
    std::vector<std::string> told;
    audit_file audit{path, [this](const std::string& fault) { told.push_back(fault); }};
};

TEST_F(an_audit_file, is_appended_to_and_for_its_owner_alone) {
    ASSERT_EQ(audit.open(), "");
    audit.write("one");
    struct stat known {};
    ASSERT_EQ(::stat(path.c_str(), &known), 0);
    EXPECT_EQ(known.st_mode & 0777, 0600u);
    audit_file other(path, nullptr);
    ASSERT_EQ(other.open(), "");
    other.write("two");
    audit.write("three");
    EXPECT_EQ(content(path), "one\ntwo\nthree\n");
    EXPECT_THAT(told, IsEmpty());
}

TEST_F(an_audit_file, is_made_again_if_it_was_moved_away) {
    ASSERT_EQ(audit.open(), "");
    audit.write("one");
    ASSERT_EQ(std::rename(path.c_str(), moved.c_str()), 0);
    audit.write("two");
    ASSERT_EQ(audit.open(), "");
    audit.write("three");
    EXPECT_EQ(content(moved), "one\ntwo\n");
    EXPECT_EQ(content(path), "three\n");
}

TEST_F(an_audit_file, reports_once_that_it_cannot_be_written) {
    audit_file full("/dev/full", [this](const std::string& fault) { told.push_back(fault); });
    ASSERT_EQ(full.open(), "");
    full.write("one");
    full.write("two");
    EXPECT_THAT(told, ElementsAre("cannot write to /dev/full: No space left on device; lines are "
                                  "lost"));
}

TEST_F(an_audit_file, reports_why_it_cannot_be_opened) {
    audit_file nowhere("/no/such/folder/audit", nullptr);
    EXPECT_EQ(nowhere.open(), "/no/such/folder/audit: No such file or directory");
}

}  // namespace
