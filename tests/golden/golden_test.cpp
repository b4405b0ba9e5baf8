// The bytes of every message and the line of every event, as they were when written down. Whatever changes them breaks
// clusters of mixed versions and old event logs. HADAR_GOLDEN_WRITE=1 writes files that are missing, never others.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

#include "messages/codec/envelope_codec.hpp"
#include "messages/codec/event_json.hpp"
#include "tests/support/all_messages.hpp"
#include "tests/support/message_values.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;
using testing::CountingSource;
using testing::made;

fs::path golden(const std::string& name) {
  return fs::path(HADAR_GOLDEN_DIR) / name;
}

std::string stored(const std::string& name, const std::string& now) {
  if (std::getenv("HADAR_GOLDEN_WRITE") != nullptr && !fs::exists(golden(name))) std::ofstream(golden(name)) << now;
  std::ifstream file(golden(name));
  EXPECT_TRUE(file.is_open()) << golden(name) << " is missing";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// 32 bytes a line.
std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += kDigits[std::to_integer<unsigned>(bytes[i] >> 4)];
    text += kDigits[std::to_integer<unsigned>(bytes[i] & std::byte{15})];
    if (i % 32 == 31 || i + 1 == bytes.size()) text += '\n';
  }
  return text;
}

std::vector<std::byte> unhex(const std::string& text) {
  std::string digits;
  for (const char c : text)
    if (c != '\n') digits += c;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

template <class T>
void check_message(const std::string& name) {
  CountingSource source;
  const auto value = made<T>(source);
  const auto encoded = Codec<T>::encode(value);
  const auto bytes = stored(name + ".hex", hex(encoded.body));
  EXPECT_EQ(hex(encoded.body), bytes);
  const auto decoded = Codec<T>::decode(unhex(bytes), encoded.payload);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(*decoded, value);
}

#define HADAR_GOLDEN_TEST(T, name) \
  TEST(GoldenBytes, T) {           \
    check_message<T>(#name);       \
  }
HADAR_ALL_MESSAGES(HADAR_GOLDEN_TEST)

TEST(GoldenBytes, RoundInputAndRoundPlanByThemselves) {
  check_message<RoundInput>("round_input");
  check_message<RoundPlan>("round_plan");
}

TEST(GoldenBytes, Envelope) {
  const Envelope envelope{MessageKind::kPlanRound, ActorKey::kPolicy, EnvelopeFlag::kError, 0x0102030405060708,
                          Error{ErrorCode::kTimedOut, "no answer in 2 s"}};
  const auto bytes = stored("envelope.hex", hex(encode_envelope(envelope)));
  EXPECT_EQ(hex(encode_envelope(envelope)), bytes);
  const auto decoded = decode_envelope(unhex(bytes));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(*decoded, envelope);
}

TEST(GoldenLines, Events) {
  std::vector<Event> events;
  std::string lines;
  for (std::size_t kind = 0; kind < std::variant_size_v<EventBody>; ++kind) {
    CountingSource source;
    events.push_back({kind + 1, static_cast<double>(kind) / 4, testing::made_fact(source, kind)});
    lines += event_to_json(events.back()) + "\n";
  }
  const auto text = stored("events.jsonl", lines);
  EXPECT_EQ(lines, text);
  std::istringstream in(text);
  std::size_t read = 0;
  for (std::string line; std::getline(in, line); ++read) {
    const auto event = event_from_json(line);
    ASSERT_TRUE(event.has_value()) << event.error().message;
    EXPECT_EQ(*event, events.at(read));
  }
  EXPECT_EQ(read, events.size());
}

}  // namespace
}  // namespace hadar
