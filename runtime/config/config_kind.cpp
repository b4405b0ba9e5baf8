#include "runtime/config/config_kind.hpp"

#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {

Result<ConfigKind> config_kind_of(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  const auto table = parse_toml(*text, file.string());
  if (!table) return tl::unexpected(table.error());
  auto kind = ConfigKind::kProcess;
  for (const auto& member : *table) {
    if (member.key == "nodes") return ConfigKind::kCluster;
    for (const auto* key : {"name", "workload", "command", "total_steps"})
      if (member.key == key) kind = ConfigKind::kJob;
  }
  return kind;
}

}  // namespace hadar
