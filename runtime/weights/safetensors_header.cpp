#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/weights/safetensors.hpp"
#include "runtime/weights/utf8.hpp"

namespace hadar {
namespace {

// A strict reader of the one JSON shape a header may have. It is not a general JSON parser on purpose: nothing nests,
// so hostile text costs one pass and no memory beyond what it declares. Functions return false after setting the fault.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<SafetensorsHeader> parse() {
    if (!top_level()) return fail(ErrorCode::kCorrupt, std::move(fault_));
    return std::move(header_);
  }

 private:
  bool fault(std::string rule) {
    if (!fault_.empty()) return false;
    if (tensor_) fault_ = "tensor '" + printable(*tensor_) + "': ";
    fault_ += std::move(rule) + " (header byte " + std::to_string(at_) + ")";
    return false;
  }

  bool top_level() {
    if (text_.empty() || text_[0] != '{') return fault("the header must start with '{'");
    if (!members([this](std::string&& name) { return name == "__metadata__" ? metadata() : tensor(std::move(name)); }))
      return false;
    skip_space();
    return at_ == text_.size() || fault("only spaces may follow the header's object");
  }

  bool metadata() {
    if (std::exchange(has_metadata_, true)) return fault("name '__metadata__' appears twice");
    return members([this](std::string&& key) {
      std::string value;
      skip_space();
      if (peek() != '"') return fault("metadata '" + printable(key) + "' must be a string");
      if (!string(value)) return false;
      const auto [entry, fresh] = header_.metadata.emplace(std::move(key), std::move(value));
      return fresh || fault("metadata '" + printable(entry->first) + "' appears twice");
    });
  }

  bool tensor(std::string&& name) {
    TensorInfo info;
    bool dtype = false;
    bool shape = false;
    bool offsets = false;
    tensor_ = &name;
    const bool good = members([&](std::string&& key) {
      if (key == "dtype") return once(dtype, key) && read_dtype(info.dtype);
      if (key == "shape") return once(shape, key) && numbers(info.shape, "shape");
      if (key == "data_offsets") return once(offsets, key) && read_offsets(info);
      return fault("unknown key '" + printable(key) + "'; a tensor has dtype, shape and data_offsets");
    });
    if (!good) return false;
    if (!dtype || !shape || !offsets) return fault("dtype, shape and data_offsets are all needed");
    const auto bytes = tensor_bytes(info.dtype, info.shape);
    if (!bytes) return fault(bytes.error().message);
    if (info.end < info.begin) return fault("data_offsets must not end before they begin");
    if (info.size() != *bytes)
      return fault("data_offsets span " + std::to_string(info.size()) + " bytes but shape and dtype need " +
                   std::to_string(*bytes));
    tensor_ = nullptr;
    info.name = std::move(name);
    header_.tensors.push_back(std::move(info));
    return true;
  }

  bool once(bool& seen, const std::string& key) {
    return !std::exchange(seen, true) || fault("key '" + key + "' appears twice");
  }

  bool read_dtype(Dtype& out) {
    std::string name;
    skip_space();
    if (peek() != '"') return fault("dtype must be a string");
    if (!string(name)) return false;
    const auto found = dtype_named(name);
    if (!found) return fault("unknown dtype '" + printable(name) + "'");
    out = *found;
    return true;
  }

  bool read_offsets(TensorInfo& info) {
    TensorShape pair;
    if (!numbers(pair, "data_offsets")) return false;
    if (pair.size() != 2) return fault("data_offsets must be two numbers");
    info.begin = pair[0];
    info.end = pair[1];
    return true;
  }

  // {"key": value, …}; `each` reads the value.
  template <class Each>
  bool members(Each each) {
    if (!take('{')) return fault("an object is needed");
    if (take('}')) return true;
    do {
      std::string key;
      skip_space();
      if (peek() != '"') return fault("a name in double quotes is needed");
      if (!string(key)) return false;
      if (!take(':')) return fault("':' is needed after a name");
      if (!each(std::move(key))) return false;
    } while (take(','));
    return take('}') || fault("',' or '}' is needed");
  }

  bool numbers(TensorShape& out, const char* what) {
    if (!take('[')) return fault(std::string(what) + " must be an array of whole numbers");
    if (take(']')) return true;
    do {
      std::uint64_t value = 0;
      if (!number(value, what)) return false;
      out.push_back(value);
    } while (take(','));
    return take(']') || fault(std::string(what) + " must be an array of whole numbers");
  }

