#include "serve/tls_files.hpp"

#include "gateway/http/tls_context.hpp"
#include "os/input_file.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t max_pem_bytes = 1u << 20;

}  // namespace

std::vector<std::string> read_tls_files(const tls_files& files,
                                        gateway::tls_credentials& credentials) {
    auto certificates = read_file(files.certificates, max_pem_bytes);
    auto key = read_file(files.key, max_pem_bytes);
    std::vector<std::string> faults;
    if (!certificates.fault.empty()) faults.push_back("--tls-cert " + certificates.fault);
    if (!key.fault.empty()) faults.push_back("--tls-key " + key.fault);
    if (!faults.empty()) return faults;
    gateway::tls_credentials read{std::move(certificates.text), std::move(key.text)};
    std::vector<config_fault> tls_faults;
    gateway::make_tls_context(read, tls_faults);
    for (const auto& f : tls_faults)
        faults.push_back(f.field == "tls.key"
                             ? fmt::format("--tls-key {}: {}", files.key, f.message)
                             : fmt::format("--tls-cert {}: {}", files.certificates, f.message));
    if (faults.empty()) credentials = std::move(read);
    return faults;
}

std::string key_mode_warning(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0 || (about.st_mode & S_IRWXO) == 0) return {};
    return fmt::format(
        "{}: has mode {:o}: other users can read this key; use chmod o= to prevent that", path,
        about.st_mode & 07777u);
}

}  // namespace tandem::command
