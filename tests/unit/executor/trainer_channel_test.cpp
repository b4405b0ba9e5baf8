#include "runtime/transport/trainer_channel.hpp"

#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <poll.h>
#include <random>
#include <zmq.h>

namespace hadar {
namespace {

class TrainerChannel : public ::testing::Test {
 protected:
  TrainerChannel() {
    char name[] = "/tmp/hadar-channel-XXXXXX";
    folder_ = mkdtemp(name);
    server_ = TrainerServer::open(folder_).value();
    server_->admit("secret");
  }
  ~TrainerChannel() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::optional<TrainerServer::Incoming> next() {
    for (const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
         std::chrono::steady_clock::now() < limit;) {
      if (auto incoming = server_->receive()) return incoming;
      pollfd item{server_->wake_fd(), POLLIN, 0};
      poll(&item, 1, 50);
    }
    return {};
  }

  // Waits until exactly this many frames were dropped, and nobody is heard meanwhile.
  bool dropped(std::uint64_t count) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (server_->dropped() < count && std::chrono::steady_clock::now() < limit) {
      if (server_->receive()) return false;
      pollfd item{server_->wake_fd(), POLLIN, 0};
      poll(&item, 1, 50);
    }
    return server_->dropped() == count;
  }

  std::optional<TrainerMessage> next(TrainerClient& client) {
    for (const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
         std::chrono::steady_clock::now() < limit;) {
      auto message = client.receive();
      if (!message || *message) return message.value_or(std::nullopt);
      client.wait(0.05);
    }
    return {};
  }

  std::filesystem::path folder_;
  std::unique_ptr<TrainerServer> server_;
};

TEST_F(TrainerChannel, AfterAHelloBothSidesHearEachOther) {
  auto client = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(client->send(TrainerHello{"secret", 2, 77}));
  const auto hello = next();
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->token, "secret");
  EXPECT_EQ(hello->message, TrainerMessage(TrainerHello{"secret", 2, 77}));
  ASSERT_TRUE(server_->send("secret", TrainerLeaseExtend{{5}, 9, 1.5}));
  EXPECT_EQ(next(*client), TrainerMessage(TrainerLeaseExtend{{5}, 9, 1.5}));
}

TEST_F(TrainerChannel, FramesOfStrangersAreDroppedAndCounted) {
  auto stranger = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(stranger->send(TrainerProgress{{1}, 5, 1}));
  ASSERT_TRUE(stranger->send(TrainerHello{"wrong", 0, 1}));
  auto known = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(known->send(TrainerHello{"secret", 0, 1}));
  ASSERT_TRUE(next());
  EXPECT_TRUE(dropped(2));
}

TEST_F(TrainerChannel, ATokenServesOneProcess) {
  auto first = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(first->send(TrainerHello{"secret", 0, 1}));
  ASSERT_TRUE(next());
  auto thief = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(thief->send(TrainerHello{"secret", 0, 2}));
  ASSERT_TRUE(first->send(TrainerProgress{{1}, 5, 1}));
  EXPECT_EQ(next()->message, TrainerMessage(TrainerProgress{{1}, 5, 1}));
  EXPECT_TRUE(dropped(1));
}

TEST_F(TrainerChannel, AForgottenTrainerIsNeitherHeardNorReached) {
  auto client = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(client->send(TrainerHello{"secret", 0, 1}));
  ASSERT_TRUE(next());
  server_->forget("secret");
  EXPECT_EQ(server_->send("secret", TrainerExit{}).error().code, ErrorCode::kUnreachable);
}

TEST_F(TrainerChannel, RandomFramesAreDroppedAndATrainerNoticesNothing) {
  void* context = zmq_ctx_new();
  void* socket = zmq_socket(context, ZMQ_DEALER);
  zmq_connect(socket, server_->endpoint().c_str());
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const int frames = 1 + static_cast<int>(random() % 4);
    for (int f = 0; f < frames; ++f) {
      std::vector<unsigned> noise(random() % 16);
      for (auto& word : noise) word = static_cast<unsigned>(random());
      zmq_send(socket, noise.data(), noise.size() * sizeof(unsigned), f + 1 < frames ? ZMQ_SNDMORE : 0);
    }
  }
  EXPECT_TRUE(dropped(500));
  auto client = TrainerClient::connect(server_->endpoint()).value();
  ASSERT_TRUE(client->send(TrainerHello{"secret", 0, 1}));
  EXPECT_TRUE(next());
  zmq_close(socket);
  zmq_ctx_term(context);
}

TEST_F(TrainerChannel, ALongFolderStillGetsASocket) {
  const auto deep = folder_ / std::string(120, 'x');
  auto server = TrainerServer::open(deep);
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_THAT((*server)->endpoint(), ::testing::StartsWith("ipc:///tmp/hadar-"));
  const std::filesystem::path socket = (*server)->endpoint().substr(6);
  EXPECT_TRUE(std::filesystem::exists(socket));
  server->reset();
  EXPECT_FALSE(std::filesystem::exists(socket.parent_path()));
}

TEST(TrainerCodec, EveryMessageSurvivesTheWire) {
  const std::vector<TrainerMessage> messages{
      TrainerHello{"token", 3, 99},
      TrainerLeaseStart{{7}, "/w", "/r", 100, 1.5, 2.5, 11, 20, 300, 32, 2, 1, 4, "h:1"},
      TrainerLeaseExtend{{7}, 200, 0},
      TrainerSave{{7}},
      TrainerLeaseStop{{7}},
      TrainerExit{},
      TrainerProgress{{7}, 5, 0.5},
      TrainerSaved{
          {7}, true, LeaseEndReason::kDeadline, 5, 10, "/r.0", {{"loss", 0.5}, {"accuracy", 1}}, 1.5, 0.25, "d"}};
  for (const auto& message : messages)
    std::visit(
        [&]<class T>(const T& value) {
          const auto encoded = Codec<T>::encode(value);
          EXPECT_EQ(Codec<T>::decode(encoded.body), value);
          EXPECT_EQ(decode_trainer_message(Codec<T>::kind, encoded.body), message);
        },
        message);
}

TEST(TrainerCodec, ValuesThatBreakTheRulesAreRefused) {
  const auto refused = []<class T>(const T& value) { return !Codec<T>::decode(Codec<T>::encode(value).body); };
  EXPECT_TRUE(refused(TrainerLeaseStart{
      .lease = {1}, .weights_path = "", .result_path = "", .rank = 2, .world_size = 2, .rendezvous = "h:1"}));
  EXPECT_TRUE(refused(
      TrainerLeaseStart{.lease = {1}, .weights_path = "", .result_path = "", .world_size = 2, .rendezvous = ""}));
  EXPECT_TRUE(refused(
      TrainerLeaseStart{.lease = {1}, .weights_path = "", .result_path = "", .train_for_s = -1, .rendezvous = ""}));
  EXPECT_TRUE(refused(TrainerProgress{{1}, 1, std::numeric_limits<double>::infinity()}));
  TrainerSaved saved{.lease = {1}, .over = true, .weights_path = "", .metrics = {}, .detail = ""};
  EXPECT_TRUE(refused(saved));  // over, but running
  saved.end = LeaseEndReason::kQuota;
  EXPECT_FALSE(refused(saved));
  saved.metrics["loss"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(saved));
  EXPECT_FALSE(decode_trainer_message(MessageKind::kAck, Codec<TrainerExit>::encode({}).body));
}

}  // namespace
}  // namespace hadar
