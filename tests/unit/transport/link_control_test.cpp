// The rules of links, without sockets and in a time of our own.
#include "runtime/transport/link_control.hpp"

#include <set>

#include "messages/codec/envelope_codec.hpp"
#include "messages/codec/link_codec.hpp"
#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {
namespace {

struct Sent {
  LinkKey key;
  MessageKind kind;
  std::string body;
};

class FakeWire final : public LinkWire {
 public:
  SendOutcome send(const LinkKey& key, const Outgoing& packet) override {
    if (gone.contains(key.id)) return SendOutcome::kGone;
    if (full.contains(key.id)) return SendOutcome::kFull;
    sent.push_back({key, decode_envelope(packet.envelope.bytes())->kind, text_of(packet.body)});
    if (packet.gate) {
      packet.gate->packets -= 1;
      packet.gate->bytes -= packet.bytes();
    }
    return SendOutcome::kSent;
  }
  void reopen(const std::string& endpoint) override { reopened.push_back(endpoint); }
  void close(const std::string& endpoint) override { closed.push_back(endpoint); }

  std::size_t count(const std::string& id, MessageKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(sent.begin(), sent.end(), [&](const Sent& s) { return s.key.id == id && s.kind == kind; }));
  }
  template <class Message>
  Message last(const std::string& id) const {
    for (auto s = sent.rbegin(); s != sent.rend(); ++s)
      if (s->key.id == id && s->kind == Codec<Message>::kind) {
        return *Codec<Message>::decode(std::as_bytes(std::span(s->body)));
      }
    ADD_FAILURE() << "never sent to " << id;
    return {};
  }

  std::vector<Sent> sent;
  std::set<std::string> gone;
  std::set<std::string> full;
  std::vector<std::string> reopened;
  std::vector<std::string> closed;
};

LinkKey in(std::string id) {
  return {LinkSide::kInbound, std::move(id)};
}
LinkKey out(std::string endpoint) {
  return {LinkSide::kOutbound, std::move(endpoint)};
}

class LinkControlTest : public testing::Test {
 protected:
  TransportOptions options_ = quick_options("me", 100);
  EventLogbook log_;
  TransportEvents events_ = log_.events();
  TransportCounters counters_;
  Outbox outbox_{4, 1 << 20, counters_};
  FakeWire wire_;
  LinkControl control_{options_, events_, outbox_, counters_, wire_};
  LinkTime now_{};

  template <class Message>
  void receive(const LinkKey& key, const Message& message) {
    Envelope envelope;
    envelope.kind = Codec<Message>::kind;
    control_.received(
        key, {Payload(encode_envelope(envelope)), Payload(Codec<Message>::encode(message).body), {}, true}, now_);
  }
  static PeerInfo info(const std::string& name, std::uint64_t incarnation) {
    PeerInfo who;
    who.name = name;
    who.incarnation = incarnation;
    return who;
  }
  void hello(const LinkKey& key, const std::string& name, std::uint64_t incarnation = 1) {
    receive(key, LinkHello{"lab", kProtocolVersion, info(name, incarnation)});
  }
  void welcome(const std::string& endpoint, const std::string& name, std::uint64_t incarnation = 1) {
    receive(out(endpoint), LinkWelcome{kProtocolVersion, info(name, incarnation)});
  }
  void dial(const std::string& endpoint) {
    control_.dial_opened(endpoint, now_);
    control_.dial_connected(endpoint, now_);
  }
  void pass(std::chrono::milliseconds span) {
    for (; span > 0ms; span -= 10ms) {
      now_ += 10ms;
      control_.tick(now_);
    }
  }
  Status send(const std::string& peer, const std::string& text) {
    Packet packet = packet_of(text);
    auto status = outbox_.send(peer, {Payload(encode_envelope(packet.envelope)), packet.body, {}, nullptr});
    if (status) hand_over();
    return status;
  }
  void hand_over() {
    std::vector<Command> commands;
    outbox_.take(commands);
    for (Command& command : commands) {
      auto& packet = std::get<command::Send>(command);
      control_.send(packet.peer, std::move(packet.packet), now_);
    }
  }
  std::vector<std::string> packets_to(const std::string& id) const {
    std::vector<std::string> bodies;
    for (const Sent& s : wire_.sent)
      if (s.key.id == id && s.kind == MessageKind::kAck) bodies.push_back(s.body);
    return bodies;
  }
};

