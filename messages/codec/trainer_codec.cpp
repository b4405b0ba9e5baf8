#include "messages/codec/trainer_codec.hpp"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <cmath>
#include <cstring>
#include <string>

#include "trainer.capnp.h"

namespace hadar {
namespace {

std::vector<std::byte> bytes_of(capnp::MallocMessageBuilder& message) {
  const auto words = capnp::messageToFlatArray(message);
  const auto bytes = words.asBytes();
  std::vector<std::byte> out(bytes.size());
  std::memcpy(out.data(), bytes.begin(), bytes.size());
  return out;
}

template <class Schema, class Fill>
Encoded encode_with(Fill&& fill) {
  capnp::MallocMessageBuilder message;
  fill(message.initRoot<Schema>());
  return {bytes_of(message), {}};
}

// The reader needs aligned words, which a received frame does not promise: always read from a copy.
template <class Schema, class T, class Read>
Result<T> decode_with(const char* name, std::span<const std::byte> body, Read&& read) {
  auto words = kj::heapArray<capnp::word>(body.size() / sizeof(capnp::word));
  if (words.size() * sizeof(capnp::word) != body.size() || words.size() == 0)
    return fail(ErrorCode::kCorrupt, std::string(name) + ": " + std::to_string(body.size()) +
                                         " bytes are no message; it is a whole number of 8-byte words");
  std::memcpy(words.begin(), body.data(), body.size());
  try {
    capnp::ReaderOptions options;
    options.traversalLimitInWords = 4 * words.size() + 1024;
    options.nestingLimit = 8;
    capnp::FlatArrayMessageReader reader(words, options);
    return read(reader.getRoot<Schema>());
  } catch (const kj::Exception& e) {
    return fail(ErrorCode::kCorrupt, std::string(name) + ": " + e.getDescription().cStr());
  }
}

std::string text(capnp::Text::Reader reader) {
  return {reader.begin(), reader.size()};
}

// With its length: from a C string it would end at the first zero byte.
capnp::Text::Reader whole(const std::string& value) {
  return {value.c_str(), value.size()};
}

template <class... Numbers>
bool counts(Numbers... seconds) {
  return ((std::isfinite(seconds) && seconds >= 0) && ...);
}

tl::unexpected<Error> broken(const char* what) {
  return fail(ErrorCode::kInvalidArgument, what);
}

}  // namespace

Encoded Codec<TrainerHello>::encode(const TrainerHello& value) {
  return encode_with<schema::TrainerHello>([&](auto out) {
    out.setToken(whole(value.token));
    out.setRank(value.rank);
    out.setPid(value.pid);
  });
}

Result<TrainerHello> Codec<TrainerHello>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerHello, TrainerHello>("TrainerHello", body, [](auto in) -> Result<TrainerHello> {
    return TrainerHello{text(in.getToken()), in.getRank(), in.getPid()};
  });
}

Encoded Codec<TrainerLeaseStart>::encode(const TrainerLeaseStart& value) {
  return encode_with<schema::TrainerLeaseStart>([&](auto out) {
    out.setLease(value.lease.value);
    out.setWeightsPath(whole(value.weights_path));
    out.setResultPath(whole(value.result_path));
    out.setQuotaSteps(value.quota_steps);
    out.setTrainForS(value.train_for_s);
    out.setPaceStepsPerS(value.pace_steps_per_s);
    out.setSeed(value.seed);
    out.setFirstStep(value.first_step);
    out.setTotalSteps(value.total_steps);
    out.setBatchSize(value.batch_size);
    out.setFork(value.fork);
    out.setRank(value.rank);
    out.setWorldSize(value.world_size);
    out.setRendezvous(whole(value.rendezvous));
  });
}

Result<TrainerLeaseStart> Codec<TrainerLeaseStart>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerLeaseStart, TrainerLeaseStart>(
      "TrainerLeaseStart", body, [](auto in) -> Result<TrainerLeaseStart> {
        TrainerLeaseStart value{.lease = {in.getLease()},
                                .weights_path = text(in.getWeightsPath()),
                                .result_path = text(in.getResultPath()),
                                .quota_steps = in.getQuotaSteps(),
                                .train_for_s = in.getTrainForS(),
                                .pace_steps_per_s = in.getPaceStepsPerS(),
                                .seed = in.getSeed(),
                                .first_step = in.getFirstStep(),
                                .total_steps = in.getTotalSteps(),
                                .batch_size = in.getBatchSize(),
                                .fork = in.getFork(),
                                .rank = in.getRank(),
                                .world_size = in.getWorldSize(),
                                .rendezvous = text(in.getRendezvous())};
        if (!counts(value.train_for_s, value.pace_steps_per_s))
          return broken("TrainerLeaseStart: trainForS and paceStepsPerS must be finite and not negative");
        if (value.rank >= value.world_size) return broken("TrainerLeaseStart: rank must be below worldSize");
        if (value.world_size > 1 && value.rendezvous.empty())
          return broken("TrainerLeaseStart: a gang needs a rendezvous");
        return value;
      });
}

Encoded Codec<TrainerLeaseExtend>::encode(const TrainerLeaseExtend& value) {
  return encode_with<schema::TrainerLeaseExtend>([&](auto out) {
    out.setLease(value.lease.value);
    out.setQuotaSteps(value.quota_steps);
    out.setTrainForS(value.train_for_s);
  });
}

Result<TrainerLeaseExtend> Codec<TrainerLeaseExtend>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerLeaseExtend, TrainerLeaseExtend>(
      "TrainerLeaseExtend", body, [](auto in) -> Result<TrainerLeaseExtend> {
        if (!counts(in.getTrainForS())) return broken("TrainerLeaseExtend: trainForS must be finite and not negative");
        return TrainerLeaseExtend{{in.getLease()}, in.getQuotaSteps(), in.getTrainForS()};
      });
}

