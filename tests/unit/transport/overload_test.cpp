#include "tests/unit/transport/raw_socket.hpp"
#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

TEST(Overload, ASlowPeersQueueIsBoundedAndNothingAcceptedIsLost) {
  auto options = listening(quick_options("scheduler"));
  options.silence_limit = 60s;
  options.queue_bytes = 1 << 20;
  TestPeer server(options);
  RawSocket slow(server->endpoint());
  slow.say_hello("slow");
  server.log.wait_for("up slow");
  ASSERT_EQ(slow.receive(), MessageKind::kLinkWelcome);
  const std::string body(256 << 10, 'x');
  std::size_t accepted = 0;
  Status sent;
  // The kernel takes some; then the bound is reached.
  while (accepted < 10'000 && (sent = server->send("slow", packet_of(body)))) ++accepted;
  ASSERT_FALSE(sent) << "2.5 GB wait in memory";
  EXPECT_EQ(sent.error().code, ErrorCode::kOverloaded);
  EXPECT_GE(server->counters().at("sends_overloaded"), 1u);

  // Another peer is served meanwhile.
  TestPeer good(quick_options("good"));
  good->connect(server->endpoint());
  server.log.wait_for("up good");
  ASSERT_TRUE(server->send("good", packet_of("hello")));
  EXPECT_TRUE(good.log.wait_packets(1));

  std::size_t received = 0;
  while (received < accepted) {
    const MessageKind kind = slow.receive();
    if (kind == MessageKind::kNone) break;
    if (kind == MessageKind::kAck) ++received;
  }
  EXPECT_EQ(received, accepted);
  EXPECT_TRUE(eventually([&] { return server->send("slow", packet_of("again")).has_value(); }));
}

}  // namespace
}  // namespace hadar::test
