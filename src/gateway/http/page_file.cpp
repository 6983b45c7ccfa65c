#include "gateway/http/page_file.hpp"

#include <algorithm>

namespace tandem::gateway {
namespace {

constexpr std::string_view index_name = "index.html";

const page_file* find_file(std::string_view name) noexcept {
    const auto files = page_files();
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const page_file& f) { return f.name == name; });
    return found == files.end() ? nullptr : &*found;
}

}  // namespace

const page_file& index_page() noexcept {
    return *find_file(index_name);
}

const page_file* find_asset(std::string_view name) noexcept {
    return name == index_name ? nullptr : find_file(name);
}

bool matches_etag(std::string_view if_none_match, const page_file& file) noexcept {
    return if_none_match == "*" || if_none_match.find(file.etag) != std::string_view::npos;
}

}  // namespace tandem::gateway
