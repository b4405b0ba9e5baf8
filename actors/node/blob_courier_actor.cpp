#include "actors/node/blob_courier_actor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <map>

#include "actors/cluster_clock.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::blob_courier {
namespace {

constexpr std::size_t kWindow = 4;  // chunks in flight per transfer

struct State {
  static inline const char* name = "blob_courier";

  BlobCourierOptions options;
  std::shared_ptr<BlobStore> cache;
  BlobKeeperActor keeper;
};

using Self = BlobCourierActor::stateful_pointer<State>;
using Promise = caf::typed_response_promise<Ack>;

struct Transfer {
  BlobRef blob;
  std::uint64_t next = 0;  // offset of the next chunk to ask for or send
  std::size_t in_flight = 0;
  std::map<std::uint64_t, BlobChunk> early;  // fetched ahead of their turn
  bool over = false;
  Promise promise;
};
using TransferPtr = std::shared_ptr<Transfer>;

void end(const TransferPtr& transfer, const Error* error) {
  if (std::exchange(transfer->over, true)) return;
  if (error)
    transfer->promise.deliver(to_caf(*error));
  else
    transfer->promise.deliver(Ack{});
}

std::chrono::microseconds chunk_limit(Self self) {
  return caf_delay(self->state.options.chunk_limit_s);
}

// ---- fetch ----

void fetch_more(Self self, const TransferPtr& transfer);

// Chunks are stored in order; the last one verifies the whole.
void store_fetched(Self self, const TransferPtr& transfer) {
  auto& cache = *self->state.cache;
  for (auto it = transfer->early.begin(); it != transfer->early.end() && it->first == cache.have(transfer->blob);) {
    auto put = cache.put_chunk(transfer->blob, it->first, it->second.checksum, it->second.payload.bytes());
    if (!put) return end(transfer, &put.error());
    it = transfer->early.erase(it);
  }
  if (cache.has(transfer->blob)) return end(transfer, nullptr);
  fetch_more(self, transfer);
}

void fetch_more(Self self, const TransferPtr& transfer) {
  auto& state = self->state;
  while (!transfer->over && transfer->in_flight < kWindow && transfer->next < transfer->blob.size) {
    GetBlobChunk ask{transfer->blob, transfer->next, state.options.chunk_bytes};
    transfer->next += std::min<std::uint64_t>(state.options.chunk_bytes, transfer->blob.size - transfer->next);
    ++transfer->in_flight;
    self->request(state.keeper, chunk_limit(self), std::move(ask))
        .then(
            [self, transfer](const BlobChunk& chunk) {
              --transfer->in_flight;
              if (transfer->over) return;
              transfer->early[chunk.offset] = chunk;
              store_fetched(self, transfer);
            },
            [transfer](const caf::error& error) {
              const auto why = to_error(error);
              end(transfer, &why);
            });
  }
}

caf::result<Ack> fetch(Self self, const FetchBlob& request) {
  auto& cache = *self->state.cache;
  if (cache.has(request.blob)) return Ack{};
  auto transfer = std::make_shared<Transfer>();
  transfer->blob = request.blob;
  transfer->next = cache.have(request.blob);
  transfer->promise = self->make_response_promise<Ack>();
  fetch_more(self, transfer);
  return transfer->promise;
}

// ---- push ----

void push_more(Self self, const TransferPtr& transfer) {
  auto& state = self->state;
  while (!transfer->over && transfer->in_flight < kWindow && transfer->next < transfer->blob.size) {
    auto bytes = state.cache->get_chunk(transfer->blob, transfer->next, state.options.chunk_bytes);
    if (!bytes) return end(transfer, &bytes.error());
    PutBlobChunk chunk{transfer->blob, transfer->next, chunk_checksum(bytes->bytes()), *bytes};
    transfer->next += bytes->size();
    ++transfer->in_flight;
    self->request(state.keeper, chunk_limit(self), std::move(chunk))
        .then(
            [self, transfer](const BlobStat& stat) {
              --transfer->in_flight;
              if (stat.complete) return end(transfer, nullptr);
              push_more(self, transfer);
            },
            [transfer](const caf::error& error) {
              const auto why = to_error(error);
              end(transfer, &why);
            });
  }
}

caf::result<Ack> push(Self self, const PushBlob& request) {
  auto transfer = std::make_shared<Transfer>();
  transfer->blob = request.blob;
  transfer->promise = self->make_response_promise<Ack>();
  self->request(self->state.keeper, chunk_limit(self), StatBlob{request.blob})
      .then(
          [self, transfer](const BlobStat& stat) {
            if (stat.complete) return end(transfer, nullptr);
            transfer->next = stat.have;
            push_more(self, transfer);
          },
          [transfer](const caf::error& error) {
            const auto why = to_error(error);
            end(transfer, &why);
          });
  return transfer->promise;
}

BlobCourierActor::behavior_type behavior(Self self, const BlobCourierOptions& options, std::shared_ptr<BlobStore> cache,
                                         BlobKeeperActor keeper) {
  self->state.options = options;
  self->state.cache = std::move(cache);
  self->state.keeper = std::move(keeper);
  return {
      [self](const FetchBlob& m) { return fetch(self, m); },
      [self](const AdoptFile& m) -> caf::result<FileAdopted> {
        auto blob = self->state.cache->adopt_file(m.file);
        if (!blob) return to_caf(blob.error());
        return FileAdopted{*blob};
      },
      [self](const PushBlob& m) { return push(self, m); },
  };
}

}  // namespace
}  // namespace hadar::blob_courier

namespace hadar {

BlobCourierActor spawn_blob_courier(caf::actor_system& system, SpawnMode mode, BlobCourierOptions options,
                                    std::shared_ptr<BlobStore> cache, BlobKeeperActor keeper) {
  return spawn_as(system, mode, blob_courier::behavior, options, std::move(cache), std::move(keeper));
}

}  // namespace hadar
