#include <algorithm>
#include <set>

#include "runtime/config/text.hpp"
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool holds(const TextRow& header, std::string_view column) {
  return std::find(header.cells.begin(), header.cells.end(), column) != header.cells.end();
}

std::size_t columns_held(const Form& form, const TextRow& header) {
  return static_cast<std::size_t>(
      std::count_if(form.columns.begin(), form.columns.end(), [&](auto column) { return holds(header, column); }));
}

// The first row that is not blank, split as the form splits.
TextRow first_row(std::string_view text, char separator) {
  TextRow row;
  TextRows(text, separator).next(row);
  if (!row.broken.empty()) row.cells.clear();
  return row;
}

std::string_view first_line(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_first_of("\r\n", start) - start);
}

// Among forms whose whole header is there the one with the most columns.
const Form* recognise(std::string_view text, const TextRow& comma, const TextRow& tab) {
  const Form* best = nullptr;
  for (const auto& form : forms()) {
    const auto& row = form.separator == ',' ? comma : tab;
    if (!form.header) {
      if (form.looks_like(row, text)) return &form;
    } else if (columns_held(form, row) == form.columns.size()) {
      if (best == nullptr || form.columns.size() > best->columns.size()) best = &form;
    }
  }
  return best;
}

// The form that most of whose columns are there, if that is at least half of them.
const Form* nearest_form(const TextRow& header) {
  const Form* best = nullptr;
  double most = 0.5;
  for (const auto& form : forms()) {
    if (!form.header) continue;
    const double part = static_cast<double>(columns_held(form, header)) / static_cast<double>(form.columns.size());
    if (part < most || (best != nullptr && part == most)) continue;
    best = &form;
    most = part;
  }
  return best;
}

tl::unexpected<Error> not_recognised(const Source& source) {
  std::string known;
  for (const auto& form : forms()) known += (known.empty() ? "" : ", ") + std::string(form.name);
  return fail(ErrorCode::kInvalidArgument, source.name + ":1: no known form of trace begins with '" +
                                               shown(first_line(source.text)) + "'; name one of " + known);
}

Result<const Form*> find_form(const Source& source, const std::string& wanted) {
  if (wanted != "auto") {
    std::vector<std::string> names;
    for (const auto& form : forms()) {
      if (form.name == wanted) return &form;
      names.emplace_back(form.name);
    }
    return fail(ErrorCode::kInvalidArgument,
                "no trace format is called '" + shown(wanted) + "', must be auto, " + any_of_text(names));
  }
  const auto comma = first_row(source.text, ',');
  if (const auto* form = recognise(source.text, comma, first_row(source.text, '\t'))) return form;
  if (const auto* form = nearest_form(comma)) return form;
  return not_recognised(source);
}

// Where each column of the form stands. Errors: a column missing, twice, or unknown to a strict form.
Result<std::vector<std::optional<std::size_t>>> place_columns(const Form& form, const TextRow& header,
                                                              const std::vector<std::string_view>& columns,
                                                              const Source& source, Collector& jobs) {
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, source.name + ":" + std::to_string(header.line) + ": " + what +
                                                 ", must be as in the form " + std::string(form.name) + ": " +
                                                 std::string(form.summary));
  };
  std::set<std::string_view> seen;
  std::string unused;
  for (const auto cell : header.cells) {
    if (!seen.insert(cell).second) return wrong("column '" + shown(cell) + "' is there twice");
    if (std::find(columns.begin(), columns.end(), cell) != columns.end()) continue;
    if (form.strict) return wrong("unknown column '" + shown(cell) + "'");
    unused += (unused.empty() ? "'" : ", '") + shown(cell) + "'";
  }
  if (!unused.empty()) jobs.note("columns not read: " + unused);
  std::vector<std::optional<std::size_t>> places;
  for (const auto column : columns) {
    const auto found = std::find(header.cells.begin(), header.cells.end(), column);
    if (found != header.cells.end())
      places.emplace_back(static_cast<std::size_t>(found - header.cells.begin()));
    else if (places.size() < form.columns.size())
      return wrong("no column '" + std::string(column) + "'");
    else
      places.emplace_back(std::nullopt);
  }
  return places;
}

// Which cell count a row must have.
std::string_view cells_rule(bool header) {
  return header ? "a row with as many cells as the header" : "a row with as many cells as the form has";
}

// "4 cells, first LM".
std::string cells_text(const TextRow& row) {
  return std::to_string(row.cell_count) + (row.cell_count == 1 ? " cell" : " cells") + ", first " +
         std::string(row.cells.front().substr(0, 30));
}

Status read_rows(const Form& form, const Source& source, Collector& jobs) {
  TextRows rows(source.text, form.separator);
  TextRow row;
  auto columns = form.columns;
  std::vector<std::optional<std::size_t>> places;
  auto cell_count = columns.size();
  if (form.header) {
    columns.insert(columns.end(), form.optional.begin(), form.optional.end());
    if (!rows.next(row))
      return fail(ErrorCode::kInvalidArgument, source.name + " is empty, must start with a header line");
    cell_count = row.cell_count;
    auto placed = place_columns(form, row, columns, source, jobs);
    if (!placed) return fail(std::move(placed));
    places = std::move(*placed);
  } else {
    for (std::size_t i = 0; i < columns.size(); ++i) places.emplace_back(i);
  }
  Fields fields(columns, places);
  bool first = true;
  while (!jobs.full() && rows.next(row)) {
    const bool is_header = first && !form.header && row.cells == columns;
    first = false;
    if (is_header) continue;
    if (!row.broken.empty()) {
      jobs.refuse(row.line, "", row.cells.front(), row.broken);
      continue;
    }
    if (row.cell_count != cell_count) {
      jobs.refuse(row.line, "", cells_text(row), cells_rule(form.header));
      continue;
    }
    fields.start(row);
    form.read_row(fields, jobs);
    if (fields.refused())
      fields.report_to(jobs);
    else
      fields.keep_time_kind();
  }
  return {};
}

}  // namespace

Result<LoadedTrace> parse_trace(std::string_view text, const std::string& name, const LoadOptions& options) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Source source{text, name};
  if (first_line(text).empty()) return fail(ErrorCode::kInvalidArgument, name + " is empty, must hold a trace");
  const auto form = find_form(source, options.format);
  if (!form) return tl::unexpected(form.error());
  Collector jobs(name, options);
  auto read = (*form)->read_all ? (*form)->read_all(source, jobs) : read_rows(**form, source, jobs);
  if (!read) return fail(std::move(read));
  return std::move(jobs).finish((*form)->name);
}

Result<LoadedTrace> load_trace(const std::filesystem::path& file, const LoadOptions& options) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_trace(*text, file.string(), options);
}

}  // namespace hadar::traces
