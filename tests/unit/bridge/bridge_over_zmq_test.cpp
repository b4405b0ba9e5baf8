// The bridge over the transport of live processes.
#include "runtime/transport/zmq_transport.hpp"
#include "tests/unit/bridge/bridge_fixture.hpp"

namespace hadar::test {
namespace {

TransportOptions options_of(const PeerInfo& self, std::uint64_t incarnation, const std::string& listen = {}) {
  TransportOptions options;
  options.cluster_id = "lab";
  options.self = self;
  options.self.endpoint.clear();
  options.self.incarnation = incarnation;
  options.reconnect_min = 20ms;
  options.reconnect_max = 100ms;
  if (!listen.empty()) options.listen = {listen};
  return options;
}

struct LiveSide : Side {
  std::string endpoint;
  LiveSide(std::string name, std::vector<std::string> roles, std::uint64_t incarnation, const std::string& listen = {})
      : Side(std::move(name), std::move(roles), {}) {
    auto archive_actor = system.spawn(archive, &happened);
    bridge.serve(ActorKey::kJobLedger, Archive(archive_actor));
    actor = archive_actor;
    auto opened = open_zmq_transport(options_of(self, incarnation, listen), bridge.events());
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    endpoint = (*opened)->endpoint();
    transport = std::move(*opened);
    bridge.attach(*transport);
  }
  ~LiveSide() { caf::anon_send_exit(actor, caf::exit_reason::user_shutdown); }
  Archive actor;
};

QueryLog query() {
  QueryLog asked;
  asked.job = JobId{7};
  asked.node = "n1";
  asked.max_bytes = 10;
  return asked;
}

TEST(BridgeOverZmq, RequestsPayloadsAndRestartsWork) {
  auto tracker = std::make_unique<LiveSide>("tracker", std::vector<std::string>{"job-tracker"}, 1, "tcp://127.0.0.1:*");
  const std::string endpoint = tracker->endpoint;
  LiveSide gateway("gateway", {"gateway"}, 1);
  const auto ledger = gateway.bridge.proxy_to_role<Archive>("job-tracker", ActorKey::kJobLedger);
  gateway.transport->connect(endpoint);
  ASSERT_TRUE(gateway.happened.wait_for("up tracker"));
  EXPECT_TRUE(ask<LogPart>(gateway.system, ledger, query()));

  PutBlobChunk chunk;
  chunk.blob = {"00112233445566778899aabbccddeeff", 1 << 24};
  chunk.payload = Payload(std::vector<std::byte>(4 << 20, std::byte{5}));
  const auto stat = ask<BlobStat>(gateway.system, ledger, chunk);
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->have, std::uint64_t{4} << 20);

  // Both ways over one connection.
  ASSERT_TRUE(tracker->happened.wait_for("up gateway"));
  const auto back = tracker->bridge.proxy_for<Archive>("gateway", ActorKey::kJobLedger);
  EXPECT_TRUE(ask<LogPart>(tracker->system, back, query()));

  tracker.reset();
  ASSERT_TRUE(gateway.happened.wait_for("down tracker"));
  EXPECT_EQ(ask<LogPart>(gateway.system, ledger, query()).error().code, ErrorCode::kUnreachable);
  LiveSide again("tracker", {"job-tracker"}, 2, endpoint);
  ASSERT_TRUE(gateway.happened.wait_for("up tracker", 2));
  EXPECT_TRUE(ask<LogPart>(gateway.system, ledger, query()));
}

TEST(BridgeOverZmq, AThousandRequestsAtOnceAreAllAnsweredOnce) {
  LiveSide tracker("tracker", {"job-tracker"}, 1, "tcp://127.0.0.1:*");
  LiveSide gateway("gateway", {"gateway"}, 1);
  gateway.transport->connect(tracker.endpoint);
  ASSERT_TRUE(gateway.happened.wait_for("up tracker"));
  const auto ledger = gateway.bridge.proxy_for<Archive>("tracker", ActorKey::kJobLedger);
  caf::scoped_actor self{gateway.system};
  constexpr int kRequests = 1000;
  std::vector<std::uint64_t> offsets;
  using Response = decltype(self->request(ledger, 20s, query()));
  std::vector<Response> open;
  for (int i = 0; i < kRequests; ++i) {
    QueryLog asked = query();
    asked.offset = static_cast<std::uint64_t>(i);
    open.push_back(self->request(ledger, 20s, std::move(asked)));
  }
  for (auto& response : open)
    response.receive([&](const LogPart& part) { offsets.push_back(part.offset); },
                     [](const caf::error& error) { ADD_FAILURE() << to_error(error).message; });
  ASSERT_EQ(offsets.size(), static_cast<std::size_t>(kRequests));
  for (int i = 0; i < kRequests; ++i) EXPECT_EQ(offsets[i], static_cast<std::uint64_t>(i));
}

}  // namespace
}  // namespace hadar::test