  bool number(std::uint64_t& out, const char* what) {
    skip_space();
    const auto start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (__builtin_mul_overflow(out, 10U, &out) || __builtin_add_overflow(out, digit, &out))
        return fault(std::string(what) + " holds a number above 2^64");
      ++at_;
    }
    const char next = peek();
    const bool leading_zero = at_ - start > 1 && text_[start] == '0';
    if (at_ == start || leading_zero || next == '.' || next == 'e' || next == 'E')
      return fault(std::string(what) + " must hold whole numbers, not negative");
    return true;
  }

  bool string(std::string& out) {
    ++at_;  // the opening quote
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) return fault("a control character inside a string");
      ++at_;
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return false;
      }
    }
    return fault("a string is not closed");
  }

  bool escape(std::string& out) {
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const char c = peek();
    if (c == 'u') return unicode_escape(out);
    const auto index = c == '\0' ? std::string_view::npos : kFrom.find(c);
    if (index == std::string_view::npos) return fault("a wrong escape inside a string");
    out += kTo[index];
    ++at_;
    return true;
  }

  bool unicode_escape(std::string& out) {
    const auto first = hex4();
    if (!first) return fault("a wrong \\u escape inside a string");
    std::uint32_t code = *first;
    if (code >= 0xDC00 && code <= 0xDFFF) return fault("a lone surrogate inside a string");
    if (code >= 0xD800 && code <= 0xDBFF) {
      const bool pair = peek() == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == 'u';
      if (pair) ++at_;
      const auto second = pair ? hex4() : std::nullopt;
      if (!second || *second < 0xDC00 || *second > 0xDFFF) return fault("a lone surrogate inside a string");
      code = 0x10000 + ((code - 0xD800) << 10) + (*second - 0xDC00);
    }
    append_utf8(out, code);
    return true;
  }

  // Reads "uXXXX".
  std::optional<std::uint32_t> hex4() {
    if (text_.size() - at_ < 5) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = at_ + 1; i < at_ + 5; ++i) {
      const char c = text_[i];
      const bool digit = c >= '0' && c <= '9';
      const bool lower = c >= 'a' && c <= 'f';
      const bool upper = c >= 'A' && c <= 'F';
      if (!digit && !lower && !upper) return std::nullopt;
      value = value * 16 + static_cast<std::uint32_t>(digit ? c - '0' : (lower ? c - 'a' : c - 'A') + 10);
    }
    at_ += 5;
    return value;
  }

  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char wanted) {
    skip_space();
    if (peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const std::string* tensor_ = nullptr;  // the one being read
  bool has_metadata_ = false;
  std::string fault_;
  SafetensorsHeader header_;
};

std::string quoted(const TensorInfo& tensor) {
  return "tensor '" + printable(tensor.name) + "'";
}

Status check_names(const std::vector<TensorInfo>& tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const auto& tensor : tensors) names.emplace_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return {};
  return fail(ErrorCode::kCorrupt, "tensor '" + printable(*twice) + "': the name appears twice");
}

Status check_offsets(const std::vector<TensorInfo>& tensors, std::uint64_t data_bytes) {
  std::uint64_t expected = 0;
  for (const auto& tensor : tensors) {
    if (tensor.begin < expected)
      return fail(ErrorCode::kCorrupt, quoted(tensor) + ": overlaps the tensor before it; it begins at " +
                                           std::to_string(tensor.begin) + ", not at " + std::to_string(expected));
    if (tensor.begin > expected)
      return fail(ErrorCode::kCorrupt,
                  quoted(tensor) + ": a hole of " + std::to_string(tensor.begin - expected) + " bytes lies before it");
    if (tensor.end > data_bytes)
      return fail(ErrorCode::kCorrupt, quoted(tensor) + ": ends at byte " + std::to_string(tensor.end) +
                                           " of data, but the file holds " + std::to_string(data_bytes));
    expected = tensor.end;
  }
  if (expected == data_bytes) return {};
  const auto after = tensors.empty() ? std::string("the header, which names no tensor") : quoted(tensors.back());
  return fail(ErrorCode::kCorrupt, std::to_string(data_bytes - expected) + " bytes lie after the end of " + after);
}

}  // namespace

Result<std::uint64_t> tensor_bytes(Dtype dtype, const TensorShape& shape) {
  std::uint64_t bits = 1;
  for (const auto extent : shape)
    if (__builtin_mul_overflow(bits, extent, &bits))
      return fail(ErrorCode::kInvalidArgument, "the product of the shape overflows");
  if (__builtin_mul_overflow(bits, std::uint64_t{bits_of(dtype)}, &bits))
    return fail(ErrorCode::kInvalidArgument, "shape times dtype overflows");
  if (bits % 8 != 0) return fail(ErrorCode::kInvalidArgument, "shape times dtype is not a whole number of bytes");
  return bits / 8;
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::uint64_t data_bytes) {
  if (const auto bad = find_bad_utf8(json); bad != std::string_view::npos)
    return fail(ErrorCode::kCorrupt, "the header must be UTF-8; byte " + std::to_string(bad) + " of it is not");
  auto header = HeaderParser(json).parse();
  if (!header) return header;
  if (auto good = check_names(header->tensors); !good) return fail(std::move(good));
  std::sort(header->tensors.begin(), header->tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  if (auto good = check_offsets(header->tensors, data_bytes); !good) return fail(std::move(good));
  return header;
}

}  // namespace hadar
