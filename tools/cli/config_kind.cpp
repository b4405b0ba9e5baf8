#include "tools/cli/config_kind.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <toml++/toml.h>

namespace hadar::cli {

Result<ConfigKind> config_kind_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    return fail(ErrorCode::kNotFound, file.string() + ": cannot be read; give a cluster, job or process file");
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  try {
    const auto table = toml::parse(text, file.string());
    if (table.contains("nodes")) return ConfigKind::kCluster;
    for (const auto* key : {"workload", "command", "total_steps"})
      if (table.contains(key)) return ConfigKind::kJob;
    return ConfigKind::kProcess;
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}:{}: {}", file.string(), error.source().begin.line,
                                                         error.source().begin.column, error.description()));
  }
}

}  // namespace hadar::cli
