// Codecs: Blobs between nodes and the job-tracker, in chunks with credits.
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/control.hpp"

namespace hadar {

template <>
struct Codec<StatBlob> {
  static constexpr MessageKind kind = MessageKind::kStatBlob;
  static Encoded encode(const StatBlob& value);
  static Result<StatBlob> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<BlobStat> {
  static constexpr MessageKind kind = MessageKind::kBlobStat;
  static Encoded encode(const BlobStat& value);
  static Result<BlobStat> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<PutBlobChunk> {
  static constexpr MessageKind kind = MessageKind::kPutBlobChunk;
  static Encoded encode(const PutBlobChunk& value);
  static Result<PutBlobChunk> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<GetBlobChunk> {
  static constexpr MessageKind kind = MessageKind::kGetBlobChunk;
  static Encoded encode(const GetBlobChunk& value);
  static Result<GetBlobChunk> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<BlobChunk> {
  static constexpr MessageKind kind = MessageKind::kBlobChunk;
  static Encoded encode(const BlobChunk& value);
  static Result<BlobChunk> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
