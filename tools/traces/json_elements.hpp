// Elements of a JSON array, one after the other, with the line each starts in.
#pragma once

#include <cstdint>
#include <string_view>

namespace hadar::traces {

struct JsonElement {
  std::string_view text;    // the element; where the array itself is broken, what stands there
  std::uint32_t line = 0;   // from 1
  std::string_view broken;  // what would be right in its place; empty = nothing is wrong there
};

// Cuts a text that is one array into its elements without reading what is in them, so that a broken one costs itself
// only. Whatever is neither an element nor what parts elements comes as a broken element. Does not own the text.
class JsonElements {
 public:
  explicit JsonElements(std::string_view text) : text_(text) {}

  // The next element; false at the end of the text.
  bool next(JsonElement& element);

 private:
  bool rest(JsonElement& element, std::string_view broken);
  bool end_array(JsonElement& element);
  [[nodiscard]] bool read();
  [[nodiscard]] bool read_nested(char open, char close);
  void read_plain();
  void skip_space();
  void step();
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool begun_ = false;
  bool done_ = false;
};

}  // namespace hadar::traces
