#include "tests/fuzz/targets.hpp"

#include <array>

#include "messages/codec/envelope_codec.hpp"
#include "messages/codec/event_json.hpp"
#include "messages/types/check.hpp"
#include "tests/support/all_messages.hpp"
#include "tests/support/message_values.hpp"
#include "tests/unit/tools/traces/samples.hpp"

namespace hadar::fuzz {
namespace {

using testing::CountingSource;
using testing::made;

// Errors are one line and never empty.
void check_error(const Error& error) {
  HADAR_REQUIRE(!error.message.empty() && error.message.find('\n') == std::string::npos);
  HADAR_REQUIRE(error.code == ErrorCode::kCorrupt || error.code == ErrorCode::kInvalidArgument);
}

// The fuzzer gives no payload; a chunk's own then stays empty.
template <class T>
void read_message(std::span<const std::byte> bytes) {
  const auto value = Codec<T>::decode(bytes);
  if (!value) return check_error(value.error());
  const auto encoded = Codec<T>::encode(*value);
  const auto again = Codec<T>::decode(encoded.body, encoded.payload);
  HADAR_REQUIRE(again.has_value());
  HADAR_REQUIRE(*again == *value);
}

template <class T>
std::vector<std::byte> seed_message() {
  CountingSource source;
  return Codec<T>::encode(made<T>(source)).body;
}

void read_envelope(std::span<const std::byte> bytes) {
  const auto envelope = decode_envelope(bytes);
  if (!envelope) return check_error(envelope.error());
  HADAR_REQUIRE(decode_envelope(encode_envelope(*envelope)) == envelope);
}

std::vector<std::byte> seed_envelope() {
  return encode_envelope(
      {MessageKind::kPlanRound, ActorKey::kPolicy, EnvelopeFlag::kError, 7, Error{ErrorCode::kTimedOut, "no answer"}});
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

void read_event(std::span<const std::byte> bytes) {
  const auto event = event_from_json(text_of(bytes));
  if (!event) return check_error(event.error());
  HADAR_REQUIRE(event_from_json(event_to_json(*event)) == event);
}

template <std::size_t Kind>
std::vector<std::byte> seed_event() {
  CountingSource source;
  return bytes_of(event_to_json({1, 0.5, testing::made_fact(source, Kind)}));
}

void read_job_spec(std::span<const std::byte> bytes) {
  const auto spec = job_spec_from_json(text_of(bytes));
  if (!spec) return check_error(spec.error());
  HADAR_REQUIRE(job_spec_from_json(job_spec_to_json(*spec)) == spec);
}

std::vector<std::byte> seed_job_spec() {
  CountingSource source;
  return bytes_of(job_spec_to_json(made<JobSpec>(source)));
}

// What is taken of a trace is the same trace in our own form.
void read_trace(std::span<const std::byte> bytes) {
  const auto loaded = traces::parse_trace(text_of(bytes), "trace");
  if (!loaded) return check_error(loaded.error());
  const auto again = traces::parse_trace(traces::to_csv(loaded->trace), "again");
  HADAR_REQUIRE(again.has_value() && again->refused.empty());
  HADAR_REQUIRE(again->trace == loaded->trace);
}

template <std::size_t Form>
std::vector<std::byte> seed_trace() {
  return bytes_of(traces::testing::samples()[Form].text);
}

template <std::size_t... Forms>
void add_traces(std::vector<Target>& all, std::index_sequence<Forms...>) {
  (all.push_back({"trace", read_trace, seed_trace<Forms>}), ...);
}

template <std::size_t... Kinds>
void add_events(std::vector<Target>& all, std::index_sequence<Kinds...>) {
  (all.push_back({"event", read_event, seed_event<Kinds>}), ...);
}

std::vector<Target> make_targets() {
  std::vector<Target> all{{"envelope", read_envelope, seed_envelope},
                          {"job_spec", read_job_spec, seed_job_spec},
                          {"round_input", read_message<RoundInput>, seed_message<RoundInput>},
                          {"round_plan", read_message<RoundPlan>, seed_message<RoundPlan>}};
#define HADAR_TARGET(T, name) all.push_back({#name, read_message<T>, seed_message<T>});
  HADAR_ALL_MESSAGES(HADAR_TARGET)
  add_events(all, std::make_index_sequence<std::variant_size_v<EventBody>>());
  add_traces(all, std::make_index_sequence<21>());
  return all;
}

}  // namespace

std::span<const Target> targets() {
  static const std::vector<Target> all = make_targets();
  return all;
}

}  // namespace hadar::fuzz
