#include "launchers/simulated_blobs.hpp"

#include <charconv>

namespace hadar {
namespace {

constexpr std::string_view kFolder = "simulated-weights";

}  // namespace

std::filesystem::path simulated_weights(const std::string& words, std::uint64_t bytes) {
  return std::filesystem::path(kFolder) / (words + " " + std::to_string(bytes));
}

Result<BlobRef> SimulatedBlobs::adopt_file(const std::filesystem::path& file) {
  auto text = file.filename().string();
  const auto space = text.rfind(' ');
  std::uint64_t bytes = 0;
  if (file.parent_path() != kFolder || space == std::string::npos ||
      std::from_chars(text.data() + space + 1, text.data() + text.size(), bytes).ec != std::errc{})
    return fail(ErrorCode::kNotFound, file.string() + ": no simulated weights");
  text.resize(std::max<std::size_t>(bytes, text.size()), '.');
  return put(std::as_bytes(std::span(text)));
}

Result<std::filesystem::path> SimulatedBlobs::path_of(const BlobRef& blob) const {
  if (!has(blob)) return fail(ErrorCode::kNotFound, "no blob " + blob.hash + " here");
  return std::filesystem::path(kFolder) / blob.hash;
}

}  // namespace hadar
