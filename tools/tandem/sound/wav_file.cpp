#include "sound/wav_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

using sound_handle = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

constexpr int default_rate = 22050;
// Lengths in a WAV file have 32 bits.
constexpr std::int64_t max_samples = (std::int64_t{2} << 30) / 2;
constexpr int max_channels = 32;
constexpr int min_sample_rate = 4000;
constexpr int max_sample_rate = 384000;
constexpr auto longest = std::chrono::minutes(10);

// An in-memory file for libsndfile.
struct memory_file {
    std::string bytes{};
    sf_count_t at = 0;

    static memory_file& of(void* user) { return *static_cast<memory_file*>(user); }
    sf_count_t size() const noexcept { return static_cast<sf_count_t>(bytes.size()); }

    static sf_count_t size_of(void* user) { return of(user).size(); }
    static sf_count_t place_of(void* user) { return of(user).at; }
    static sf_count_t seek(sf_count_t offset, int origin, void* user) {
        auto& f = of(user);
        const auto from = origin == SEEK_CUR ? f.at : origin == SEEK_END ? f.size() : 0;
        return f.at = std::clamp<sf_count_t>(from + offset, 0, f.size());
    }
    static sf_count_t read(void* to, sf_count_t count, void* user) {
        auto& f = of(user);
        const auto n = std::clamp<sf_count_t>(count, 0, f.size() - f.at);
        std::memcpy(to, f.bytes.data() + f.at, static_cast<std::size_t>(n));
        f.at += n;
        return n;
    }
    static sf_count_t write(const void* from, sf_count_t count, void* user) {
        auto& f = of(user);
        const auto end = static_cast<std::size_t>(f.at + count);
        if (f.bytes.size() < end) f.bytes.resize(end);
        std::memcpy(f.bytes.data() + f.at, from, static_cast<std::size_t>(count));
        f.at += count;
        return count;
    }
    static SF_VIRTUAL_IO functions() { return {size_of, seek, read, write, place_of}; }
};

SF_INFO one_channel(int rate) {
    SF_INFO info{};
    info.samplerate = rate;
    info.channels = 1;
    info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_16;
    return info;
}

// Some programs that write to a pipe leave the length at 0, which libsndfile takes literally.
// Replaces it with an excessive length, which means "until the end of the file".
void repair_length(std::string& bytes) {
    constexpr std::string_view unknown("data\0\0\0\0", 8);
    const auto at = bytes.substr(0, 4) == "RIFF" ? bytes.find(unknown) : std::string::npos;
    if (at != std::string::npos && bytes.size() > at + unknown.size())
        bytes.replace(at + 4, 4, "\xff\xff\xff\x7f", 4);
}

std::int16_t sample_of(float value) {
    return static_cast<std::int16_t>(std::clamp(std::lround(value * 32768.0F), -32768L, 32767L));
}

// Mixes each frame to mono by averaging.
void append_mixed(const float* frames, sf_count_t count, int channels,
                  std::vector<std::int16_t>& to) {
    for (sf_count_t i = 0; i < count; ++i, frames += channels) {
        const float sum = std::accumulate(frames, frames + channels, 0.0F);
        to.push_back(sample_of(sum / static_cast<float>(channels)));
    }
}

// Truncates only WAV files, so that a mistyped path does not destroy another file.
std::string why_not_emptied(int fd) {
    struct stat there {};
    if (::fstat(fd, &there) != 0) return std::strerror(errno);
    if (!S_ISREG(there.st_mode) || there.st_size == 0) return {};
    std::array<char, 12> bytes{};
    const auto n = ::pread(fd, bytes.data(), bytes.size(), 0);
    const std::string_view head(bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    if (!head.starts_with("RIFF") || !head.ends_with("WAVE"))
        return "exists and is not a WAV file; it was not changed";
    return ::ftruncate(fd, 0) == 0 ? "" : std::strerror(errno);
}

std::string fault_of(const SF_INFO& info) {
    if (info.channels < 1 || info.channels > max_channels)
        return fmt::format("it has {} channels; the supported range is 1 to {}", info.channels,
                           max_channels);
    if (info.samplerate < min_sample_rate || info.samplerate > max_sample_rate)
        return fmt::format("it has a sample rate of {} Hz; the supported range is {} to {} Hz",
                           info.samplerate, min_sample_rate, max_sample_rate);
    return {};
}

}  // namespace