Encoded Codec<TrainerSave>::encode(const TrainerSave& value) {
  return encode_with<schema::TrainerSave>([&](auto out) { out.setLease(value.lease.value); });
}

Result<TrainerSave> Codec<TrainerSave>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerSave, TrainerSave>(
      "TrainerSave", body, [](auto in) -> Result<TrainerSave> { return TrainerSave{{in.getLease()}}; });
}

Encoded Codec<TrainerLeaseStop>::encode(const TrainerLeaseStop& value) {
  return encode_with<schema::TrainerLeaseStop>([&](auto out) { out.setLease(value.lease.value); });
}

Result<TrainerLeaseStop> Codec<TrainerLeaseStop>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerLeaseStop, TrainerLeaseStop>(
      "TrainerLeaseStop", body, [](auto in) -> Result<TrainerLeaseStop> { return TrainerLeaseStop{{in.getLease()}}; });
}

Encoded Codec<TrainerExit>::encode(const TrainerExit&) {
  return encode_with<schema::TrainerExit>([](auto) {});
}

Result<TrainerExit> Codec<TrainerExit>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerExit, TrainerExit>("TrainerExit", body,
                                                       [](auto) -> Result<TrainerExit> { return TrainerExit{}; });
}

Encoded Codec<TrainerProgress>::encode(const TrainerProgress& value) {
  return encode_with<schema::TrainerProgress>([&](auto out) {
    out.setLease(value.lease.value);
    out.setSteps(value.steps);
    out.setTrainS(value.train_s);
  });
}

Result<TrainerProgress> Codec<TrainerProgress>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerProgress, TrainerProgress>(
      "TrainerProgress", body, [](auto in) -> Result<TrainerProgress> {
        if (!counts(in.getTrainS())) return broken("TrainerProgress: trainS must be finite and not negative");
        return TrainerProgress{{in.getLease()}, in.getSteps(), in.getTrainS()};
      });
}

Encoded Codec<TrainerSaved>::encode(const TrainerSaved& value) {
  return encode_with<schema::TrainerSaved>([&](auto out) {
    out.setLease(value.lease.value);
    out.setOver(value.over);
    out.setEnd(static_cast<std::uint8_t>(value.end));
    out.setSteps(value.steps);
    out.setSamples(value.samples);
    out.setWeightsPath(whole(value.weights_path));
    auto metrics = out.initMetrics(static_cast<unsigned>(value.metrics.size()));
    unsigned i = 0;
    for (const auto& [name, number] : value.metrics) {
      metrics[i].setName(whole(name));
      metrics[i++].setValue(number);
    }
    out.setTrainS(value.train_s);
    out.setPaceMissedS(value.pace_missed_s);
    out.setDetail(whole(value.detail));
  });
}

Result<TrainerSaved> Codec<TrainerSaved>::decode(std::span<const std::byte> body, Payload) {
  return decode_with<schema::TrainerSaved, TrainerSaved>("TrainerSaved", body, [](auto in) -> Result<TrainerSaved> {
    if (in.getEnd() > static_cast<std::uint8_t>(LeaseEndReason::kLost))
      return broken("TrainerSaved: end is no known reason");
    TrainerSaved value{.lease = {in.getLease()},
                       .over = in.getOver(),
                       .end = static_cast<LeaseEndReason>(in.getEnd()),
                       .steps = in.getSteps(),
                       .samples = in.getSamples(),
                       .weights_path = text(in.getWeightsPath()),
                       .metrics = {},
                       .train_s = in.getTrainS(),
                       .pace_missed_s = in.getPaceMissedS(),
                       .detail = text(in.getDetail())};
    if (value.over == (value.end == LeaseEndReason::kRunning))
      return broken("TrainerSaved: end says running exactly when the lease is not over");
    if (!counts(value.train_s, value.pace_missed_s))
      return broken("TrainerSaved: trainS and paceMissedS must be finite and not negative");
    for (const auto metric : in.getMetrics()) {
      if (!std::isfinite(metric.getValue())) return broken("TrainerSaved: metrics must be finite");
      value.metrics[text(metric.getName())] = metric.getValue();
    }
    return value;
  });
}

namespace {
template <class T>
Result<TrainerMessage> decode_as(std::span<const std::byte> body) {
  return Codec<T>::decode(body).map([](T value) -> TrainerMessage { return value; });
}
}  // namespace

Result<TrainerMessage> decode_trainer_message(MessageKind kind, std::span<const std::byte> body) {
  switch (kind) {
    case MessageKind::kTrainerHello: return decode_as<TrainerHello>(body);
    case MessageKind::kTrainerLeaseStart: return decode_as<TrainerLeaseStart>(body);
    case MessageKind::kTrainerLeaseExtend: return decode_as<TrainerLeaseExtend>(body);
    case MessageKind::kTrainerSave: return decode_as<TrainerSave>(body);
    case MessageKind::kTrainerLeaseStop: return decode_as<TrainerLeaseStop>(body);
    case MessageKind::kTrainerExit: return decode_as<TrainerExit>(body);
    case MessageKind::kTrainerProgress: return decode_as<TrainerProgress>(body);
    case MessageKind::kTrainerSaved: return decode_as<TrainerSaved>(body);
    default:
      return fail(ErrorCode::kCorrupt, "kind " + std::to_string(static_cast<int>(kind)) +
                                           " is no message of a trainer; they are 600 to 607");
  }
}

}  // namespace hadar
