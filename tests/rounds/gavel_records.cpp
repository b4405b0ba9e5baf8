#include "tests/rounds/gavel_records.hpp"

#include <fstream>
#include <functional>
#include <sstream>

namespace hadar::testing {
namespace {

constexpr std::array<const char*, kGavelTypes> kNames = {"k80", "p100", "v100"};

std::vector<std::string> fields_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

// Every row after the heading line.
Status each_row(const std::filesystem::path& csv, std::size_t least,
                const std::function<void(const std::vector<std::string>&)>& row) {
  std::ifstream in(csv);
  if (!in) return fail(ErrorCode::kNotFound, csv.string() + ": cannot be read");
  std::string line;
  std::getline(in, line);
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    auto fields = fields_of(line);
    if (fields.size() < least)
      return fail(ErrorCode::kInvalidArgument, csv.string() + ":" + std::to_string(number) + ": " +
                                                   std::to_string(fields.size()) + " fields, at least " +
                                                   std::to_string(least) + " wanted");
    try {
      row(fields);
    } catch (const std::exception&) {
      return fail(ErrorCode::kInvalidArgument, csv.string() + ":" + std::to_string(number) + ": not a number");
    }
  }
  return {};
}

double number_or_0(const std::string& text) {
  return text.empty() ? 0 : std::stod(text);
}

void read_pairs(const nlohmann::json& file, GavelSpeeds& speeds) {
  const auto names = file.at("job_types").get<std::vector<std::string>>();
  for (std::size_t type = 0; type < kGavelTypes; ++type)
    for (const auto& [gpus, pairs] : file.at("pairs").at(kNames[type]).items())
      for (const auto& pair : pairs) {
        const GavelSpeeds::Key a{names.at(pair.at(0)), std::stoul(gpus)};
        const GavelSpeeds::Key b{names.at(pair.at(1)), std::stoul(gpus)};
        const double speed_a = pair.at(2);
        const double speed_b = pair.at(3);
        speeds.together[{b, a}][type] = {speed_b, speed_a};
        speeds.together[{a, b}][type] = {speed_a, speed_b};
      }
}

}  // namespace

Result<nlohmann::json> read_json(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return fail(ErrorCode::kNotFound, file.string() + ": cannot be read");
  auto value = nlohmann::json::parse(in, nullptr, false);
  if (value.is_discarded()) return fail(ErrorCode::kInvalidArgument, file.string() + ": is no JSON");
  return value;
}

Result<std::vector<GavelTraceJob>> read_gavel_trace(const std::filesystem::path& csv) {
  std::vector<GavelTraceJob> jobs;
  auto read = each_row(csv, 6, [&](const std::vector<std::string>& row) {
    jobs.push_back({std::stod(row[1]), row[2], static_cast<std::uint32_t>(std::stoul(row[3])), std::stoull(row[4]),
                    std::stod(row[5])});
  });
  if (!read) return fail(std::move(read));
  return jobs;
}

Result<GavelSpeeds> read_gavel_speeds(const std::filesystem::path& alone, const std::filesystem::path& together) {
  GavelSpeeds speeds;
  auto read = each_row(alone, 5, [&](const std::vector<std::string>& row) {
    speeds.alone[{row[0], std::stoul(row[1])}] = {number_or_0(row[2]), number_or_0(row[3]), number_or_0(row[4])};
  });
  if (!read) return fail(std::move(read));
  if (together.empty()) return speeds;
  auto file = read_json(together);
  if (!file) return fail(std::move(file));
  try {
    read_pairs(*file, speeds);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidArgument, together.string() + ": " + error.what());
  }
  return speeds;
}

std::array<std::uint32_t, kGavelTypes> gavel_cluster(const std::string& text) {
  std::array<std::uint32_t, kGavelTypes> gpus{};
  std::istringstream in(text);
  std::string field;
  for (std::size_t type = kGavelTypes; type > 0 && std::getline(in, field, ':'); --type)
    gpus[type - 1] = static_cast<std::uint32_t>(std::stoul(field));
  return gpus;
}

}  // namespace hadar::testing