TEST_F(LinkControlTest, AHelloIsRepeatedUntilAnsweredAndThenTheConnectionIsMadeAfresh) {
  dial("E");
  EXPECT_EQ(wire_.count("E", MessageKind::kLinkHello), 1u);
  pass(options_.hello_interval * 3);
  EXPECT_EQ(wire_.count("E", MessageKind::kLinkHello), 4u);
  pass(options_.handshake_limit);
  EXPECT_EQ(wire_.reopened, std::vector<std::string>{"E"});
  const auto before = wire_.count("E", MessageKind::kLinkHello);
  pass(options_.handshake_limit);
  EXPECT_EQ(wire_.count("E", MessageKind::kLinkHello), before) << "no hello before the new connection is there";
  control_.dial_connected("E", now_);
  EXPECT_EQ(wire_.count("E", MessageKind::kLinkHello), before + 1);
  welcome("E", "server");
  pass(options_.hello_interval * 2);
  EXPECT_EQ(wire_.count("E", MessageKind::kLinkHello), before + 1);
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up server"});
}

TEST_F(LinkControlTest, ARepeatedHelloIsWelcomedAgainWithoutASecondUp) {
  hello(in("r1"), "n1");
  hello(in("r1"), "n1");
  EXPECT_EQ(wire_.count("r1", MessageKind::kLinkWelcome), 2u);
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up n1"});
}

TEST_F(LinkControlTest, OneConnectionIsOneProcess) {
  hello(in("r1"), "n1");
  hello(in("r1"), "n2");
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up n1"});
  EXPECT_EQ(counters_.frames_refused, 1u);
}

TEST_F(LinkControlTest, SilenceIsPingedThenDown) {
  hello(in("r1"), "n1");
  pass(options_.silence_limit - 10ms);
  EXPECT_GE(wire_.count("r1", MessageKind::kLinkPing), 15u);
  EXPECT_EQ(log_.count("down"), 0u);
  pass(10ms);
  EXPECT_EQ(log_.entries().back(), "down n1: no answer for 1.0 s");
}

TEST_F(LinkControlTest, APongIsLife) {
  hello(in("r1"), "n1");
  for (int i = 0; i < 10; ++i) {
    pass(options_.silence_limit / 2);
    receive(in("r1"), LinkPong{0});
  }
  EXPECT_EQ(log_.count("down"), 0u);
}

TEST_F(LinkControlTest, AHeardLinkIsNotPinged) {
  hello(in("r1"), "n1");
  for (int i = 0; i < 100; ++i) {
    pass(10ms);
    receive(in("r1"), LinkPing{1});
  }
  EXPECT_EQ(wire_.count("r1", MessageKind::kLinkPing), 0u);
  EXPECT_EQ(wire_.count("r1", MessageKind::kLinkPong), 100u);
}

TEST_F(LinkControlTest, OurOwnStallIsNobodysSilence) {
  hello(in("r1"), "n1");
  now_ += 1h;
  control_.forgive(1h);
  control_.tick(now_);
  EXPECT_EQ(log_.count("down"), 0u);
  pass(options_.silence_limit);
  EXPECT_EQ(log_.count("down"), 1u);
}

