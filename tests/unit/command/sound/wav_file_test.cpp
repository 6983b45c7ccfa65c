#include "sound/wav_file.hpp"

#include "sound/sound_recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::size_t header_bytes = 44;

audio_clip ramp(int count, int rate = 8000) {
    audio_clip s{.rate = rate};
    for (int i = 0; i < count; ++i) s.samples.push_back(static_cast<std::int16_t>(i * 7 - 3000));
    return s;
}

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Replaces the lengths in the header. A program that cannot seek in its output leaves placeholders
// there.
std::string with_length(std::string wav, const std::string& length) {
    wav.replace(4, 4, length);
    wav.replace(header_bytes - 4, 4, length);
    return wav;
}

TEST(a_wav_file, is_read_as_it_was_written) {
    const auto s = ramp(1000);
    const auto read = decode_sound(wav_bytes(s));
    EXPECT_EQ(read.fault, "");
    EXPECT_EQ(read.value.rate, 8000);
    EXPECT_EQ(read.value.samples, s.samples);
}

TEST(a_wav_file, may_tell_a_length_that_is_wrong) {
    const auto s = ramp(1000);
    for (const auto& length :
         {std::string("\x24\xf0\xff\x7f"), std::string(4, '\xff'), std::string(4, '\0')}) {
        const auto read = decode_sound(with_length(wav_bytes(s), length));
        EXPECT_EQ(read.fault, "");
        EXPECT_EQ(read.value.samples, s.samples) << ::testing::PrintToString(length);
    }
}

TEST(a_wav_file, may_be_cut_off) {
    const auto s = ramp(1000);
    const auto whole = wav_bytes(s);
    EXPECT_EQ(decode_sound(whole.substr(0, header_bytes + 200)).value.samples.size(), 100u);
}

TEST(a_wav_file, of_two_channels_is_mixed) {
    auto wav = wav_bytes({.rate = 8000, .samples = {100, 300, -50, 50}});
    wav[22] = 2;                                             // channels
    wav[32] = 4;                                             // bytes per frame
    wav.replace(28, 4, std::string("\x00\x7d\x00\x00", 4));  // bytes per second
    const auto read = decode_sound(wav);
    EXPECT_EQ(read.fault, "");
    EXPECT_THAT(read.value.samples, ::testing::ElementsAre(200, 0));
}

TEST(what_is_no_wav_file, is_refused) {
    EXPECT_THAT(decode_sound("Hello").fault, HasSubstr("not a WAV file"));
    EXPECT_NE(decode_sound("").fault, "");
    EXPECT_NE(decode_sound(wav_bytes(ramp(10)).substr(0, 20)).fault, "");
}

TEST(a_sound, is_refused_if_it_is_too_long) {
    const auto hour = audio_clip{.rate = 4000, .samples = std::vector<std::int16_t>(4000 * 601)};
    EXPECT_THAT(decode_sound(wav_bytes(hour)).fault, HasSubstr("longer than 10 min"));
}

class a_sound_recording : public ::testing::Test {
 protected:
    ~a_sound_recording() override { std::remove(path.c_str()); }

    std::string path =
        ::testing::TempDir() + "sound_recording_" + std::to_string(::getpid()) + ".wav";
    time_point begun = time_point(5s);
};

TEST_F(a_sound_recording, has_sounds_and_the_silence_between_them) {
    {
        sound_recording r(path, begun);
        r.add(ramp(800), begun + 1s, begun + 1100ms);
        r.add(ramp(800), begun + 1350ms, begun + 1400ms);
        EXPECT_EQ(r.failure(), "");
    }
    const auto read = decode_sound(bytes_of(path));
    EXPECT_EQ(read.fault, "");
    ASSERT_EQ(read.value.samples.size(), 8000u + 800u + 2000u + 400u);
    EXPECT_EQ(read.value.samples[7999], 0);
    EXPECT_EQ(read.value.samples[8000], -3000);
    EXPECT_EQ(read.value.samples[8800], 0);
    EXPECT_EQ(read.value.samples[10800], -3000);
}

TEST_F(a_sound_recording, can_be_read_while_it_is_written) {
    sound_recording r(path, begun);
    r.add(ramp(800), begun, begun + 100ms);
    EXPECT_EQ(decode_sound(bytes_of(path)).value.samples.size(), 800u);
}

TEST_F(a_sound_recording, without_a_sound_is_an_empty_one) {
    sound_recording(path, begun);
    const auto read = decode_sound(bytes_of(path));
    EXPECT_EQ(read.fault, "");
    EXPECT_TRUE(read.value.samples.empty());
}

TEST_F(a_sound_recording, takes_the_place_of_a_wav_file_or_an_empty_one_and_of_no_other) {
    const auto recorded_over = [&](const std::string& before) {
        std::ofstream(path, std::ios::binary) << before;
        return sound_recording(path, {}).failure();
    };
    EXPECT_EQ(recorded_over(""), "");
    EXPECT_EQ(recorded_over(wav_bytes(ramp(1000))), "");
    EXPECT_EQ(bytes_of(path).size(), header_bytes) << "nothing of the sound before is left";
    for (const std::string before : {"a letter", "RIFF", "RIFFxxxxAVI more", "xxxxxxxxWAVE"}) {
        EXPECT_EQ(recorded_over(before),
                  path + ": exists and is not a WAV file; it was not changed");
        EXPECT_EQ(bytes_of(path), before);
    }
}

TEST_F(a_sound_recording, reports_that_its_file_cannot_be_written) {
    const sound_recording r("/no/such/folder/talk.wav", begun);
    EXPECT_EQ(r.failure(), "/no/such/folder/talk.wav: No such file or directory");
}

}  // namespace
}  // namespace tandem::command
