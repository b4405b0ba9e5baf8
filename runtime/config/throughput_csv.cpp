#include "runtime/config/throughput_csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "runtime/config/csv.hpp"
#include "runtime/config/gavel_throughputs.hpp"
#include "runtime/config/text.hpp"

namespace hadar {
namespace {

constexpr const char* kHeader = "model,batch_size,gpus,gpu_type,placement,steps_per_s[,partner,partner_steps_per_s]";

// Where each column stands; the last two are missing from most files.
struct Columns {
  std::size_t model, batch_size, gpus, gpu_type, placement, steps_per_s;
  bool shared = false;
  std::size_t partner = 0, partner_steps_per_s = 0;
};

Result<Columns> find_columns(const CsvTable& table) {
  const std::vector<std::string> names{"model",     "batch_size",  "gpus",    "gpu_type",
                                       "placement", "steps_per_s", "partner", "partner_steps_per_s"};
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument,
                table.name + ":" + std::to_string(table.header.line) + ": " + what + ", must be " + kHeader);
  };
  const auto& cells = table.header.cells;
  for (const auto& cell : cells)
    if (std::find(names.begin(), names.end(), cell) == names.end()) return wrong("unknown column '" + cell + "'");
  const bool shared = cells.size() > 6;
  std::vector<std::size_t> at;
  for (const auto& name : names) {
    const auto found = std::find(cells.begin(), cells.end(), name);
    const bool needed = shared || at.size() < 6;
    if (needed && found == cells.end()) return wrong("no column '" + name + "'");
    at.push_back(static_cast<std::size_t>(found - cells.begin()));
  }
  return Columns{at[0], at[1], at[2], at[3], at[4], at[5], shared, at[6], at[7]};
}

// Reads the cells of one row; the first wrong one is kept.
class RowReader {
 public:
  RowReader(const CsvTable& table, const CsvRow& row) : table_(table), row_(row) {}

  std::string text(std::size_t column) {
    if (row_.cells[column].empty()) wrong(column, "a name");
    return row_.cells[column];
  }
  std::uint32_t count(std::size_t column, std::uint32_t most) {
    const auto value = parse_count(row_.cells[column]);
    if (value && *value >= 1 && *value <= most) return static_cast<std::uint32_t>(*value);
    wrong(column, "a whole number from 1 to " + std::to_string(most));
    return 0;
  }
  double speed(std::size_t column) {
    const auto value = parse_number(row_.cells[column]);
    if (value && is_speed(*value)) return *value + 0.0;
    wrong(column, kSpeedRule);
    return 0;
  }
  Placement placement(std::size_t column) {
    if (row_.cells[column] == "packed") return Placement::kPacked;
    if (row_.cells[column] != "spread") wrong(column, "packed or spread");
    return Placement::kSpread;
  }
  void wrong(std::size_t column, const std::string& must) {
    if (error_.message.empty()) error_ = table_.cell_error(row_, column, must);
  }
  [[nodiscard]] const Error* error() const { return error_.message.empty() ? nullptr : &error_; }

 private:
  const CsvTable& table_;
  const CsvRow& row_;
  Error error_;
};

