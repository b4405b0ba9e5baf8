#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

class Endpoint : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hadar-endpoint-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void expect_exchange(const std::string& endpoint) {
    TestPeer server(listening(quick_options("scheduler"), endpoint));
    ASSERT_TRUE(server.transport);
    TestPeer node(quick_options("n1"));
    node->connect(server->endpoint());
    node.log.wait_for("up scheduler");
    ASSERT_TRUE(node->send("scheduler", packet_of("over " + endpoint)));
    EXPECT_TRUE(server.log.wait_packets(1));
  }

  static Error error_of(TransportOptions options) {
    EventLogbook log;
    auto opened = open_zmq_transport(std::move(options), log.events());
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  }

  std::string folder_;
};

TEST_F(Endpoint, WorksOverIpv6) {
  if (!std::filesystem::exists("/proc/net/if_inet6")) GTEST_SKIP() << "this machine has no IPv6";
  expect_exchange("tcp://[::1]:*");
}

TEST_F(Endpoint, WorksOverIpc) {
  expect_exchange("ipc://" + folder_ + "/socket");
}

TEST_F(Endpoint, AFreePortIsPickedAndTold) {
  TestPeer server(listening(quick_options("scheduler"), "tcp://127.0.0.1:0"));
  EXPECT_TRUE(server->endpoint().starts_with("tcp://127.0.0.1:"));
  EXPECT_GT(std::stoi(server->endpoint().substr(std::string("tcp://127.0.0.1:").size())), 0);
}

TEST_F(Endpoint, EveryAddressIsAdvertisedByAHostNameThatOthersCanUse) {
  auto options = listening(quick_options("scheduler"), "tcp://*:*");
  options.advertise_host = "localhost";
  TestPeer server(options);
  ASSERT_TRUE(server->endpoint().starts_with("tcp://localhost:")) << server->endpoint();
  const std::string port = server->endpoint().substr(server->endpoint().rfind(':'));
  TestPeer four(quick_options("n4"));
  four->connect("tcp://127.0.0.1" + port);
  server.log.wait_for("up n4");
}

TEST_F(Endpoint, SeveralEndpointsServeTheSameProcess) {
  auto options = quick_options("scheduler");
  options.listen = {"tcp://127.0.0.1:0", "ipc://" + folder_ + "/both"};
  TestPeer server(options);
  ASSERT_EQ(server->bound().size(), 2u);
  TestPeer a(quick_options("a"));
  a->connect(server->bound()[0]);
  TestPeer b(quick_options("b"));
  b->connect(server->bound()[1]);
  server.log.wait_for("up a");
  server.log.wait_for("up b");
}

TEST_F(Endpoint, ATakenPortIsAnErrorThatNamesPortAndSetting) {
  TestPeer first(listening(quick_options("scheduler")));
  auto options = listening(quick_options("other"), first->endpoint());
  options.listen_setting = "network.listen";
  const Error error = error_of(options);
  EXPECT_EQ(error.code, ErrorCode::kAlreadyExists);
  EXPECT_NE(error.message.find(first->endpoint()), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("network.listen"), std::string::npos) << error.message;
}

TEST_F(Endpoint, ATakenSocketFileIsNotStolen) {
  const std::string endpoint = "ipc://" + folder_ + "/taken";
  TestPeer first(listening(quick_options("scheduler"), endpoint));
  EXPECT_EQ(error_of(listening(quick_options("other"), endpoint)).code, ErrorCode::kAlreadyExists);
  TestPeer node(quick_options("n1"));
  node->connect(endpoint);
  first.log.wait_for("up n1");
}

TEST_F(Endpoint, ADeadProcessesSocketFileIsTakenOver) {
  const std::string endpoint = "ipc://" + folder_ + "/stale";
  const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (folder_ + "/stale").c_str());
  ASSERT_EQ(::bind(stale, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(stale);
  expect_exchange(endpoint);
}

TEST_F(Endpoint, AFailedSecondEndpointGivesTheFirstBack) {
  TestPeer taken(listening(quick_options("scheduler")));
  const std::string free = "ipc://" + folder_ + "/free";
  auto options = quick_options("other");
  options.listen = {free, taken->endpoint()};
  EXPECT_EQ(error_of(options).code, ErrorCode::kAlreadyExists);
  expect_exchange(free);
}

TEST_F(Endpoint, BadEndpointsAreErrorsThatSayWhatWouldBeRight) {
  for (const char* bad : {"telegraph://x", "tcp://127.0.0.1", "tcp://127.0.0.1:99999999", "7001", ""}) {
    const Error error = error_of(listening(quick_options("x"), bad));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << bad << ": " << error.message;
    EXPECT_NE(error.message.find("tcp://HOST:PORT"), std::string::npos) << error.message;
  }
  const Error foreign = error_of(listening(quick_options("x"), "tcp://192.0.2.1:7001"));
  EXPECT_EQ(foreign.code, ErrorCode::kInvalidArgument) << foreign.message;
  const Error deep = error_of(listening(quick_options("x"), "ipc://" + folder_ + "/" + std::string(120, 'd')));
  EXPECT_EQ(deep.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(deep.message.find("107"), std::string::npos) << deep.message;
}

TEST_F(Endpoint, OptionsThatCannotWorkAreRefused) {
  auto nameless = quick_options("");
  EXPECT_EQ(error_of(nameless).code, ErrorCode::kInvalidArgument);
  auto impatient = quick_options("x");
  impatient.silence_limit = impatient.ping_interval;
  EXPECT_EQ(error_of(impatient).code, ErrorCode::kInvalidArgument);
  auto slow = quick_options("x");
  slow.linger = 10s;
  EXPECT_EQ(error_of(slow).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar::test
