#include "tests/unit/bridge/bridge_fixture.hpp"

namespace hadar::test {
namespace {

QueryLog query_log(std::string node, std::uint64_t offset = 0) {
  QueryLog query;
  query.job = JobId{7};
  query.node = std::move(node);
  query.offset = offset;
  query.max_bytes = 100;
  return query;
}

class BridgeTest : public testing::Test {
 protected:
  Switchboard board_{Switchboard::Delivery::kOwnThread};
  Happenings archive_saw_;
  Side server_{"tracker", {"job-tracker"}, "mem://tracker"};
  Side client_{"gateway", {"gateway"}, ""};

  void serve(ServeOptions options = {}) {
    auto actor = server_.system.spawn(archive, &archive_saw_);
    server_.bridge.serve(ActorKey::kJobLedger, Archive(actor), options);
    actors_.push_back(actor);
  }
  void join() {
    server_.join(board_);
    client_.join(board_);
    client_.transport->connect("mem://tracker");
    ASSERT_TRUE(client_.happened.wait_for("up tracker"));
    ASSERT_TRUE(server_.happened.wait_for("up gateway"));
  }
  void start(ServeOptions options = {}) {
    serve(options);
    join();
  }
  Archive proxy(ProxyOptions options = {}) {
    return client_.bridge.proxy_for<Archive>("tracker", ActorKey::kJobLedger, options);
  }
  Result<LogPart> ask_log(const Archive& actor, QueryLog query) {
    return ask<LogPart>(client_.system, actor, std::move(query));
  }
  void TearDown() override {
    for (const auto& actor : actors_) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }

  std::vector<Archive> actors_;
};

TEST_F(BridgeTest, ARequestIsAnsweredAsByALocalActor) {
  start();
  const auto part = ask_log(proxy(), query_log("n1", 12));
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(part->node, "n1");
  EXPECT_EQ(part->offset, 12u);
  EXPECT_TRUE(ask<Ack>(client_.system, proxy(), CommandJob{"7", JobAction::kHold}));
}

TEST_F(BridgeTest, APayloadTravelsBesideItsMessage) {
  start();
  PutBlobChunk chunk;
  chunk.blob = {"00112233445566778899aabbccddeeff", 1 << 20};
  chunk.offset = 100;
  chunk.payload = Payload(std::vector<std::byte>(5000));
  const auto stat = ask<BlobStat>(client_.system, proxy(), chunk);
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->have, 5100u);
}

TEST_F(BridgeTest, OneWayMessagesArrive) {
  start();
  JobAdvanced told;
  told.job = JobId{41};
  caf::anon_send(proxy(), told);
  EXPECT_TRUE(archive_saw_.wait_for("advanced 41"));
}

TEST_F(BridgeTest, AnActorsErrorKeepsItsCodeAndText) {
  start();
  const auto part = ask_log(proxy(), query_log("fail"));
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error(), (Error{ErrorCode::kNotFound, "no log of job 7 here"}));
}

TEST_F(BridgeTest, AnActorThatThrowsIsAnInternalErrorAndThenGone) {
  start();
  const auto first = ask_log(proxy(), query_log("crash"));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::kInternal);
  const auto second = ask_log(proxy(), query_log("n1"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnreachable);
}

TEST_F(BridgeTest, WithoutAnAnswerTheCallersLimitEndsTheRequest) {
  start();
  const auto part = ask_log(proxy({.request_limit = 50ms}), query_log("never"));
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::kTimedOut);
  EXPECT_NE(part.error().message.find("tracker"), std::string::npos);
  EXPECT_EQ(client_.bridge.counters().at("requests_timed_out"), 1u);
}

TEST_F(BridgeTest, TheServingSideEndsRequestsThatItsActorForgot) {
  start({.request_limit = 50ms});
  const auto part = ask_log(proxy(), query_log("never"));
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::kTimedOut);
  EXPECT_EQ(server_.bridge.counters().at("requests_timed_out"), 1u);
}

TEST_F(BridgeTest, AnAbsentPeerIsUnreachableAtOnce) {
  serve();
  server_.join(board_);
  client_.join(board_);
  const auto part = ask_log(proxy(), query_log("n1"));
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::kUnreachable);
}

TEST_F(BridgeTest, OpenRequestsFailWhenThePeerGoesDownAndLaterOnesWorkWhenItIsBack) {
  start();
  std::thread cut([&] {
    ASSERT_TRUE(archive_saw_.wait_for("never"));
    board_.cut("tracker", "gateway");
  });
  const auto open = ask_log(proxy(), query_log("never"));
  cut.join();
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::kUnreachable);
  EXPECT_NE(open.error().message.find("the link was cut"), std::string::npos) << open.error().message;
  const auto later = ask_log(proxy(), query_log("n1"));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::kUnreachable);
  board_.heal("tracker", "gateway");
  ASSERT_TRUE(client_.happened.wait_for("up tracker", 2));
  EXPECT_TRUE(ask_log(proxy(), query_log("n1")));
}

