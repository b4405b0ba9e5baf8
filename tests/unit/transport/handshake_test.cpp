#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

using testing::Test;

TEST(Handshake, BothSidesComeUpAndLearnWhoTheOtherIs) {
  TestPeer server(listening(quick_options("scheduler", 7)));
  TestPeer node(quick_options("n1", 9));
  node->connect(server->endpoint());
  node.log.wait_for("up scheduler");
  server.log.wait_for("up n1");
  EXPECT_EQ(node.log.last_info().endpoint, server->endpoint());
  EXPECT_EQ(node.log.last_info().incarnation, 7u);
  EXPECT_EQ(server.log.last_info().incarnation, 9u);
  EXPECT_EQ(server.log.last_info().endpoint, "");
  EXPECT_EQ(server->counters().at("peers_up"), 1u);
}

TEST(Handshake, PacketsTravelBothWaysWithTheirPayload) {
  TestPeer server(listening(quick_options("scheduler")));
  TestPeer node(quick_options("n1"));
  node->connect(server->endpoint());
  node.log.wait_for("up scheduler");
  server.log.wait_for("up n1");
  Packet big = packet_of("body");
  big.envelope.flag = EnvelopeFlag::kRequest;
  big.envelope.correlation = 42;
  big.payload = bytes_of(std::string(100'000, 'w'));
  ASSERT_TRUE(node->send("scheduler", big));
  ASSERT_TRUE(server->send("n1", packet_of("answer")));
  ASSERT_TRUE(server.log.wait_packets(1));
  ASSERT_TRUE(node.log.wait_packets(1));
  const auto [from, packet] = server.log.packets().front();
  EXPECT_EQ(from, "n1");
  EXPECT_EQ(packet.envelope, big.envelope);
  EXPECT_EQ(text_of(packet.body), "body");
  EXPECT_EQ(packet.payload, big.payload);
  EXPECT_EQ(text_of(node.log.packets().front().second.body), "answer");
}

TEST(Handshake, ALaterListenerIsFound) {
  TestPeer first(listening(quick_options("scheduler")));
  const std::string endpoint = first->endpoint();
  first.transport.reset();
  TestPeer node(quick_options("n1"));
  node->connect(endpoint);
  TestPeer second(listening(quick_options("scheduler"), endpoint));
  node.log.wait_for("up scheduler");
}

TEST(Handshake, AnotherClusterIsRefusedOnceWithBothNames) {
  TestPeer server(listening(quick_options("scheduler")));
  auto options = quick_options("n1");
  options.cluster_id = "attic";
  TestPeer node(options);
  node->connect(server->endpoint());
  const std::string refusal = node.log.wait_for("refused ");
  EXPECT_NE(refusal.find("lab"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("attic"), std::string::npos) << refusal;
  EXPECT_EQ(server->counters().at("handshakes_refused"), 1u);
  // A good node right after it: the refused one is not heard of again.
  TestPeer good(quick_options("n2"));
  good->connect(server->endpoint());
  server.log.wait_for("up n2");
  EXPECT_EQ(node.log.count("refused "), 1u);
  EXPECT_EQ(server.log.count("up n1"), 0u);
}

TEST(Handshake, AClientMayTakeWhateverClusterItReaches) {
  TestPeer server(listening(quick_options("scheduler")));
  auto options = quick_options("client-1");
  options.cluster_id.clear();
  options.self.roles = {"client"};
  TestPeer client(options);
  client->connect(server->endpoint());
  client.log.wait_for("up scheduler");
  // A process of a cluster may not.
  options.self.name = "n1";
  options.self.roles = {"node-worker"};
  TestPeer node(options);
  node->connect(server->endpoint());
  node.log.wait_for("refused ");
}

TEST(Handshake, AnotherProtocolVersionIsRefusedWithBothVersions) {
  TestPeer server(listening(quick_options("scheduler")));
  auto options = quick_options("n1");
  options.protocol_version = 4711;
  TestPeer node(options);
  node->connect(server->endpoint());
  const std::string refusal = node.log.wait_for("refused ");
  EXPECT_NE(refusal.find("4711"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("version " + std::to_string(kProtocolVersion)), std::string::npos) << refusal;
}

TEST(Handshake, ANameInUseIsRefusedAndItsHolderNoticesNothing) {
  TestPeer server(listening(quick_options("scheduler")));
  auto holder_options = listening(quick_options("n1", 1));
  holder_options.self.pid = 12345;
  TestPeer holder(holder_options);
  holder->connect(server->endpoint());
  server.log.wait_for("up n1");
  TestPeer newcomer(quick_options("n1", 2));
  newcomer->connect(server->endpoint());
  const std::string refusal = newcomer.log.wait_for("refused ");
  EXPECT_NE(refusal.find("already_exists"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("pid 12345"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find(holder->endpoint()), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("since 20"), std::string::npos) << refusal;
  ASSERT_TRUE(server->send("n1", packet_of("still there?")));
  EXPECT_TRUE(holder.log.wait_packets(1));
  EXPECT_EQ(server.log.count("down "), 0u);
  EXPECT_EQ(holder.log.count("down "), 0u);
}

TEST(Handshake, TheListenersOwnNameIsRefused) {
  TestPeer server(listening(quick_options("scheduler", 1)));
  TestPeer twin(quick_options("scheduler", 2));
  twin->connect(server->endpoint());
  EXPECT_NE(twin.log.wait_for("refused ").find("already_exists"), std::string::npos);
}

TEST(Handshake, ConnectingToOneselfIsRefused) {
  TestPeer server(listening(quick_options("scheduler", 1)));
  server->connect(server->endpoint());
  EXPECT_NE(server.log.wait_for("refused ").find("itself"), std::string::npos);
}

TEST(Handshake, AMalformedEndpointIsToldAtOnce) {
  TestPeer node(quick_options("n1"));
  node->connect("telegraph://7");
  EXPECT_NE(node.log.wait_for("refused ").find("tcp://HOST:PORT"), std::string::npos);
}

TEST(Handshake, ARefusalIsFinalUntilDisconnected) {
  auto first_options = listening(quick_options("scheduler"));
  first_options.cluster_id = "attic";
  auto first = std::make_unique<TestPeer>(first_options);
  const std::string endpoint = (*first)->endpoint();
  TestPeer node(quick_options("n1"));
  node->connect(endpoint);
  node.log.wait_for("refused ");
  first.reset();
  TestPeer second(listening(quick_options("scheduler"), endpoint));
  node->connect(endpoint);
  TestPeer other(quick_options("n2"));
  other->connect(endpoint);
  second.log.wait_for("up n2");
  EXPECT_EQ(second.log.count("up n1"), 0u);
  node->disconnect(endpoint);
  node->connect(endpoint);
  second.log.wait_for("up n1");
}

TEST(Handshake, ADirectoryReachesPeersThatAreUpAlready) {
  TestPeer server(listening(quick_options("scheduler")));
  TestPeer node(quick_options("n1"));
  node->connect(server->endpoint());
  node.log.wait_for("up scheduler");
  server->set_directory({{"job-tracker", "tcp://127.0.0.1:9"}});
  node.log.wait_for("directory scheduler");
  EXPECT_EQ(node.log.last_info().directory.at("job-tracker"), "tcp://127.0.0.1:9");
  TestPeer late(quick_options("n2"));
  late->connect(server->endpoint());
  late.log.wait_for("up scheduler");
  EXPECT_EQ(late.log.last_info().directory.at("job-tracker"), "tcp://127.0.0.1:9");
}

}  // namespace
}  // namespace hadar::test
