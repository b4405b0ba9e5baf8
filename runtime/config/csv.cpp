#include "runtime/config/csv.hpp"

#include <set>
#include <string_view>

#include "runtime/config/text.hpp"

namespace hadar {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Walks over the text once.
class Splitter {
 public:
  Splitter(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // The next row that is not blank; no cells at the end of the text.
  Result<CsvRow> next() {
    while (at_ < text_.size()) {
      auto row = read_row();
      if (!row || row->cells.size() > 1 || !row->cells.front().empty()) return row;
    }
    return CsvRow{};
  }

 private:
  Result<CsvRow> read_row() {
    CsvRow row{line_, {}};
    for (;;) {
      auto cell = read_cell();
      if (!cell) return tl::unexpected(cell.error());
      row.cells.push_back(std::move(*cell));
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
      ++line_;
      return row;
    }
  }

  bool at_cell_end() const { return at_ >= text_.size() || text_[at_] == ',' || at_line_end(); }
  bool at_line_end() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }

  Result<std::string> read_cell() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const auto start = at_;
    while (!at_cell_end()) ++at_;
    return std::string(trimmed(text_.substr(start, at_ - start)));
  }

  Result<std::string> read_quoted() {
    const auto opened = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (text_.substr(at_, 2) == "\"\"") {
        cell += text_[at_++];
      } else {
        ++at_;
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
        if (at_cell_end()) return cell;
        return wrong(line_, "text after a closing quote, must be a comma or the line's end");
      }
    }
    return wrong(opened, "a quote is left open, must be closed");
  }

  tl::unexpected<Error> wrong(std::uint32_t line, const std::string& what) const {
    return fail(ErrorCode::kInvalidArgument, name_ + ":" + std::to_string(line) + ": " + what);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

Status check_header(const CsvTable& table) {
  std::set<std::string> seen;
  for (const auto& column : table.header.cells)
    if (!seen.insert(column).second)
      return fail(ErrorCode::kInvalidArgument, table.name + ":" + std::to_string(table.header.line) + ": column '" +
                                                   column + "' is there twice, must be there once");
  return {};
}

}  // namespace

Error CsvTable::cell_error(const CsvRow& row, std::size_t column, const std::string& must) const {
  return {ErrorCode::kInvalidArgument, name + ":" + std::to_string(row.line) + ": column '" + header.cells.at(column) +
                                           "': got '" + row.cells.at(column) + "', must be " + must};
}

Result<CsvTable> parse_csv(const std::string& text, const std::string& name) {
  std::string_view rest(text);
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  Splitter splitter(rest, name);
  auto header = splitter.next();
  if (!header) return tl::unexpected(header.error());
  if (header->cells.empty())
    return fail(ErrorCode::kInvalidArgument, name + " is empty, must start with a header line");
  CsvTable table{name, std::move(*header), {}};
  if (auto right = check_header(table); !right) return tl::unexpected(right.error());
  for (;;) {
    auto row = splitter.next();
    if (!row) return tl::unexpected(row.error());
    if (row->cells.empty()) return table;
    if (row->cells.size() != table.header.cells.size())
      return fail(ErrorCode::kInvalidArgument, name + ":" + std::to_string(row->line) + ": got " +
                                                   std::to_string(row->cells.size()) + " cells, must be " +
                                                   std::to_string(table.header.cells.size()) + " as in the header");
    table.rows.push_back(std::move(*row));
  }
}

Result<CsvTable> load_csv(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_csv(*text, file.string());
}

}  // namespace hadar
