// Frames as the network may hand them over: misaligned, cut, damaged, made up to hurt.
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <cstring>
#include <gmock/gmock.h>

#include "messages/schema/client.capnp.h"
#include "tests/support/all_messages.hpp"
#include "tests/support/message_values.hpp"

namespace hadar {
namespace {

using testing::CountingSource;
using ::testing::HasSubstr;
using testing::made;

template <class T>
Encoded encoded(std::uint64_t skip = 0) {
  CountingSource source;
  for (; skip > 0; --skip) source.number(0, 1);
  return Codec<T>::encode(made<T>(source));
}

std::vector<std::byte> bytes_of(capnp::MessageBuilder& message) {
  const auto words = capnp::messageToFlatArray(message);
  const auto bytes = words.asBytes();
  std::vector<std::byte> out(bytes.size());
  std::memcpy(out.data(), bytes.begin(), bytes.size());
  return out;
}

TEST(Frame, IsReadAtAnyAlignment) {
  const auto body = encoded<RoundInput>().body;
  const auto expected = Codec<RoundInput>::decode(body);
  ASSERT_TRUE(expected.has_value());
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::byte> moved(body.size() + shift);
    std::memcpy(moved.data() + shift, body.data(), body.size());
    const auto decoded = Codec<RoundInput>::decode(std::span(moved).subspan(shift));
    ASSERT_TRUE(decoded.has_value()) << shift;
    EXPECT_EQ(*decoded, *expected) << shift;
  }
}

TEST(Frame, CutAnywhereIsRefused) {
  const auto body = encoded<NodeHello>().body;
  for (std::size_t size = 0; size < body.size(); ++size) {
    const auto decoded = Codec<NodeHello>::decode(std::span(body).first(size));
    ASSERT_FALSE(decoded.has_value()) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt) << size;
    EXPECT_THAT(decoded.error().message, ::testing::StartsWith("node_hello: "));
  }
}

TEST(Frame, LongerThanItsMessageIsRefused) {
  auto body = encoded<NodeHello>().body;
  body.resize(body.size() + 16);
  const auto decoded = Codec<NodeHello>::decode(body);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().message, "node_hello: 16 bytes after the end of the message, must be none");
}

TEST(Frame, DamagedInOneBitNeverDoesHarm) {
  auto body = encoded<JobList>().body;
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < body.size() * 8; ++bit) {
    body[bit / 8] ^= std::byte{1} << (bit % 8);
    if (const auto decoded = Codec<JobList>::decode(body); !decoded) ++refused;
    body[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_GT(refused, body.size());
}

TEST(Frame, WithAPayloadNobodyExpectsIsRefused) {
  const auto decoded = Codec<Ack>::decode(encoded<Ack>().body, Payload(std::vector<std::byte>(3)));
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().message, "ack: came with a payload of 3 bytes, must have none");
}

TEST(Frame, SharesThePayloadInsteadOfCopyingIt) {
  const auto chunk = encoded<BlobChunk>();
  ASSERT_FALSE(chunk.payload.empty());
  const auto decoded = Codec<BlobChunk>::decode(chunk.body, chunk.payload);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->payload.bytes().data(), chunk.payload.bytes().data());
}

TEST(Frame, OfALargeMessageIsOneSegmentAndTheSameEachTime) {
  CountingSource source;
  JobList list;
  for (int i = 0; i < 2000; ++i) list.jobs.push_back(made<JobStatus>(source));
  const auto body = Codec<JobList>::encode(list).body;
  std::uint32_t further_segments = 1;
  std::memcpy(&further_segments, body.data(), sizeof(further_segments));
  EXPECT_EQ(further_segments, 0U);
  const auto decoded = Codec<JobList>::decode(body);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, list);
  EXPECT_EQ(Codec<JobList>::encode(*decoded).body, body);
}

TEST(Frame, HasNothingLeftOverFromTheMessageBefore) {
  const auto alone = encoded<LinkPing>().body;
  CountingSource source;
  JobList list;
  for (int i = 0; i < 500; ++i) list.jobs.push_back(made<JobStatus>(source));
  (void)Codec<JobList>::encode(list);
  EXPECT_EQ(encoded<LinkPing>().body, alone);
}

TEST(Frame, OfAnotherMessageIsRefusedOrStillKeepsTheRules) {
  const auto decoded = Codec<PrepareLeases>::decode(encoded<JobList>().body);
  ASSERT_FALSE(decoded.has_value());
}

TEST(Frame, FromANewerPeerWithMoreFieldsIsRead) {
  // A later version of LinkPing: one more field, which an older reader does not know.
  auto body = encoded<LinkPing>().body;
  ASSERT_EQ(body.size(), 24U);  // segment table, root pointer, nonce
  body.resize(32);
  std::uint32_t words = 3;
  std::memcpy(body.data() + 4, &words, sizeof(words));
  std::uint16_t data_words = 2;
  std::memcpy(body.data() + 12, &data_words, sizeof(data_words));
  const auto decoded = Codec<LinkPing>::decode(body);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(Codec<LinkPing>::encode(*decoded).body, encoded<LinkPing>().body);
}

void set_counters(wire::ProcessHealth::Builder process, unsigned count, const std::vector<std::string>& names) {
  process.setName("p");
  auto counters = process.initCounters(count);
  for (unsigned i = 0; i < count; ++i) counters[i].setName(names[i]);
}

TEST(Frame, WithANameTwiceInAMapIsRefused) {
  capnp::MallocMessageBuilder message;
  set_counters(message.initRoot<wire::ProcessHealth>(), 2, {"a", "a"});
  const auto decoded = Codec<ProcessHealth>::decode(bytes_of(message));
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().message, "process_health.counters[1].name: \"a\", must come after the name before it");
}

// Every process points to the same long list, so that a small frame would unfold to a large value.
TEST(Frame, ThatUnfoldsItselfIsRefused) {
  constexpr unsigned kMany = 300;
  std::vector<std::string> names;
  for (unsigned i = 0; i < kMany; ++i) names.push_back("counter-" + std::to_string(1000 + i));
  capnp::MallocMessageBuilder message(1 << 16);
  auto processes = message.initRoot<wire::ClusterHealth>().initProcesses(kMany);
  for (auto process : processes) process.setName("p");
  set_counters(processes[0], kMany, names);
  auto body = bytes_of(message);

  // Words: segment table, root pointer, {cluster_id, processes}, list tag, then processes of 3 + 2 words each.
  constexpr std::size_t kFirst = 5;
  const auto counters_at = [&](std::size_t process) { return body.data() + (kFirst + process * 5 + 4) * 8; };
  std::uint32_t low = 0;
  std::memcpy(&low, counters_at(0), sizeof(low));
  for (std::uint32_t i = 1; i < kMany; ++i) {
    std::memcpy(counters_at(i), counters_at(0), 8);
    const std::uint32_t nearer = low - i * 5 * 4;  // the offset stands above two type bits
    std::memcpy(counters_at(i), &nearer, sizeof(nearer));
  }
  const auto decoded = Codec<ClusterHealth>::decode(body);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_THAT(decoded.error().message, HasSubstr("traversal limit"));
}

}  // namespace
}  // namespace hadar
