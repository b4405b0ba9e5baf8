#include <arpa/inet.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>

#include "tests/unit/transport/raw_socket.hpp"
#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t most) {
  std::string bytes(random() % (most + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Random frames; some start like a good envelope and are then cut or changed.
std::vector<std::string> random_message(std::mt19937_64& random) {
  Envelope good;
  good.kind = static_cast<MessageKind>(100 + random() % 8);
  std::string envelope = wire_text(encode_envelope(good));
  std::vector<std::string> frames;
  switch (random() % 4) {
    case 0: frames.push_back(random_bytes(random, 200)); break;
    case 1: frames.push_back(envelope.substr(0, random() % envelope.size())); break;
    case 2:
      envelope[random() % envelope.size()] = static_cast<char>(random());
      frames.push_back(envelope);
      break;
    default: frames.push_back(envelope); break;
  }
  for (std::size_t more = random() % 5; more > 0; --more) frames.push_back(random_bytes(random, 100));
  return frames;
}

void write_plain_tcp(const std::string& endpoint, const std::string& text) {
  const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
  const int stream = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(stream, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::send(stream, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  ::close(stream);
}

std::uint64_t refused(TestPeer& peer) {
  return peer->counters().at("frames_refused");
}

TEST(Garbage, TenThousandRandomMessagesAreCountedAndAGoodPeerNoticesNothing) {
  TestPeer server(listening(quick_options("scheduler")));
  TestPeer node(quick_options("n1"));
  node->connect(server->endpoint());
  node.log.wait_for("up scheduler");
  server.log.wait_for("up n1");
  RawSocket stranger(server->endpoint());
  std::mt19937_64 random(7);
  constexpr int kMessages = 10'000;
  for (int i = 0; i < kMessages; ++i) {
    stranger.send(random_message(random));
    if (i % 10 == 0) {
      ASSERT_TRUE(node->send("scheduler", packet_of(std::to_string(i / 10))));
      ASSERT_TRUE(server->send("n1", packet_of(std::to_string(i / 10))));
    }
  }
  ASSERT_TRUE(server.log.wait_packets(1000));
  ASSERT_TRUE(node.log.wait_packets(1000));
  EXPECT_TRUE(eventually([&] { return refused(server) == kMessages; })) << refused(server);
  const auto packets = server.log.packets();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(text_of(packets[i].second.body), std::to_string(i));
  EXPECT_EQ(server.log.count("down "), 0u);
  EXPECT_EQ(node.log.count("down "), 0u);
}

TEST(Garbage, APeerWithALinkMaySendGarbageWithoutLosingIt) {
  TestPeer server(listening(quick_options("scheduler")));
  RawSocket node(server->endpoint());
  node.say_hello("n1");
  server.log.wait_for("up n1");
  std::mt19937_64 random(11);
  node.send({random_bytes(random, 50)});
  node.send({"no envelope", "body"});
  Envelope good;
  good.kind = MessageKind::kAck;
  node.send({wire_text(encode_envelope(good)), "fine"});
  ASSERT_TRUE(server.log.wait_packets(1));
  EXPECT_EQ(refused(server), 2u);
}

TEST(Garbage, APacketBeforeTheHandshakeIsRefusedAndItsSenderTold) {
  TestPeer server(listening(quick_options("scheduler")));
  RawSocket stranger(server->endpoint());
  Envelope good;
  good.kind = MessageKind::kAck;
  stranger.send({wire_text(encode_envelope(good)), "body"});
  EXPECT_EQ(stranger.receive(), MessageKind::kLinkBye);
  EXPECT_EQ(refused(server), 1u);
  EXPECT_TRUE(server.log.packets().empty());
}

TEST(Garbage, PlainTextAtThePortIsCounted) {
  TestPeer server(listening(quick_options("scheduler")));
  write_plain_tcp(server->endpoint(), "GET / HTTP/1.1\r\nHost: scheduler\r\nAccept: */*\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return refused(server) >= 1; }));
  write_plain_tcp(server->endpoint(), std::string(1000, '\xff'));
  EXPECT_TRUE(eventually([&] { return refused(server) >= 2; }));
  write_plain_tcp(server->endpoint(), "x");
  EXPECT_TRUE(eventually([&] { return refused(server) >= 3; }));
  TestPeer node(quick_options("n1"));
  node->connect(server->endpoint());
  server.log.wait_for("up n1");
}

TEST(Garbage, AGoodConnectionThatEndsIsNotCounted) {
  TestPeer server(listening(quick_options("scheduler")));
  {
    TestPeer node(quick_options("n1"));
    node->connect(server->endpoint());
    server.log.wait_for("up n1");
  }
  server.log.wait_for("down n1");
  write_plain_tcp(server->endpoint(), "x");
  EXPECT_TRUE(eventually([&] { return refused(server) >= 1; }));
  EXPECT_EQ(refused(server), 1u);
}

TEST(Garbage, FramesOverTheirLimitAreRefused) {
  auto options = listening(quick_options("scheduler"));
  options.max_body_bytes = 1000;
  options.max_payload_bytes = 2000;
  TestPeer server(options);
  RawSocket node(server->endpoint());
  node.say_hello("n1");
  server.log.wait_for("up n1");
  Envelope good;
  good.kind = MessageKind::kAck;
  const std::string envelope = wire_text(encode_envelope(good));
  node.send({envelope, std::string(1001, 'b')});
  node.send({envelope, std::string(1000, 'b'), std::string(2000, 'p')});
  ASSERT_TRUE(server.log.wait_packets(1));
  EXPECT_EQ(refused(server), 1u);
  EXPECT_EQ(server.log.packets().front().second.payload.size(), 2000u);
}

TEST(Garbage, TooLargeAPacketIsRefusedBeforeItIsSent) {
  auto options = quick_options("n1");
  options.max_body_bytes = 1000;
  TestPeer node(options);
  TestPeer server(listening(quick_options("scheduler")));
  node->connect(server->endpoint());
  node.log.wait_for("up scheduler");
  EXPECT_EQ(node->send("scheduler", packet_of(std::string(1001, 'x'))).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar::test
