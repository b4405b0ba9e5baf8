#include "messages/codec/event_json.hpp"

#include <optional>
#include <variant>

#include "messages/codec/event_fields.hpp"
#include "messages/codec/json_reader.hpp"

namespace hadar {
namespace json {

std::span<const Named<OutcomeKind>> names_of(Named<OutcomeKind>) {
  static constexpr std::array<Named<OutcomeKind>, 3> kNames{{{OutcomeKind::kGranted, "granted"},
                                                             {OutcomeKind::kWaiting, "waiting"},
                                                             {OutcomeKind::kInfeasible, "infeasible"}}};
  return kNames;
}

std::span<const Named<LeaseEndReason>> names_of(Named<LeaseEndReason>) {
  static constexpr auto kName = [](LeaseEndReason end) { return Named<LeaseEndReason>{end, name_of(end)}; };
  static constexpr std::array kNames{kName(LeaseEndReason::kRunning),  kName(LeaseEndReason::kQuota),
                                     kName(LeaseEndReason::kDeadline), kName(LeaseEndReason::kRevoked),
                                     kName(LeaseEndReason::kFailed),   kName(LeaseEndReason::kLost)};
  return kNames;
}

}  // namespace json

namespace {

// In the order of EventBody.
constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kKinds{
    "ClusterStarted", "SchedulerStarted", "Submitted",     "Held",        "Released",     "PlanOutcome",
    "RoundOpened",    "LeasesGranted",    "LeaseExtended", "LeaseClosed", "ForkReported", "Consolidated",
    "Completed",      "Failed",           "Cancelled",     "NodeUp",      "NodeLost",     "NodeDraining",
    "NodeDrained",    "NodeUndrained",    "NodeForgotten"};

void write_body(json::Writer& writer, const EventBody& body) {
  writer("kind", kind_of(body));
  std::visit([&](const auto& fact) { fields(writer, fact); }, body);
}

template <std::size_t I = 0>
EventBody read_body(json::Reader& reader, std::string_view kind) {
  if constexpr (I == kKinds.size()) {
    throw json::Broken{"kind \"" + std::string(kind) + "\" is unknown"};
  } else {
    if (kKinds[I] != kind) return read_body<I + 1>(reader, kind);
    std::variant_alternative_t<I, EventBody> fact;
    fields(reader, fact);
    return fact;
  }
}

// Parses an object and reads all of it with `read(reader)`. `what` starts the error texts.
template <class Read>
auto read_object(std::string_view text, std::string_view what, Read read)
    -> Result<decltype(read(std::declval<json::Reader&>()))> {
  auto object = json::parse(text);
  if (!object) return fail(object.error().code, std::string(what) + ": " + object.error().message);
  try {
    json::Reader reader(*object, "");
    auto value = read(reader);
    reader.finish();
    return value;
  } catch (const json::Broken& broken) {
    return fail(ErrorCode::kCorrupt, std::string(what) + ": " + broken.message);
  }
}

EventBody read_kind_and_body(json::Reader& reader) {
  std::string kind;
  reader("kind", kind);
  return read_body(reader, kind);
}

}  // namespace

std::string_view kind_of(const EventBody& body) {
  return kKinds[body.index()];
}

std::string event_to_json(const Event& event) {
  json::Writer writer;
  writer.open('{');
  writer("seq", event.seq);
  writer("t_s", event.t_s);
  write_body(writer, event.body);
  writer.close('}');
  return writer.take();
}

Result<Event> event_from_json(std::string_view line) {
  return read_object(line, "event", [](json::Reader& reader) {
    Event event;
    reader("seq", event.seq);
    reader("t_s", event.t_s);
    event.body = read_kind_and_body(reader);
    return event;
  });
}

std::string event_body_to_json(const EventBody& body) {
  json::Writer writer;
  writer.open('{');
  write_body(writer, body);
  writer.close('}');
  return writer.take();
}

Result<EventBody> event_body_from_json(std::string_view line) {
  return read_object(line, "event", read_kind_and_body);
}

std::string job_spec_to_json(const JobSpec& spec) {
  json::Writer writer;
  writer.object(spec);
  return writer.take();
}

Result<JobSpec> job_spec_from_json(std::string_view text) {
  return read_object(text, "job", [](json::Reader& reader) {
    JobSpec spec;
    fields(reader, spec);
    return spec;
  });
}

}  // namespace hadar
