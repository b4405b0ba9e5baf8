#include <fmt/format.h>

#include "messages/codec/blob_codec.hpp"
#include "messages/codec/client_codec.hpp"
#include "runtime/store/blob_store.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/job_queries.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr std::uint32_t kChunkBytes = 1U << 20U;

// Streams the blob into `out`, verifying each chunk.
Status download(Client& client, const BlobRef& blob, OutputFile& out) {
  std::uint64_t offset = 0;
  while (offset < blob.size) {
    auto chunk = client.ask<BlobChunk>(GetBlobChunk{.blob = blob, .offset = offset, .max_bytes = kChunkBytes});
    if (!chunk) return fail(std::move(chunk));
    const auto bytes = chunk->payload.bytes();
    if (bytes.empty() || chunk->offset != offset || chunk->checksum != chunk_checksum(bytes))
      return fail(ErrorCode::kCorrupt, fmt::format("chunk at {} of blob {} came broken; try again", offset, blob.hash));
    if (auto written = out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !written) return written;
    offset += bytes.size();
  }
  return {};
}

// An existing file is only ever replaced by a whole model of the right hash.
Status download_file(Client& client, const BlobRef& blob, const std::string& target) {
  auto out = OutputFile::open(target);
  if (!out) return fail(std::move(out));
  if (auto done = download(client, blob, *out); !done) return done;
  if (!out->written_at().empty()) {
    auto hash = hash_file(out->written_at());
    if (!hash) return fail(std::move(hash));
    if (!(*hash == blob))
      return fail(ErrorCode::kCorrupt, fmt::format("model {} came as {}; try again", blob.hash, hash->hash));
  }
  return out->commit();
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
    auto done = download_file(**client, blob, args.output);
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