SharedThroughputRow read_row(RowReader& cells, const CsvRow& row, const Columns& at) {
  SharedThroughputRow out;
  out.row.model = cells.text(at.model);
  out.row.batch_size = cells.count(at.batch_size, 1'000'000'000);
  out.row.gpus = cells.count(at.gpus, 65536);
  out.row.type = cells.text(at.gpu_type);
  out.row.placement = cells.placement(at.placement);
  out.row.steps_per_s = cells.speed(at.steps_per_s);
  if (!at.shared || (row.cells[at.partner].empty() && row.cells[at.partner_steps_per_s].empty())) return out;
  const auto partner = parse_job_type(cells.text(at.partner));
  if (!partner) {
    cells.wrong(at.partner, "MODEL or MODEL (batch size N)");
    return out;
  }
  out.partner = partner->model;
  out.partner_batch_size = partner->batch_size;
  out.partner_steps_per_s = cells.speed(at.partner_steps_per_s);
  if ((out.partner_steps_per_s > 0) != (out.row.steps_per_s > 0))
    cells.wrong(at.partner_steps_per_s, "0 exactly when steps_per_s is: a pair fits or does not");
  return out;
}

using JobKey = std::tuple<std::string, std::uint32_t>;
using Key = std::tuple<JobKey, JobKey, std::uint32_t, GpuType, Placement>;

// A pair has one key whichever of the two stands first.
Key key_of(const SharedThroughputRow& read) {
  JobKey own{read.row.model, read.row.batch_size};
  JobKey other{read.partner, read.partner_batch_size};
  if (!read.partner.empty() && other < own) std::swap(own, other);
  return {std::move(own), std::move(other), read.row.gpus, read.row.type, read.row.placement};
}

Result<ThroughputFile> parse_own(const std::string& text, const std::string& name) {
  const auto table = parse_csv(text, name);
  if (!table) return tl::unexpected(table.error());
  const auto at = find_columns(*table);
  if (!at) return tl::unexpected(at.error());
  std::map<Key, std::uint32_t> lines;
  ThroughputFile out;
  for (const auto& row : table->rows) {
    RowReader cells(*table, row);
    auto read = read_row(cells, row, *at);
    if (const auto* error = cells.error()) return tl::unexpected(*error);
    const auto [first, fresh] = lines.try_emplace(key_of(read), row.line);
    if (!fresh)
      return fail(ErrorCode::kInvalidArgument, name + ":" + std::to_string(row.line) + ": model '" + read.row.model +
                                                   "' has this row already in line " + std::to_string(first->second) +
                                                   ", must be there once");
    if (!read.partner.empty())
      out.shared.push_back(std::move(read));
    else
      (read.row.steps_per_s > 0 ? out.rows : out.unfit).push_back(std::move(read.row));
  }
  return out;
}

}  // namespace

Result<ThroughputFile> parse_throughputs(const std::string& text, const std::string& name) {
  return is_gavel_throughputs(text) ? parse_gavel_throughputs(text, name) : parse_own(text, name);
}

Result<ThroughputFile> load_throughput_file(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_throughputs(*text, file.string());
}

PairTable pair_table(const std::vector<SharedThroughputRow>& rows) {
  PairTable table;
  for (const auto& row : rows) {
    if (row.row.placement != Placement::kPacked) continue;
    PairEstimate pair{{row.row.model, row.row.batch_size},
                      {row.partner, row.partner_batch_size},
                      row.row.gpus,
                      row.row.type,
                      row.row.steps_per_s,
                      row.partner_steps_per_s};
    if (pair.b < pair.a) {
      std::swap(pair.a, pair.b);
      std::swap(pair.a_steps_per_s, pair.b_steps_per_s);
    }
    table.push_back(std::move(pair));
  }
  return table;
}

Result<ThroughputTable> load_throughputs(const std::filesystem::path& file) {
  auto read = load_throughput_file(file);
  if (!read) return tl::unexpected(read.error());
  return std::move(read->rows);
}

PairTable pair_table(const ThroughputFile& file) {
  PairTable table;
  for (const auto& shared : file.shared) {
    const auto& row = shared.row;
    if (row.placement != Placement::kPacked) continue;
    PairEstimate pair{
        {row.model, row.batch_size}, {shared.partner, shared.partner_batch_size}, row.gpus, row.type, row.steps_per_s,
        shared.partner_steps_per_s};
    if (pair.b < pair.a) {
      std::swap(pair.a, pair.b);
      std::swap(pair.a_steps_per_s, pair.b_steps_per_s);
    }
    table.push_back(std::move(pair));
  }
  return table;
}

}  // namespace hadar
