// Codecs of the messages between a node worker and its trainers.
#pragma once

#include <variant>

#include "messages/codec/codec.hpp"
#include "messages/types/trainer.hpp"

namespace hadar {

using TrainerMessage = std::variant<TrainerHello, TrainerLeaseStart, TrainerLeaseExtend, TrainerSave, TrainerLeaseStop,
                                    TrainerExit, TrainerProgress, TrainerSaved>;

#define HADAR_TRAINER_CODEC(T)                                              \
  template <>                                                               \
  struct Codec<T> {                                                         \
    static constexpr MessageKind kind = MessageKind::k##T;                  \
    static Encoded encode(const T& value);                                  \
    static Result<T> decode(std::span<const std::byte> body, Payload = {}); \
  }

HADAR_TRAINER_CODEC(TrainerHello);
HADAR_TRAINER_CODEC(TrainerLeaseStart);
HADAR_TRAINER_CODEC(TrainerLeaseExtend);
HADAR_TRAINER_CODEC(TrainerSave);
HADAR_TRAINER_CODEC(TrainerLeaseStop);
HADAR_TRAINER_CODEC(TrainerExit);
HADAR_TRAINER_CODEC(TrainerProgress);
HADAR_TRAINER_CODEC(TrainerSaved);

#undef HADAR_TRAINER_CODEC

// Any of them by its kind. kCorrupt for a kind that is none of them.
Result<TrainerMessage> decode_trainer_message(MessageKind kind, std::span<const std::byte> body);

}  // namespace hadar
