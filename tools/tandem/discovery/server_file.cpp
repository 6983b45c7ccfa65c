#include "discovery/server_file.hpp"

#include "os/input_file.hpp"
#include "text/word_list.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t max_server_file_bytes = std::size_t{64} << 10;

std::string find_url_fault(const std::string& url) {
    if (auto fault = transport::check_server_url(url)) return *std::move(fault);
    return transport::check_api_path(url).value_or("");
}

}  // namespace

source_answer parse_server_file(std::string_view text) {
    source_answer answer;
    const auto list = parse_word_list(text);
    for (std::size_t i = 0; i < list.words.size(); ++i) {
        const auto& url = list.words[i];
        if (url.starts_with('#')) continue;
        if (const auto fault = find_url_fault(url); !fault.empty())
            return {{}, fmt::format("line {}: {}", list.lines[i], fault)};
        answer.urls.push_back(url);
    }
    if (answer.urls.empty()) answer.fault = "has no URL; write one a line";
    return answer;
}

source_answer read_server_file(const std::string& path) {
    const auto file = read_file(path, max_server_file_bytes);
    return file.fault.empty() ? parse_server_file(file.text) : source_answer{{}, file.fault};
}

}  // namespace tandem::command
