#pragma once

#include "command_line.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tandem::command {

/// Parses command lines with environment variables and a file that the test provides.
class arguments : public ::testing::Test {
 protected:
    ~arguments() override { std::remove(file_.c_str()); }

    // Parses `tandem replay --prompt x` with additional arguments.
    command_line replay(std::vector<std::string> args) {
        args.insert(args.begin(), {"replay", "--prompt", "x"});
        return parse(std::move(args));
    }
    command_line parse(std::vector<std::string> args) {
        return parse_command_line(std::move(args), variables_);
    }
    std::string file_with(const std::string& text) {
        std::ofstream(file_) << text;
        return file_;
    }

    std::map<std::string, std::string> variables_;
    std::string file_ =
        ::testing::TempDir() + "command_line_test_" + std::to_string(::getpid()) + ".json";
};

}  // namespace tandem::command