TEST_F(BridgeTest, MoreOpenRequestsThanTheBoundAreOverloaded) {
  start();
  const auto bounded = proxy({.max_pending = 2});
  for (int i = 0; i < 2; ++i) caf::anon_send(bounded, query_log("never"));
  ASSERT_TRUE(archive_saw_.wait_for("never", 2));
  const auto third = ask_log(bounded, query_log("n1"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kOverloaded);
}

TEST_F(BridgeTest, TheServingSideBoundsEachPeersRequests) {
  start({.max_open_per_peer = 2});
  for (int i = 0; i < 2; ++i) caf::anon_send(proxy(), query_log("never"));
  ASSERT_TRUE(archive_saw_.wait_for("never", 2));
  const auto third = ask_log(proxy(), query_log("n1"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kOverloaded);
  EXPECT_EQ(server_.bridge.counters().at("requests_refused"), 1u);
}

TEST_F(BridgeTest, AnsweredRequestsGiveTheirPlaceBack) {
  start({.max_open_per_peer = 1});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(ask_log(proxy(), query_log("n1"))) << i;
}

TEST_F(BridgeTest, AnActorThatIsNotServedIsNotFound) {
  start();
  const auto other = client_.bridge.proxy_for<Archive>("tracker", ActorKey::kPolicy);
  const auto part = ask_log(other, query_log("n1"));
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::kNotFound);
}

TEST_F(BridgeTest, AMessageWithoutACodecStaysInItsProcess) {
  start();
  const auto answer = ask<Ack>(client_.system, proxy(), LocalOnly{1});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
}

PeerInfo named(std::string name, std::string endpoint = {}) {
  PeerInfo info;
  info.name = std::move(name);
  info.endpoint = std::move(endpoint);
  return info;
}

// A process that is no bridge: sends and answers what it likes.
struct Stranger {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Packet> packets;
  std::unique_ptr<Transport> transport;

  Stranger(Switchboard& board, PeerInfo self, std::function<void(Stranger&, const std::string&, const Packet&)> react) {
    TransportEvents sinks;
    sinks.on_packet = [this, react](const std::string& from, const Packet& packet) {
      if (react) react(*this, from, packet);
      const std::lock_guard lock(mutex);
      packets.push_back(packet);
      changed.notify_all();
    };
    transport = board.join(std::move(self), sinks);
  }
  Packet first() {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, 10s, [&] { return !packets.empty(); }));
    return packets.empty() ? Packet{} : packets.front();
  }
};

TEST_F(BridgeTest, ABodyThatDoesNotDecodeIsAnsweredAndCounted) {
  start();
  Stranger stranger(board_, named("stranger"), {});
  stranger.transport->connect("mem://tracker");
  ASSERT_TRUE(server_.happened.wait_for("up stranger"));
  Packet packet;
  packet.envelope = {MessageKind::kQueryLog, ActorKey::kJobLedger, EnvelopeFlag::kRequest, 77, std::nullopt};
  packet.body = Payload(std::vector<std::byte>(13, std::byte{0xee}));
  ASSERT_TRUE(stranger.transport->send("tracker", packet));
  const Packet answer = stranger.first();
  EXPECT_EQ(answer.envelope.flag, EnvelopeFlag::kError);
  EXPECT_EQ(answer.envelope.correlation, 77u);
  ASSERT_TRUE(answer.envelope.error);
  EXPECT_TRUE(answer.envelope.error->code == ErrorCode::kCorrupt ||
              answer.envelope.error->code == ErrorCode::kInvalidArgument);
  EXPECT_EQ(server_.bridge.counters().at("bodies_refused"), 1u);
  EXPECT_TRUE(ask_log(proxy(), query_log("n1")));
}

TEST_F(BridgeTest, AMessageOutsideTheContractIsRefused) {
  start();
  Stranger stranger(board_, named("stranger"), {});
  stranger.transport->connect("mem://tracker");
  ASSERT_TRUE(server_.happened.wait_for("up stranger"));
  Packet packet;
  packet.envelope = {MessageKind::kNodeHello, ActorKey::kJobLedger, EnvelopeFlag::kRequest, 78, std::nullopt};
  ASSERT_TRUE(stranger.transport->send("tracker", packet));
  const Packet answer = stranger.first();
  ASSERT_TRUE(answer.envelope.error);
  EXPECT_EQ(answer.envelope.error->code, ErrorCode::kInvalidArgument);
}

