#include "tools/cli/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "tools/cli/text.hpp"

namespace hadar::cli {

Status write_output(const std::string& target, std::string_view text) {
  if (target == "-") {
    if (!print(text)) return fail(ErrorCode::kIo, "stdout was closed");
    return {};
  }
  const auto partial = target + ".partial-" + std::to_string(getpid());
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, target, error);
  if (file && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  return fail(ErrorCode::kIo, target + ": cannot be written; give a path in a writable folder with room");
}

}  // namespace hadar::cli