TEST_F(LinkControlTest, ALivingHolderKeepsItsName) {
  hello(in("r1"), "n1", 1);
  hello(in("r2"), "n1", 2);
  EXPECT_EQ(wire_.count("r2", MessageKind::kLinkWelcome), 0u);
  receive(in("r1"), LinkPong{wire_.last<LinkPing>("r1").nonce});
  EXPECT_EQ(wire_.last<LinkRefused>("r2").code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up n1"});
  pass(options_.name_check_limit * 2);
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up n1"});
}

TEST_F(LinkControlTest, AnOldPacketIsNoProofOfLife) {
  hello(in("r1"), "n1", 1);
  hello(in("r2"), "n1", 2);
  Envelope envelope;
  envelope.kind = MessageKind::kAck;
  control_.received(in("r1"), {Payload(encode_envelope(envelope)), {}, {}, true}, now_);
  pass(options_.name_check_limit);
  EXPECT_EQ(wire_.count("r2", MessageKind::kLinkWelcome), 1u);
  EXPECT_EQ(log_.count("up n1"), 2u);
  EXPECT_EQ(log_.last_info().incarnation, 2u);
}

TEST_F(LinkControlTest, ADeadConnectionFreesItsNameAtOnce) {
  hello(in("r1"), "n1", 1);
  wire_.gone.insert("r1");
  hello(in("r2"), "n1", 2);
  EXPECT_EQ(wire_.count("r2", MessageKind::kLinkWelcome), 1u);
  EXPECT_EQ(log_.entries(), (std::vector<std::string>{"up n1", "down n1: the connection closed", "up n1"}));
}

TEST_F(LinkControlTest, OnlyOneNewcomerAtATimeMayAskForAName) {
  hello(in("r1"), "n1", 1);
  hello(in("r2"), "n1", 2);
  hello(in("r3"), "n1", 3);
  EXPECT_EQ(wire_.last<LinkRefused>("r3").code, ErrorCode::kAlreadyExists);
  hello(in("r2"), "n1", 2);  // repeats itself while it waits
  EXPECT_EQ(wire_.count("r2", MessageKind::kLinkRefused), 0u);
}

TEST_F(LinkControlTest, ANewcomerWeDialledIsCheckedToo) {
  hello(in("r1"), "n1", 1);
  dial("E");
  welcome("E", "n1", 2);
  receive(in("r1"), LinkPong{wire_.last<LinkPing>("r1").nonce});
  EXPECT_EQ(wire_.closed, std::vector<std::string>{"E"});
  EXPECT_EQ(log_.count("refused E: already_exists"), 1u);
  EXPECT_EQ(log_.count("down"), 0u);
}

TEST_F(LinkControlTest, BothDirectionsAreOnePeerAndTheFirstLinkCarries) {
  hello(in("r1"), "n1");
  dial("E");
  welcome("E", "n1");
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up n1"});
  ASSERT_TRUE(send("n1", "a"));
  EXPECT_EQ(packets_to("r1"), std::vector<std::string>{"a"});
}

TEST_F(LinkControlTest, AConnectionMadeAnewCarriesFromThenOn) {
  hello(in("r1"), "n1");
  hello(in("r2"), "n1");
  ASSERT_TRUE(send("n1", "a"));
  EXPECT_EQ(packets_to("r2"), std::vector<std::string>{"a"});
  EXPECT_EQ(log_.entries(), std::vector<std::string>{"up n1"});
}

TEST_F(LinkControlTest, ALostLinkIsADownEvenWhenAnotherIsLeft) {
  hello(in("r1"), "n1");
  dial("E");
  welcome("E", "n1");
  control_.dial_lost("E", now_);
  EXPECT_EQ(log_.entries(), (std::vector<std::string>{"up n1", "down n1: the connection closed", "up n1"}));
  ASSERT_TRUE(send("n1", "a"));
  EXPECT_EQ(packets_to("r1"), std::vector<std::string>{"a"});
}

TEST_F(LinkControlTest, ABrokenConnectionIsMadeAfreshSoThatNothingOldReachesTheNextListener) {
  dial("E");
  welcome("E", "server", 1);
  control_.dial_lost("E", now_);
  EXPECT_EQ(wire_.reopened, std::vector<std::string>{"E"});
  control_.dial_lost("E", now_);  // an attempt that failed: it is repeated by itself
  EXPECT_EQ(wire_.reopened.size(), 1u);
  control_.dial_connected("E", now_);
  welcome("E", "server", 2);
  EXPECT_EQ(log_.entries(), (std::vector<std::string>{"up server", "down server: the connection closed", "up server"}));
}

TEST_F(LinkControlTest, AGoodbyeOnOneOfTwoLinksIsNoDown) {
  hello(in("r1"), "n1");
  dial("E");
  welcome("E", "n1");
  receive(out("E"), LinkBye{"leaving"});
  EXPECT_EQ(log_.count("down"), 0u);
  receive(in("r1"), LinkBye{"leaving"});
  EXPECT_EQ(log_.entries().back(), "down n1: leaving");
}

TEST_F(LinkControlTest, ADroppedLinkIsHelloedAgainAtOnce) {
  dial("E");
  welcome("E", "server");
  receive(out("E"), LinkBye{"no handshake on this link; say hello first"});
  EXPECT_EQ(log_.count("down server"), 1u);
  EXPECT_EQ(wire_.count("E", MessageKind::kLinkHello), 2u);
  receive(out("E"), LinkBye{"no handshake on this link; say hello first"});  // for an earlier packet of ours
  welcome("E", "server");
  EXPECT_EQ(log_.count("up server"), 2u);
  EXPECT_EQ(log_.count("down server"), 1u);
}

TEST_F(LinkControlTest, WhatAFullLinkDoesNotTakeWaitsInOrder) {
  hello(in("r1"), "n1");
  wire_.full.insert("r1");
  for (const char* text : {"a", "b", "c", "d"}) ASSERT_TRUE(send("n1", text));
  EXPECT_EQ(send("n1", "e").error().code, ErrorCode::kOverloaded);
  EXPECT_TRUE(control_.flush(now_));
  wire_.full.clear();
  EXPECT_FALSE(control_.flush(now_));
  EXPECT_EQ(packets_to("r1"), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_TRUE(send("n1", "f"));
  EXPECT_EQ(counters_.sends_overloaded, 1u);
}

TEST_F(LinkControlTest, BytesAreBoundedButOneLargePacketGetsThrough) {
  hello(in("r1"), "n1");
  wire_.full.insert("r1");
  ASSERT_TRUE(send("n1", std::string(2 << 20, 'x')));
  EXPECT_EQ(send("n1", "y").error().code, ErrorCode::kOverloaded);
}

TEST_F(LinkControlTest, WhatWaitedForADeadProcessIsNotSentToItsSuccessor) {
  hello(in("r1"), "n1", 1);
  wire_.full.insert("r1");
  ASSERT_TRUE(send("n1", "for the first"));
  Packet packet = packet_of("still in the outbox");
  ASSERT_TRUE(outbox_.send("n1", {Payload(encode_envelope(packet.envelope)), packet.body, {}, nullptr}));
  receive(in("r1"), LinkBye{"leaving"});
  hello(in("r2"), "n1", 2);
  hand_over();
  control_.flush(now_);
  EXPECT_TRUE(packets_to("r2").empty());
  EXPECT_EQ(counters_.sends_dropped, 2u);
}

TEST_F(LinkControlTest, ADownPeerIsUnreachable) {
  EXPECT_EQ(send("n1", "a").error().code, ErrorCode::kUnreachable);
  hello(in("r1"), "n1");
  EXPECT_TRUE(send("n1", "a"));
  receive(in("r1"), LinkBye{"leaving"});
  EXPECT_EQ(send("n1", "a").error().code, ErrorCode::kUnreachable);
}

TEST_F(LinkControlTest, AProbeFindsTheDeadAmongTheLiving) {
  for (const char* name : {"n1", "n2", "n3"}) hello(in(name), name);
  wire_.gone.insert("n2");
  control_.probe_inbound(now_);
  EXPECT_EQ(log_.entries().back(), "down n2: the connection closed");
  EXPECT_EQ(log_.count("down"), 1u);
}

TEST_F(LinkControlTest, AWelcomeThatNobodyAskedForIsRefused) {
  receive(in("r1"), LinkWelcome{kProtocolVersion, info("n1", 1)});
  receive(out("E"), LinkWelcome{kProtocolVersion, info("n1", 1)});
  EXPECT_TRUE(log_.entries().empty());
  EXPECT_EQ(counters_.frames_refused, 2u);
}

}  // namespace
}  // namespace hadar::test
