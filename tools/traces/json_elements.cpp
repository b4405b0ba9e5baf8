#include "tools/traces/json_elements.hpp"

#include <algorithm>

namespace hadar::traces {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

void JsonElements::step() {
  if (!at_end() && text_[at_++] == '\n') ++line_;
}

void JsonElements::skip_space() {
  while (!at_end() && kSpace.find(text_[at_]) != std::string_view::npos) step();
}

// All that is left is one broken element, the last.
bool JsonElements::rest(JsonElement& element, std::string_view broken) {
  done_ = true;
  element.text = at_end() ? "the end of the file" : text_.substr(at_);
  element.line = line_;
  element.broken = broken;
  return true;
}

bool JsonElements::end_array(JsonElement& element) {
  step();
  skip_space();
  done_ = true;
  return !at_end() && rest(element, "the end of the file: the array is closed before it");
}

// From an opening to its closing bracket; false where there is none.
bool JsonElements::read_nested(char open, char close) {
  std::size_t depth = 0;
  bool quoted = false;
  for (; !at_end(); step()) {
    const char c = text_[at_];
    if (quoted && c == '\\') {
      step();
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == open) {
      ++depth;
    } else if (!quoted && c == close && --depth == 0) {
      step();
      return true;
    }
  }
  return false;
}

// At least one byte, so that a stray bracket is an element too.
void JsonElements::read_plain() {
  const auto end = std::min(text_.find_first_of(",[]{\"\n", at_ + 1), text_.size());
  while (at_ < end) step();
}

bool JsonElements::read() {
  switch (text_[at_]) {
    case '{': return read_nested('{', '}');
    case '[': return read_nested('[', ']');
    case '"': {
      step();
      while (!at_end() && text_[at_] != '"') {
        if (text_[at_] == '\\') step();
        step();
      }
      const bool closed = !at_end();
      step();
      return closed;
    }
    default: read_plain(); return true;
  }
}

bool JsonElements::next(JsonElement& element) {
  element = {};
  if (done_) return false;
  skip_space();
  const bool first = !begun_;
  begun_ = true;
  if (first && peek() != '[') return rest(element, "[, which begins an array");
  if (!first && peek() == ']') return end_array(element);
  const bool parted = first || peek() == ',';
  if (parted) step();
  skip_space();
  if (first && peek() == ']') return end_array(element);
  if (at_end()) return rest(element, "] or one more element: the array is not closed");
  element.line = line_;
  const auto start = at_;
  if (peek() == ',' || peek() == ']') {
    element.text = text_.substr(start, 1);
    element.broken = "an element: a comma stands between two";
    return true;
  }
  const bool closed = read();
  element.text = text_.substr(start, at_ - start);
  element.text = element.text.substr(0, element.text.find_last_not_of(kSpace) + 1);
  done_ = !closed;
  if (!closed) element.broken = "closed: what is left of the file is taken for a part of it";
  if (!parted) element.broken = "after a comma, as every element but the first";
  return true;
}

}  // namespace hadar::traces
