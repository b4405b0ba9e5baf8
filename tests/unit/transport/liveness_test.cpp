#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/transport/raw_socket.hpp"
#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

TEST(Liveness, AnOrderlyStopIsToldAtOnceWithItsName) {
  auto options = listening(quick_options("scheduler"));
  options.silence_limit = 60s;  // so that only the goodbye can tell
  TestPeer server(options);
  auto node = std::make_unique<TestPeer>(quick_options("n1"));
  (*node)->connect(server->endpoint());
  server.log.wait_for("up n1");
  node.reset();
  EXPECT_EQ(server.log.wait_for("down n1"), "down n1: \"n1\" stopped");
}

TEST(Liveness, AListenerThatStopsIsToldAtOnceAndFoundAgain) {
  auto server = std::make_unique<TestPeer>(listening(quick_options("scheduler", 1)));
  const std::string endpoint = (*server)->endpoint();
  auto options = quick_options("n1");
  options.silence_limit = 60s;
  TestPeer node(options);
  node->connect(endpoint);
  node.log.wait_for("up scheduler");
  server.reset();
  node.log.wait_for("down scheduler");
  EXPECT_EQ(node->send("scheduler", packet_of("x")).error().code, ErrorCode::kUnreachable);
  TestPeer again(listening(quick_options("scheduler", 2), endpoint));
  node.log.wait_for("up scheduler", 2);
  EXPECT_EQ(node.log.last_info().incarnation, 2u);
}

TEST(Liveness, APeerThatStopsAnsweringGoesDownAfterTheSilenceLimit) {
  TestPeer server(listening(quick_options("scheduler")));
  RawSocket frozen(server->endpoint());
  frozen.say_hello("n1");
  server.log.wait_for("up n1");
  EXPECT_NE(server.log.wait_for("down n1").find("no answer for 1."), std::string::npos);
}

