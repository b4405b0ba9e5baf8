// Every message and every event comes back as it went in, and the same value always gives the same bytes.
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <rapidcheck.h>
#include <set>

#include "messages/codec/envelope_codec.hpp"
#include "messages/codec/event_json.hpp"
#include "tests/support/all_messages.hpp"
#include "tests/support/message_values.hpp"

namespace hadar {
namespace {

using testing::made;

// Values picked by rapidcheck, so that a counterexample shrinks. Edges come often.
class PickedSource final : public testing::Source {
 public:
  std::uint64_t number(std::uint64_t low, std::uint64_t high) override {
    const auto picked = *rc::gen::arbitrary<std::uint64_t>();
    const auto values = high - low + 1;
    if (values != 0 && values <= 1000) return low + picked % values;
    const auto edge = picked % 8;
    if (edge == 0) return low;
    if (edge == 1) return high;
    return values == 0 ? picked : low + picked % values;
  }
  double real() override {
    const auto picked = *rc::gen::arbitrary<double>();
    const auto edge = number(0, 9);
    if (edge == 0) return 0.0;
    if (edge == 1) return -0.0;
    if (edge == 2) return std::numeric_limits<double>::max();
    if (edge == 3) return std::numeric_limits<double>::denorm_min();
    return std::isfinite(picked) ? picked : 0.1;
  }
  std::uint32_t count() override { return number32(0, 3); }
};

template <class T>
class EveryMessage : public ::testing::Test {};

#define HADAR_TYPE(T, name) , T
template <class First, class... Rest>
struct WithoutFirst {
  using type = ::testing::Types<Rest...>;
};
using AllMessages = WithoutFirst<void HADAR_ALL_MESSAGES(HADAR_TYPE), RoundInput, RoundPlan>::type;
TYPED_TEST_SUITE(EveryMessage, AllMessages);

TYPED_TEST(EveryMessage, ComesBackAsItWentIn) {
  EXPECT_TRUE(rc::check([] {
    PickedSource source;
    const auto value = made<TypeParam>(source);
    const auto encoded = Codec<TypeParam>::encode(value);
    const auto decoded = Codec<TypeParam>::decode(encoded.body, encoded.payload);
    if (!decoded) RC_LOG() << decoded.error().message;
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(*decoded == value);
    RC_ASSERT(Codec<TypeParam>::encode(*decoded).body == encoded.body);
  }));
}

TEST(EveryKind, IsInTheListOfMessages) {
  std::set<MessageKind> listed;
#define HADAR_KIND(T, name) listed.insert(Codec<T>::kind);
  HADAR_ALL_MESSAGES(HADAR_KIND)
  for (unsigned number = 0; number <= 0xffff; ++number) {
    const auto kind = static_cast<MessageKind>(number);
    EXPECT_EQ(is_known(kind), listed.contains(kind)) << "kind " << number;
  }
}

TEST(EveryEvent, ComesBackAsItWentIn) {
  for (std::size_t index = 0; index < std::variant_size_v<EventBody>; ++index) {
    EXPECT_TRUE(rc::check([index] {
      PickedSource source;
      auto event = made<Event>(source);
      event.body = testing::made_fact(source, index);
      const auto line = event_to_json(event);
      RC_ASSERT(line.find('\n') == std::string::npos);
      const auto read = event_from_json(line);
      if (!read) RC_LOG() << read.error().message;
      RC_ASSERT(read.has_value());
      RC_ASSERT(*read == event);
      RC_ASSERT(event_to_json(*read) == line);
    }));
  }
}

TEST(JobSpecJson, ComesBackAsItWentIn) {
  EXPECT_TRUE(rc::check([] {
    PickedSource source;
    const auto spec = made<JobSpec>(source);
    const auto read = job_spec_from_json(job_spec_to_json(spec));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == spec);
  }));
}

TEST(Envelopes, ComeBackAsTheyWentIn) {
  EXPECT_TRUE(rc::check([] {
    PickedSource source;
    Envelope envelope{MessageKind::kPlanRound, ActorKey::kPolicy, EnvelopeFlag::kRequest,
                      source.number(1, testing::kMax), std::nullopt};
    if (source.flag()) {
      envelope.flag = EnvelopeFlag::kError;
      envelope.error = Error{static_cast<ErrorCode>(source.number(1, 12)), source.text()};
    }
    const auto decoded = decode_envelope(encode_envelope(envelope));
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(*decoded == envelope);
  }));
}

}  // namespace
}  // namespace hadar