decoded_sound decode_sound(const std::string& bytes) {
    memory_file source{bytes};
    repair_length(source.bytes);
    auto functions = memory_file::functions();
    SF_INFO info{};
    const sound_handle file(::sf_open_virtual(&functions, SFM_READ, &info, &source), &::sf_close);
    if (!file) return {{}, fmt::format("not a WAV file: {}", ::sf_strerror(nullptr))};
    if (auto fault = fault_of(info); !fault.empty()) return {{}, std::move(fault)};
    decoded_sound result{.value = {.rate = info.samplerate}};
    auto& samples = result.value.samples;
    std::array<float, 4096> part{};
    const auto frames = static_cast<sf_count_t>(part.size()) / info.channels;
    while (const auto n = ::sf_readf_float(file.get(), part.data(), frames)) {
        append_mixed(part.data(), n, info.channels, samples);
        if (get_duration(result.value) > longest)
            return {{}, fmt::format("it is longer than {} min", longest.count())};
    }
    return result;
}

std::string wav_bytes(const audio_clip& s) {
    memory_file target;
    auto functions = memory_file::functions();
    auto info = one_channel(s.rate);
    const sound_handle file(::sf_open_virtual(&functions, SFM_WRITE, &info, &target), &::sf_close);
    if (!file) return {};
    ::sf_writef_short(file.get(), s.samples.data(), static_cast<sf_count_t>(s.samples.size()));
    ::sf_write_sync(file.get());
    ::sf_command(file.get(), SFC_UPDATE_HEADER_NOW, nullptr, 0);
    return target.bytes;
}

wav_file::wav_file(const std::string& path)
    : path_(path),
      fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)),
      file_(nullptr, &::sf_close) {
    if (fd_ < 0)
        failure_ = fmt::format("{}: {}", path_, std::strerror(errno));
    else if (const auto why = why_not_emptied(fd_); !why.empty())
        failure_ = fmt::format("{}: {}", path_, why);
}

wav_file::~wav_file() {
    set_rate(default_rate);  // writes the header if there were no sounds
    file_.reset();
    if (fd_ >= 0) ::close(fd_);
}

void wav_file::set_rate(int rate) {
    if (file_ || !failure_.empty()) return;
    auto info = one_channel(rate);
    file_.reset(::sf_open_fd(fd_, SFM_WRITE, &info, SF_FALSE));
    if (!file_) failure_ = fmt::format("{}: {}", path_, ::sf_strerror(nullptr));
    // Keeps the file readable if the process is killed.
    if (file_) ::sf_command(file_.get(), SFC_SET_UPDATE_HEADER_AUTO, nullptr, SF_TRUE);
}

void wav_file::write(const std::int16_t* samples, std::int64_t count) {
    if (!file_ || !failure_.empty()) return;
    written_ += count;
    if (written_ > max_samples) {
        failure_ = fmt::format("{}: reached 2 GiB; further audio is not recorded", path_);
        return;
    }
    if (::sf_writef_short(file_.get(), samples, count) != count)
        failure_ = fmt::format("{}: {}", path_, ::sf_strerror(file_.get()));
}

void wav_file::write_silence(std::int64_t samples) {
    static constexpr std::array<std::int16_t, 16384> silence{};
    constexpr std::int64_t step = silence.size();
    for (; samples > 0; samples -= step) write(silence.data(), std::min(samples, step));
}

void wav_file::write(const audio_clip& s, std::int64_t samples) {
    const auto all = static_cast<std::int64_t>(s.samples.size());
    write(s.samples.data(), std::clamp<std::int64_t>(samples, 0, all));
}

}  // namespace tandem::command