TEST(Liveness, AListenerThatStopsAnsweringGoesDownAndIsDialledAfresh) {
  zmq::context_t context;
  zmq::socket_t frozen(context, zmq::socket_type::router);
  frozen.set(zmq::sockopt::linger, 0);
  frozen.set(zmq::sockopt::rcvtimeo, 10'000);
  frozen.bind("tcp://127.0.0.1:*");
  TestPeer node(quick_options("n1"));
  node->connect(frozen.get(zmq::sockopt::last_endpoint));
  zmq::message_t route;
  ASSERT_TRUE(frozen.recv(route));
  const std::string first_route = route.to_string();
  Envelope envelope;
  envelope.kind = MessageKind::kLinkWelcome;
  LinkWelcome welcome;
  welcome.self.name = "scheduler";
  const std::string frames[] = {first_route, wire_text(encode_envelope(envelope)),
                                wire_text(Codec<LinkWelcome>::encode(welcome).body)};
  for (int i = 0; i < 3; ++i)
    frozen.send(zmq::buffer(frames[i]), i < 2 ? zmq::send_flags::sndmore : zmq::send_flags::none);
  node.log.wait_for("up scheduler");
  node.log.wait_for("down scheduler: no answer");
  // A fresh connection has a new routing id.
  EXPECT_TRUE(eventually([&] {
    zmq::message_t frame;
    const bool first = frozen.recv(frame).has_value();
    const std::string seen = frame.to_string();
    while (frame.more()) (void)frozen.recv(frame);
    return first && seen != first_route;
  }));
}

TEST(Liveness, AnIdleLinkStaysUp) {
  TestPeer server(listening(quick_options("scheduler")));
  TestPeer idle(quick_options("n1"));
  idle->connect(server->endpoint());
  server.log.wait_for("up n1");
  // Someone else goes silent later than that: the idle one has outlived a whole silence limit by then.
  RawSocket frozen(server->endpoint());
  frozen.say_hello("n2");
  server.log.wait_for("down n2");
  EXPECT_EQ(server.log.count("down n1"), 0u);
  EXPECT_EQ(idle.log.count("down "), 0u);
}

TEST(Liveness, ARestartedProcessReplacesItsDeadSelf) {
  TestPeer server(listening(quick_options("scheduler")));
  RawSocket dead(server->endpoint());
  dead.say_hello("n1", 1);
  server.log.wait_for("up n1");
  TestPeer reborn(quick_options("n1", 2));
  reborn->connect(server->endpoint());
  EXPECT_NE(server.log.wait_for("down n1").find("new process"), std::string::npos);
  server.log.wait_for("up n1", 2);
  reborn.log.wait_for("up scheduler");
  EXPECT_EQ(server.log.last_info().incarnation, 2u);
  ASSERT_TRUE(server->send("n1", packet_of("hello, new one")));
  EXPECT_TRUE(reborn.log.wait_packets(1));
}

TEST(Liveness, AKilledProcessIsNoticedBeforeTheSilenceLimit) {
  auto options = listening(quick_options("scheduler"));
  options.silence_limit = 60s;
  options.ping_interval = 30s;
  TestPeer server(options);
  auto socket = std::make_unique<RawSocket>(server->endpoint());
  socket->say_hello("n1");
  server.log.wait_for("up n1");
  socket.reset();  // its connection ends without a goodbye
  server.log.wait_for("down n1: the connection closed");
}

TEST(Liveness, AForgottenLinkIsBuiltAgain) {
  // The listener dropped the link of a node that was frozen; once it runs again the node hears so and says hello.
  TestPeer server(listening(quick_options("scheduler")));
  RawSocket node(server->endpoint());
  node.say_hello("n1");
  server.log.wait_for("up n1");
  server.log.wait_for("down n1");
  while (node.receive() != MessageKind::kLinkPing) {
  }
  node.tell(LinkPing{7});
  MessageKind kind = MessageKind::kLinkPing;
  while (kind == MessageKind::kLinkPing) kind = node.receive();
  EXPECT_EQ(kind, MessageKind::kLinkBye);
  node.say_hello("n1");
  server.log.wait_for("up n1", 2);
}

TEST(Liveness, TwoThatConnectToEachOtherAreOnePeerEach) {
  TestPeer a(listening(quick_options("a")));
  TestPeer b(listening(quick_options("b")));
  a->connect(b->endpoint());
  b->connect(a->endpoint());
  a.log.wait_for("up b");
  b.log.wait_for("up a");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(a->send("b", packet_of(std::to_string(i))));
    ASSERT_TRUE(b->send("a", packet_of(std::to_string(i))));
  }
  ASSERT_TRUE(a.log.wait_packets(100));
  ASSERT_TRUE(b.log.wait_packets(100));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(text_of(a.log.packets()[i].second.body), std::to_string(i));
    EXPECT_EQ(text_of(b.log.packets()[i].second.body), std::to_string(i));
  }
  EXPECT_EQ(a->counters().at("peers_up"), 1u);
  b.transport.reset();
  a.log.wait_for("down b");
  EXPECT_EQ(a.log.entries(), (std::vector<std::string>{"up b", "down b: \"b\" stopped"}));
}

TEST(Liveness, StoppingTakesNoLongerForPeersThatDoNotAnswer) {
  auto options = quick_options("n1");
  options.linger = 200ms;
  TestPeer node(options);
  node->connect("tcp://127.0.0.1:1");
  node->connect("ipc:///tmp/hadar-nobody-listens-here");
  zmq::context_t context;
  zmq::socket_t frozen(context, zmq::socket_type::router);
  frozen.set(zmq::sockopt::linger, 0);
  frozen.bind("tcp://127.0.0.1:*");
  node->connect(frozen.get(zmq::sockopt::last_endpoint));
  const auto before = std::chrono::steady_clock::now();
  node.transport.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);  // far above the limit of 1 s: no timing test, a hang test
}

TEST(Liveness, AFrozenProcessIsDownAndComesBackWithoutBlamingOthers) {
  TestPeer server(listening(quick_options("scheduler")));
  const std::string endpoint = server->endpoint();
  // The child executes a program of its own: neither library survives a fork.
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "transport_test", "--frozen-node", endpoint.c_str(), nullptr);
    ::_exit(127);
  }
  server.log.wait_for("up frozen");
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  server.log.wait_for("down frozen: no answer");
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  server.log.wait_for("up frozen", 2);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  server.log.wait_for("down frozen", 2);
}

}  // namespace
}  // namespace hadar::test
