#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "messages/codec/blob_codec.hpp"
#include "messages/codec/client_codec.hpp"
#include "runtime/store/blob_store.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/job_queries.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr std::uint32_t kChunkBytes = 1U << 20U;

// Streams the blob into `out`, verifying each chunk.
Status download(Client& client, const BlobRef& blob, std::FILE* out) {
  std::uint64_t offset = 0;
  while (offset < blob.size) {
    auto chunk = client.ask<BlobChunk>(GetBlobChunk{.blob = blob, .offset = offset, .max_bytes = kChunkBytes});
    if (!chunk) return fail(std::move(chunk));
    const auto bytes = chunk->payload.bytes();
    if (bytes.empty() || chunk->offset != offset || chunk->checksum != chunk_checksum(bytes))
      return fail(ErrorCode::kCorrupt, fmt::format("chunk at {} of blob {} came broken; try again", offset, blob.hash));
    if (std::fwrite(bytes.data(), 1, bytes.size(), out) != bytes.size())
      return fail(ErrorCode::kIo, "cannot write the model: disk full or output closed");
    offset += bytes.size();
  }
  if (std::fflush(out) != 0) return fail(ErrorCode::kIo, "cannot write the model: disk full or output closed");
  return {};
}

// Writes beside the target first, so that an existing file is only ever replaced by a whole model.
Status download_file(Client& client, const BlobRef& blob, const std::string& target) {
  const auto partial = fmt::format("{}.partial-{}", target, getpid());
  std::FILE* out = std::fopen(partial.c_str(), "wb");
  if (!out)
    return fail(ErrorCode::kIo, fmt::format("{}: cannot be written; give -o a path in a writable folder", target));
  auto done = download(client, blob, out);
  const bool closed = std::fclose(out) == 0;
  if (done && !closed) done = fail(ErrorCode::kIo, fmt::format("{}: cannot be written; is the disk full?", target));
  if (done) {
    auto hash = hash_file(partial);
    if (!hash)
      done = fail(std::move(hash));
    else if (!(*hash == blob))
      done = fail(ErrorCode::kCorrupt, fmt::format("model {} came as {}; try again", blob.hash, hash->hash));
  }
  std::error_code error;
  if (done) std::filesystem::rename(partial, target, error);
  if (done && error) done = fail(ErrorCode::kIo, fmt::format("{}: {}", target, error.message()));
  if (!done) std::filesystem::remove(partial, error);
  return done;
}

}  // namespace

CommandResult run_model(const Settings& settings, const ModelArgs& args) {
  if (settings.json && args.output == "-")
    return stop_usage({ErrorCode::kInvalidArgument, "--json and -o - both want stdout; give -o a file"});
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto job = query_job(**client, args.job);
  if (!job) return stop(std::move(job.error()));
  const auto& blob = job->version.weights;
  if (!args.output.empty()) {
    if (blob.empty())
      return stop({ErrorCode::kNotFound, fmt::format("job {} has no weights at version {}; they come with its first "
                                                     "merge or checkpoint, and never for a workload without weights",
                                                     job->job.value, job->version.version)});
    auto done = args.output == "-" ? download(**client, blob, stdout) : download_file(**client, blob, args.output);
    if (!done) return stop(std::move(done.error()));
    if (args.output == "-") return ExitCode::kDone;
  }
  if (settings.json)
    print(model_json(*job, args.output));
  else
    print(fmt::format("job {} {} version {} {} ({} bytes){}\n", job->job.value, job->spec.name, job->version.version,
                      blob.empty() ? "no weights" : blob.hash, blob.size,
                      args.output.empty() ? "" : " written to " + args.output));
  return ExitCode::kDone;
}

}  // namespace hadar::cli
