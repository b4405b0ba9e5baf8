#include "messages/codec/blob_codec.hpp"

#include "messages/codec/common_wire.hpp"
#include "messages/schema/blob.capnp.h"

namespace hadar::wire {

static void build(StatBlob::Builder out, const hadar::StatBlob& in) {
  build(out.initBlob(), in.blob);
}

static hadar::StatBlob read(StatBlob::Reader in, const Where& at) {
  hadar::StatBlob out;
  out.blob = read_blob(in.getBlob(), at / "blob");
  return out;
}

static void build(BlobStat::Builder out, const hadar::BlobStat& in) {
  out.setHave(in.have);
  out.setComplete(in.complete);
}

static hadar::BlobStat read(BlobStat::Reader in, const Where&) {
  hadar::BlobStat out;
  out.have = in.getHave();
  out.complete = in.getComplete();
  return out;
}

static void build(GetBlobChunk::Builder out, const hadar::GetBlobChunk& in) {
  build(out.initBlob(), in.blob);
  out.setOffset(in.offset);
  out.setMaxBytes(in.max_bytes);
}

static hadar::GetBlobChunk read(GetBlobChunk::Reader in, const Where& at) {
  hadar::GetBlobChunk out;
  out.blob = read_blob(in.getBlob(), at / "blob");
  out.offset = in.getOffset();
  out.max_bytes = at_least_one(in.getMaxBytes(), at / "max_bytes");
  return out;
}

// PutBlobChunk and BlobChunk differ in name only.
template <class Builder, class Chunk>
static void build_chunk(Builder out, const Chunk& in) {
  build(out.initBlob(), in.blob);
  out.setOffset(in.offset);
  out.setChecksum(in.checksum);
}

template <class Chunk, class Reader>
static Chunk read_chunk(Reader in, const Where& at) {
  Chunk out;
  out.blob = read_blob(in.getBlob(), at / "blob");
  out.offset = in.getOffset();
  out.checksum = in.getChecksum();
  if (out.offset > out.blob.size)
    refuse(at / "offset", out.offset, "must be at most the blob's size " + std::to_string(out.blob.size));
  return out;
}

static void build(PutBlobChunk::Builder out, const hadar::PutBlobChunk& in) {
  build_chunk(out, in);
}

static hadar::PutBlobChunk read(PutBlobChunk::Reader in, const Where& at) {
  return read_chunk<hadar::PutBlobChunk>(in, at);
}

static void build(BlobChunk::Builder out, const hadar::BlobChunk& in) {
  build_chunk(out, in);
}

static hadar::BlobChunk read(BlobChunk::Reader in, const Where& at) {
  return read_chunk<hadar::BlobChunk>(in, at);
}

// The payload must fit into what is left of the blob.
template <class W, class Chunk>
static Result<Chunk> decode_chunk(std::span<const std::byte> body, Payload payload, const std::string& name) {
  auto chunk = decode_body<W, Chunk>(body, name);
  if (!chunk) return chunk;
  if (payload.size() > chunk->blob.size - chunk->offset)
    return fail(ErrorCode::kInvalidArgument,
                name + ": a payload of " + std::to_string(payload.size()) + " bytes, must be at most the " +
                    std::to_string(chunk->blob.size - chunk->offset) + " left of the blob");
  chunk->payload = std::move(payload);
  return chunk;
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(StatBlob, "stat_blob")
HADAR_DEFINE_CODEC(BlobStat, "blob_stat")
HADAR_DEFINE_CODEC(GetBlobChunk, "get_blob_chunk")

Encoded Codec<PutBlobChunk>::encode(const PutBlobChunk& value) {
  return {wire::encode_body<wire::PutBlobChunk>(value), value.payload};
}

Result<PutBlobChunk> Codec<PutBlobChunk>::decode(std::span<const std::byte> body, Payload payload) {
  return wire::decode_chunk<wire::PutBlobChunk, PutBlobChunk>(body, std::move(payload), "put_blob_chunk");
}

Encoded Codec<BlobChunk>::encode(const BlobChunk& value) {
  return {wire::encode_body<wire::BlobChunk>(value), value.payload};
}

Result<BlobChunk> Codec<BlobChunk>::decode(std::span<const std::byte> body, Payload payload) {
  return wire::decode_chunk<wire::BlobChunk, BlobChunk>(body, std::move(payload), "blob_chunk");
}

}  // namespace hadar
