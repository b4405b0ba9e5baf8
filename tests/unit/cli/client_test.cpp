#include "tools/cli/client.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <mutex>

#include "messages/codec/client_codec.hpp"
#include "messages/codec/node_codec.hpp"
#include "runtime/transport/zmq_transport.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/outcome.hpp"

namespace hadar::cli {
namespace {

// A process that listens as a gateway and answers each packet as the test says.
class FakeGateway {
 public:
  using Answerer = std::function<void(FakeGateway&, const std::string&, const Packet&)>;

  explicit FakeGateway(Answerer answer, std::string cluster = "lab") : answer_(std::move(answer)) {
    TransportOptions options;
    options.cluster_id = std::move(cluster);
    options.self.name = "gateway";
    options.self.roles = {"gateway"};
    options.self.incarnation = 1;
    options.listen = {"tcp://127.0.0.1:*"};
    TransportEvents events;
    events.on_packet = [this](const std::string& peer, Packet packet) { answer_(*this, peer, packet); };
    const std::lock_guard lock(mutex_);
    transport_ = open_zmq_transport(std::move(options), std::move(events)).value();
  }

  void reply(const std::string& peer, const Packet& request, MessageKind kind, Encoded body) {
    Packet packet;
    packet.envelope = {kind, ActorKey::kNone, EnvelopeFlag::kReply, request.envelope.correlation, std::nullopt};
    packet.body = Payload(std::move(body.body));
    send(peer, std::move(packet));
  }
  void refuse(const std::string& peer, const Packet& request, Error error) {
    Packet packet;
    packet.envelope = {MessageKind::kNone, ActorKey::kNone, EnvelopeFlag::kError, request.envelope.correlation,
                       std::move(error)};
    send(peer, std::move(packet));
  }
  std::string endpoint() { return transport_->endpoint(); }

 private:
  void send(const std::string& peer, Packet packet) {
    const std::lock_guard lock(mutex_);
    ASSERT_TRUE(transport_->send(peer, std::move(packet)).has_value());
  }

  Answerer answer_;
  std::mutex mutex_;
  std::unique_ptr<ZmqTransport> transport_;
};

void say_nothing(FakeGateway&, const std::string&, const Packet&) {}

TEST(Drain, SaysWhenANodeIsDrainedAlready) {
  for (const auto state : {NodeState::kUp, NodeState::kDraining, NodeState::kDrained}) {
    FakeGateway gateway([state](FakeGateway& self, const std::string& peer, const Packet& packet) {
      if (packet.envelope.kind == MessageKind::kCommandNode)
        return self.reply(peer, packet, MessageKind::kAck, Codec<Ack>::encode(Ack{}));
      NodeList list;
      list.nodes.resize(1);
      list.nodes.front().inventory.name = "n";
      list.nodes.front().inventory.gpus = {{"V100", 1}};
      list.nodes.front().state = state;
      self.reply(peer, packet, MessageKind::kNodeList, Codec<NodeList>::encode(list));
    });
    testing::internal::CaptureStdout();
    Settings settings;
    settings.where.endpoint = gateway.endpoint();
    DrainArgs args;
    args.node = "n";
    args.reason = "fan";
    args.wait = false;
    const auto ended = run_drain(settings, args);
    const auto told = testing::internal::GetCapturedStdout();
    ASSERT_TRUE(ended.has_value()) << ended.error().error.message;
    EXPECT_EQ(told, state == NodeState::kDrained ? "node n is drained already\n" : "node n draining\n");
  }
}

TEST(Client, GetsTheAnswerToItsRequest) {
  FakeGateway gateway([](FakeGateway& self, const std::string& peer, const Packet& packet) {
    EXPECT_EQ(packet.envelope.target, ActorKey::kGateway);
    const auto query = Codec<QueryJobs>::decode(packet.body.bytes()).value();
    JobList list;
    list.jobs.resize(1);
    list.jobs.front().job = {7};
    list.jobs.front().spec.name = query.job;
    list.jobs.front().spec.workload = "image";
    list.jobs.front().spec.model = "image";
    list.jobs.front().spec.total_steps = 1;
    self.reply(peer, packet, MessageKind::kJobList, Codec<JobList>::encode(list));
  });
  auto client = Client::open({gateway.endpoint(), "lab"}, 10).value();
  for (const auto* name : {"one", "two"}) {
    const auto list = client->ask<JobList>(QueryJobs{.job = name, .all = true});
    ASSERT_TRUE(list.has_value()) << list.error().message;
    EXPECT_EQ(list->jobs.at(0).spec.name, name);
  }
}

TEST(Client, NeedsNoClusterIdButKeepsToTheOneItIsGiven) {
  FakeGateway gateway([](FakeGateway& self, const std::string& peer, const Packet& packet) {
    self.reply(peer, packet, MessageKind::kAck, Codec<Ack>::encode(Ack{}));
  });
  EXPECT_TRUE(Client::open({gateway.endpoint(), ""}, 10).value()->ask<Ack>(CommandJob{"1", JobAction::kHold}));
  const auto other =
      Client::open({gateway.endpoint(), "attic"}, 10).value()->ask<Ack>(CommandJob{"1", JobAction::kHold});
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kRefused);
  EXPECT_THAT(other.error().message, testing::HasSubstr("attic"));
}

TEST(Client, PassesTheGatewaysErrorOn) {
  FakeGateway gateway([](FakeGateway& self, const std::string& peer, const Packet& packet) {
    self.refuse(peer, packet, {ErrorCode::kInfeasible, "wants 9 GPUs, at most 4 can be had"});
  });
  const auto answer = Client::open({gateway.endpoint(), ""}, 10).value()->ask<Ack>(CommandJob{"1", JobAction::kHold});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kInfeasible);
  EXPECT_EQ(answer.error().message, "wants 9 GPUs, at most 4 can be had");
}

