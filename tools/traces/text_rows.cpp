#include "tools/traces/text_rows.hpp"

#include <algorithm>

namespace hadar::traces {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::size_t TextRows::line_end(std::size_t from) const {
  return std::min(text_.find('\n', from), text_.size());
}

bool TextRows::next(TextRow& row) {
  while (at_ < text_.size()) {
    read_row(row);
    const bool blank = row.broken.empty() && row.cell_count == 1 && row.cells.front().empty();
    if (!blank) return true;
  }
  return false;
}

void TextRows::read_row(TextRow& row) {
  row.line = line_;
  row.cells.clear();
  row.cell_count = 0;
  row.broken = {};
  unquoted_.clear();
  const auto start = at_;
  for (;;) {
    const auto cell = read_cell(row);
    if (!row.broken.empty()) return skip_line(row, start);
    if (row.cells.size() < kMostCells) row.cells.push_back(cell);
    ++row.cell_count;
    if (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
      continue;
    }
    if (at_ < text_.size()) ++at_;
    ++line_;
    return;
  }
}

// A broken row ends with the line it starts in, whatever its quotes say.
void TextRows::skip_line(TextRow& row, std::size_t from) {
  const auto end = line_end(from);
  row.cells.assign(1, trimmed(text_.substr(from, end - from)));
  row.cell_count = 1;
  line_ = row.line + 1;
  at_ = std::min(end + 1, text_.size());
}

bool TextRows::at_cell_end() const {
  return at_ >= text_.size() || text_[at_] == separator_ || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
}

std::string_view TextRows::read_cell(TextRow& row) {
  if (separator_ != ',') return read_plain();
  const auto first = text_.find_first_not_of(" \t", at_);
  if (first == std::string_view::npos || text_[first] != '"') return read_plain();
  at_ = first;
  return read_quoted(row);
}

std::string_view TextRows::read_plain() {
  const char ends[] = {separator_, '\n', '\0'};
  const auto end = std::min(text_.find_first_of(std::string_view(ends, 2), at_), text_.size());
  const auto cell = trimmed(text_.substr(at_, end - at_));
  at_ = end;
  return cell;
}

std::string_view TextRows::read_quoted(TextRow& row) {
  const auto start = at_ + 1;
  bool doubled = false;
  auto close = text_.find('"', start);
  while (close != std::string_view::npos && text_.substr(close, 2) == "\"\"") {
    doubled = true;
    close = text_.find('"', close + 2);
  }
  if (close == std::string_view::npos) {
    row.broken = "with every quote closed";
    return {};
  }
  const auto inside = text_.substr(start, close - start);
  line_ += static_cast<std::uint32_t>(std::count(inside.begin(), inside.end(), '\n'));
  at_ = close + 1;
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  if (!at_cell_end()) row.broken = "without text after a closing quote";
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (!doubled) return inside;
  auto& plain = unquoted_.emplace_back();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    plain += inside[i];
    if (inside[i] == '"') ++i;
  }
  return plain;
}

}  // namespace hadar::traces
