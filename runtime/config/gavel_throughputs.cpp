#include "runtime/config/gavel_throughputs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "runtime/config/csv.hpp"
#include "runtime/config/text.hpp"

namespace hadar {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSpread = "_unconsolidated";
constexpr std::string_view kSpeed = "_steps_per_s";
constexpr std::uint32_t kMostGpus = 65536;

struct Place {
  GpuType type;
  Placement placement = Placement::kPacked;
};

// "k80_unconsolidated" is K80 spread.
Place place_of(std::string_view text) {
  Place place;
  if (text.ends_with(kSpread)) {
    place.placement = Placement::kSpread;
    text.remove_suffix(kSpread.size());
  }
  place.type = text;
  for (auto& c : place.type)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return place;
}

struct JobKey {
  std::string model;
  std::uint32_t batch_size = 1;
  std::uint32_t gpus = 1;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

std::optional<JobKey> key_of(std::string_view type, std::uint64_t gpus) {
  const auto name = parse_job_type(type);
  if (!name || gpus < 1 || gpus > kMostGpus) return std::nullopt;
  return JobKey{name->model, std::max(1U, name->batch_size), static_cast<std::uint32_t>(gpus)};
}

// A printed Python tuple: "('ResNet-18 (batch size 16)', 1)".
std::optional<JobKey> parse_tuple(std::string_view text) {
  if (!text.starts_with("('") || !text.ends_with(")")) return std::nullopt;
  text = text.substr(2, text.size() - 3);
  const auto close = text.rfind("', ");
  if (close == std::string_view::npos) return std::nullopt;
  const auto gpus = parse_count(text.substr(close + 3));
  return gpus ? key_of(text.substr(0, close), *gpus) : std::nullopt;
}

// What was read so far.
class Builder {
 public:
  explicit Builder(const std::string& name) : name_(name) {}

  tl::unexpected<Error> wrong(const std::string& where, const std::string& got, const std::string& must) const {
    return fail(ErrorCode::kInvalidArgument, name_ + ": " + where + ": got " + got + ", must be " + must);
  }

  void alone(const Place& place, const JobKey& job, double speed) {
    ThroughputRow row{job.model, job.batch_size, job.gpus, place.type, place.placement, speed};
    (speed > 0 ? out_.rows : out_.unfit).push_back(std::move(row));
  }

  // The first of the two directions of a pair counts.
  void pair(const Place& place, JobKey job, JobKey other, double speed, double other_speed) {
    if (job.gpus != other.gpus) return void(++unequal_);
    if (other < job) {
      std::swap(job, other);
      std::swap(speed, other_speed);
    }
    if (!(speed > 0 && other_speed > 0)) speed = other_speed = 0;
    const auto [found, fresh] =
        pairs_.try_emplace({place.type, place.placement, job, other}, std::pair(speed, other_speed));
    if (!fresh && found->second != std::pair(speed, other_speed)) ++unlike_;
    if (!fresh) return;
    out_.shared.push_back({{job.model, job.batch_size, job.gpus, place.type, place.placement, speed},
                           other.model,
                           other.batch_size,
                           other_speed});
  }

  ThroughputFile finish() && {
    if (unequal_ > 0) out_.notes.push_back(std::to_string(unequal_) + " pairs of unequal gang sizes are left out");
    if (unlike_ > 0)
      out_.notes.push_back(std::to_string(unlike_) + " pairs have other speeds the other way round: the first count");
    return std::move(out_);
  }

 private:
  using PairKey = std::tuple<GpuType, Placement, JobKey, JobKey>;