TEST(Client, SaysThatTheOutcomeOfAnUnansweredChangeIsUnknown) {
  FakeGateway gateway(say_nothing);
  auto client = Client::open({gateway.endpoint(), ""}, 0.5).value();
  const auto change = client->ask<Ack>(CommandJob{"1", JobAction::kHold}, Effect::kChanges);
  ASSERT_FALSE(change.has_value());
  EXPECT_EQ(change.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(change.error().message, testing::HasSubstr("outcome unknown"));
  const auto query = client->ask<NodeList>(QueryNodes{});
  EXPECT_THAT(query.error().message, testing::Not(testing::HasSubstr("outcome unknown")));
}

TEST(Client, SaysThatNothingWasSentToNobody) {
  const auto answer = Client::open({"tcp://127.0.0.1:1", ""}, 0.3).value()->ask<NodeList>(QueryNodes{});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnreachable);
  EXPECT_THAT(answer.error().message, testing::HasSubstr("nothing was sent"));
}

TEST(Client, TakesNoAnswerOfAnotherKind) {
  FakeGateway gateway([](FakeGateway& self, const std::string& peer, const Packet& packet) {
    self.reply(peer, packet, MessageKind::kAck, Codec<Ack>::encode(Ack{}));
  });
  const auto answer = Client::open({gateway.endpoint(), ""}, 10).value()->ask<NodeList>(QueryNodes{});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
}

TEST(ExitCodes, FollowTheDocumentedTable) {
  EXPECT_EQ(exit_code_of(ErrorCode::kInvalidArgument), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(ErrorCode::kInfeasible), ExitCode::kFailed);
  EXPECT_EQ(exit_code_of(ErrorCode::kRefused), ExitCode::kFailed);
  EXPECT_EQ(exit_code_of(ErrorCode::kNotFound), ExitCode::kFailed);
  EXPECT_EQ(exit_code_of(ErrorCode::kUnreachable), ExitCode::kUnknown);
  EXPECT_EQ(exit_code_of(ErrorCode::kTimedOut), ExitCode::kUnknown);
}

}  // namespace
}  // namespace hadar::cli
