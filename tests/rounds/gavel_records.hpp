// Reads traces, throughput tables and recorded runs of the public Gavel simulator from folders given by the user.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar::testing {

// Types in rising order: k80, p100, v100.
inline constexpr std::size_t kGavelTypes = 3;

struct GavelTraceJob {
  double arrival_s = 0;
  std::string type;
  std::uint32_t gpus = 1;
  std::uint64_t steps = 0;
  double weight = 1;
};

// Steps/s by job type and gang size.
struct GavelSpeeds {
  using Key = std::pair<std::string, std::uint32_t>;
  std::map<Key, std::array<double, kGavelTypes>> alone;
  std::map<std::pair<Key, Key>, std::array<std::array<double, 2>, kGavelTypes>> together;
};

// Each fails with kInvalidArgument or kNotFound and says where.
[[nodiscard]] Result<std::vector<GavelTraceJob>> read_gavel_trace(const std::filesystem::path& csv);
// `alone`: throughputs_*.csv; `together`: colocated_throughputs_*.json, may be empty.
[[nodiscard]] Result<GavelSpeeds> read_gavel_speeds(const std::filesystem::path& alone,
                                                    const std::filesystem::path& together);
[[nodiscard]] Result<nlohmann::json> read_json(const std::filesystem::path& file);

// GPUs by type of "V:P:K", types in rising order.
[[nodiscard]] std::array<std::uint32_t, kGavelTypes> gavel_cluster(const std::string& text);

}  // namespace hadar::testing