  const std::string& name_;
  ThroughputFile out_;
  std::map<PairKey, std::pair<double, double>> pairs_;
  std::uint64_t unequal_ = 0;
  std::uint64_t unlike_ = 0;
};

std::optional<double> speed_of(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const double speed = value.get<double>();
  if (!is_speed(speed)) return std::nullopt;
  return speed;
}

std::string text_of(const Json& value) {
  auto text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "…";
  return text;
}

Status read_job(Builder& out, const std::string& where, const Place& place, const JobKey& job, const Json& speeds) {
  if (!speeds.is_object()) return out.wrong(where, text_of(speeds), "an object of speeds");
  for (const auto& [partner, value] : speeds.items()) {
    const auto at = where + ": " + partner;
    if (partner == "null") {
      const auto speed = speed_of(value);
      if (!speed) return out.wrong(at, text_of(value), kSpeedRule);
      out.alone(place, job, *speed);
      continue;
    }
    const auto other = parse_tuple(partner);
    if (!other) return out.wrong(where, "'" + partner + "'", "null or like ('ResNet-18 (batch size 16)', 1)");
    const bool two = value.is_array() && value.size() == 2;
    const auto own = two ? speed_of(value[0]) : std::nullopt;
    const auto theirs = two ? speed_of(value[1]) : std::nullopt;
    if (!own || !theirs) return out.wrong(at, text_of(value), std::string("two speeds, each ") + kSpeedRule);
    out.pair(place, job, *other, *own, *theirs);
  }
  return {};
}

Status read_oracle(Builder& out, const Json& json) {
  for (const auto& [type, jobs] : json.items()) {
    if (!jobs.is_object()) return out.wrong(type, text_of(jobs), "an object of job types");
    for (const auto& [tuple, speeds] : jobs.items()) {
      const auto job = parse_tuple(tuple);
      if (!job) return out.wrong(type, "'" + tuple + "'", "like ('ResNet-18 (batch size 16)', 1)");
      if (auto read = read_job(out, type + ": " + tuple, place_of(type), *job, speeds); !read) return read;
    }
  }
  return {};
}

Status read_pair(Builder& out, const std::string& where, const Place& place, const Json& types, std::uint64_t gpus,
                 const Json& row) {
  constexpr const char* kRule = "[i, j, steps/s of job type i, steps/s of j]";
  if (!row.is_array() || row.size() != 4) return out.wrong(where, text_of(row), kRule);
  std::vector<JobKey> jobs;
  for (const auto& index : {row[0], row[1]}) {
    if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= types.size())
      return out.wrong(where, text_of(row), kRule);
    const auto& name = types[index.get<std::size_t>()];
    const auto job = name.is_string() ? key_of(name.get<std::string>(), gpus) : std::nullopt;
    if (!job) return out.wrong("job_types", text_of(name), "MODEL or MODEL (batch size N)");
    jobs.push_back(*job);
  }
  const auto own = speed_of(row[2]);
  const auto theirs = speed_of(row[3]);
  if (!own || !theirs) return out.wrong(where, text_of(row), kRule);
  out.pair(place, jobs[0], jobs[1], *own, *theirs);
  return {};
}

Status read_pairs(Builder& out, const Json& json) {
  const auto& types = json.at("job_types");
  const auto& pairs = json.at("pairs");
  if (!types.is_array() || !pairs.is_object())
    return out.wrong("pairs", text_of(pairs), "an object beside an array job_types");
  for (const auto& [type, sizes] : pairs.items()) {
    if (!sizes.is_object()) return out.wrong(type, text_of(sizes), "an object of gang sizes");
    for (const auto& [size, rows] : sizes.items()) {
      const auto gpus = parse_count(size);
      if (!gpus || *gpus < 1 || *gpus > kMostGpus || !rows.is_array())
        return out.wrong(type, "'" + size + "'", "a gang size with an array of pairs");
      for (const auto& row : rows)
        if (auto read = read_pair(out, type + ": " + size, place_of(type), types, *gpus, row); !read) return read;
    }
  }
  return {};
}

Result<ThroughputFile> parse_json(const std::string& text, const std::string& name) {
  Builder out(name);
  const auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(ErrorCode::kInvalidArgument, name + ": not JSON, must be Gavel's throughputs");
  const bool pairs = json.is_object() && json.contains("job_types") && json.contains("pairs");
  if (!json.is_object()) return out.wrong("the file", text_of(json), "an object of GPU types");
  auto read = pairs ? read_pairs(out, json) : read_oracle(out, json);
  if (!read) return fail(std::move(read));
  return std::move(out).finish();
}

Result<ThroughputFile> parse_wide(const std::string& text, const std::string& name) {
  const auto table = parse_csv(text, name);
  if (!table) return tl::unexpected(table.error());
  Builder out(name);
  std::map<JobKey, std::uint32_t> lines;
  const auto& header = table->header.cells;
  for (const auto& row : table->rows) {
    const auto gpus = parse_count(row.cells[1]);
    const auto job = key_of(row.cells[0], gpus.value_or(0));
    if (!gpus || !job)
      return tl::unexpected(gpus ? table->cell_error(row, 0, "MODEL or MODEL (batch size N)")
                                 : table->cell_error(row, 1, "a whole number from 1 to 65536"));
    if (!lines.try_emplace(*job, row.line).second)
      return tl::unexpected(table->cell_error(row, 0, "there once for each scale_factor"));
    for (std::size_t i = 2; i < header.size(); ++i) {
      if (!header[i].ends_with(kSpeed))
        return fail(ErrorCode::kInvalidArgument, name + ":" + std::to_string(table->header.line) + ": column '" +
                                                     header[i] + "', must be GPUTYPE[_unconsolidated]_steps_per_s");
      if (row.cells[i].empty()) continue;
      const auto speed = parse_number(row.cells[i]);
      if (!speed || !std::isfinite(*speed) || *speed < 0 || *speed > 1e15)
        return tl::unexpected(table->cell_error(row, i, "a number from 0 (cannot run) to 1e15"));
      out.alone(place_of(std::string_view(header[i]).substr(0, header[i].size() - kSpeed.size())), *job, *speed);
    }
  }
  return std::move(out).finish();
}

std::string_view start_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

}  // namespace

std::optional<JobTypeName> parse_job_type(std::string_view text) {
  constexpr std::string_view kMark = " (batch size ";
  const auto at = text.find(kMark);
  if (at == std::string_view::npos) {
    if (text.empty() || text.find('(') != std::string_view::npos) return std::nullopt;
    return JobTypeName{std::string(text), 0};
  }
  auto digits = text.substr(at + kMark.size());
  if (at == 0 || !digits.ends_with(')')) return std::nullopt;
  digits.remove_suffix(1);
  const auto size = parse_count(digits);
  if (!size || *size < 1 || *size > 1'000'000'000) return std::nullopt;
  return JobTypeName{std::string(text.substr(0, at)), static_cast<std::uint32_t>(*size)};
}

bool is_gavel_throughputs(std::string_view text) {
  const auto start = start_of(text);
  return start.starts_with("{") || start.starts_with("job_type,scale_factor,");
}

Result<ThroughputFile> parse_gavel_throughputs(const std::string& text, const std::string& name) {
  return start_of(text).starts_with("{") ? parse_json(std::string(start_of(text)), name) : parse_wide(text, name);
}

}  // namespace hadar