TEST_F(BridgeTest, AnswersThatBreakTheirFormatAreErrorsToTheCaller) {
  client_.join(board_);
  Stranger liar(board_, named("liar", "mem://liar"),
                [](Stranger& self, const std::string& from, const Packet& request) {
                  Packet answer;
                  const MessageKind kind =
                      request.envelope.target == ActorKey::kPolicy ? MessageKind::kAck : MessageKind::kLogPart;
                  answer.envelope = {kind, request.envelope.target, EnvelopeFlag::kReply, request.envelope.correlation,
                                     std::nullopt};
                  answer.body = Payload(std::vector<std::byte>(9, std::byte{0x7f}));
                  (void)self.transport->send(from, answer);
                });
  client_.transport->connect("mem://liar");
  ASSERT_TRUE(client_.happened.wait_for("up liar"));
  const auto garbled = ask_log(client_.bridge.proxy_for<Archive>("liar", ActorKey::kJobLedger), query_log("n1"));
  EXPECT_FALSE(garbled);
  const auto other_kind = ask_log(client_.bridge.proxy_for<Archive>("liar", ActorKey::kPolicy), query_log("n1"));
  ASSERT_FALSE(other_kind);
  EXPECT_EQ(other_kind.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(client_.bridge.counters().at("bodies_refused"), 2u);
}

TEST_F(BridgeTest, ALateAnswerIsDroppedAndCounted) {
  client_.join(board_);
  Stranger slow(board_, named("slow", "mem://slow"), {});
  client_.transport->connect("mem://slow");
  ASSERT_TRUE(client_.happened.wait_for("up slow"));
  const auto part = ask_log(client_.bridge.proxy_for<Archive>("slow", ActorKey::kJobLedger, {.request_limit = 20ms}),
                            query_log("n1"));
  EXPECT_EQ(part.error().code, ErrorCode::kTimedOut);
  const Envelope request = slow.first().envelope;
  Packet late;
  late.envelope = {MessageKind::kNone, request.target, EnvelopeFlag::kError, request.correlation,
                   Error{ErrorCode::kStale, "too late"}};
  ASSERT_TRUE(slow.transport->send("gateway", late));
  // The counter has no event; the next request passes the same mailbox after the late answer.
  EXPECT_EQ(ask_log(client_.bridge.proxy_for<Archive>("slow", ActorKey::kJobLedger), query_log("n1")).error().code,
            ErrorCode::kTimedOut);
  EXPECT_EQ(client_.bridge.counters().at("answers_dropped"), 1u);
}

TEST_F(BridgeTest, AProxyFollowsARoleToAnotherProcess) {
  client_.join(board_);
  const auto ledger = client_.bridge.proxy_to_role<Archive>("job-tracker", ActorKey::kJobLedger);
  EXPECT_EQ(ask_log(ledger, query_log("n1")).error().code, ErrorCode::kUnreachable);
  client_.transport->connect("mem://tracker");
  client_.transport->connect("mem://spare");
  serve();
  server_.join(board_);
  ASSERT_TRUE(client_.happened.wait_for("up tracker"));
  EXPECT_TRUE(ask_log(ledger, query_log("n1")));

  Side spare("spare", {"policy", "job-tracker"}, "mem://spare");
  auto actor = spare.system.spawn(archive, &spare.happened);
  spare.bridge.serve(ActorKey::kJobLedger, Archive(actor));
  spare.join(board_);
  ASSERT_TRUE(client_.happened.wait_for("up spare"));
  server_.transport.reset();
  ASSERT_TRUE(client_.happened.wait_for("down tracker"));
  EXPECT_TRUE(ask_log(ledger, query_log("n1")));
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_F(BridgeTest, TheSameQuestionGivesTheSameProxy) {
  start();
  EXPECT_EQ(proxy().address(), proxy().address());
  EXPECT_NE(proxy().address(), client_.bridge.proxy_for<Archive>("tracker", ActorKey::kPolicy).address());
}

TEST_F(BridgeTest, AForgottenPeersProxyEndsWithAnError) {
  start();
  const Archive old = proxy();
  client_.bridge.forget("tracker");
  const auto part = ask_log(old, query_log("n1"));
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::kUnreachable);
  EXPECT_TRUE(ask_log(proxy(), query_log("n1")));
}

TEST_F(BridgeTest, EventsBeforeAttachAreDeliveredByIt) {
  serve();
  server_.join(board_);
  client_.transport = board_.join(client_.self, client_.bridge.events());
  client_.transport->connect("mem://tracker");
  ASSERT_TRUE(server_.happened.wait_for("up gateway"));
  client_.bridge.attach(*client_.transport);
  ASSERT_TRUE(client_.happened.wait_for("up tracker"));
  EXPECT_TRUE(ask_log(proxy(), query_log("n1")));
  EXPECT_EQ(client_.bridge.peer("tracker")->roles, std::vector<std::string>{"job-tracker"});
}

TEST_F(BridgeTest, ADirectoryIsKnownOfAPeer) {
  start();
  server_.transport->set_directory({{"scheduler", "tcp://h:1"}});
  ASSERT_TRUE(client_.happened.wait_for("directory tracker"));
  EXPECT_EQ(client_.bridge.peer("tracker")->directory.at("scheduler"), "tcp://h:1");
}

}  // namespace
}  // namespace hadar::test
