#include "runtime/transport/memory_transport.hpp"

#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

PeerInfo named(const std::string& name, const std::string& endpoint = {}) {
  PeerInfo info;
  info.name = name;
  info.endpoint = endpoint;
  return info;
}

class MemoryTransportTest : public testing::Test {
 protected:
  Switchboard board_;
  EventLogbook a_log_, b_log_;
  std::unique_ptr<Transport> a_ = board_.join(named("a", "mem://a"), a_log_.events());
  std::unique_ptr<Transport> b_ = board_.join(named("b"), b_log_.events());
};

TEST_F(MemoryTransportTest, NothingHappensUntilItIsPumped) {
  b_->connect("mem://a");
  EXPECT_TRUE(a_log_.entries().empty());
  EXPECT_EQ(board_.pump(), 2u);
  EXPECT_EQ(a_log_.entries(), std::vector<std::string>{"up b"});
  EXPECT_EQ(b_log_.entries(), std::vector<std::string>{"up a"});
}

TEST_F(MemoryTransportTest, PacketsKeepTheirOrder) {
  b_->connect("mem://a");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(b_->send("a", packet_of(std::to_string(i))));
  board_.pump();
  ASSERT_EQ(a_log_.packets().size(), 10u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(text_of(a_log_.packets()[i].second.body), std::to_string(i));
}

TEST_F(MemoryTransportTest, ACutLinkIsDownUntilHealed) {
  b_->connect("mem://a");
  board_.cut("b", "a");
  EXPECT_EQ(b_->send("a", packet_of("x")).error().code, ErrorCode::kUnreachable);
  board_.heal("a", "b");
  EXPECT_TRUE(b_->send("a", packet_of("x")));
  board_.pump();
  EXPECT_EQ(b_log_.entries(), (std::vector<std::string>{"up a", "down a: the link was cut", "up a"}));
}

TEST_F(MemoryTransportTest, AStoppedTransportIsDownAndALaterOneIsFound) {
  b_->connect("mem://a");
  board_.pump();
  a_.reset();
  board_.pump();
  EXPECT_EQ(b_log_.entries().back(), "down a: \"a\" stopped");
  EventLogbook again_log;
  auto again = board_.join(named("a2", "mem://a"), again_log.events());
  board_.pump();
  EXPECT_EQ(b_log_.entries().back(), "up a2");
}

TEST_F(MemoryTransportTest, DisconnectingEndsTheLinkUnlessTheOtherSideKeepsIt) {
  b_->connect("mem://a");
  b_->disconnect("mem://a");
  board_.pump();
  EXPECT_EQ(a_log_.entries(), (std::vector<std::string>{"up b", "down b: disconnected on purpose"}));
}

}  // namespace
}  // namespace hadar::test
