#include "tools/cli/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

std::string partial_of(const std::string& target) {
  return target + ".partial-" + std::to_string(getpid());
}

Status unwritable(const std::string& target) {
  std::error_code ignored;
  std::filesystem::remove(partial_of(target), ignored);
  return fail(ErrorCode::kIo, target + ": cannot be written; give a path in a writable folder with room");
}

}  // namespace

Status write_text(const std::string& target, const std::string& text) {
  if (target == "-") {
    if (!print(text)) return fail(ErrorCode::kIo, "stdout was closed");
    return {};
  }
  std::ofstream file(partial_of(target), std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial_of(target), target, error);
  if (file && !error) return {};
  return unwritable(target);
}

Status check_writable(const std::string& target) {
  if (target.empty() || target == "-") return {};
  std::error_code error;
  if (std::filesystem::is_directory(target, error)) return unwritable(target);
  if (!std::ofstream(partial_of(target), std::ios::binary)) return unwritable(target);
  std::filesystem::remove(partial_of(target), error);
  return {};
}

}  // namespace hadar::cli
