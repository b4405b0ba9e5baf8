// The element types of the safetensors format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hadar {

enum class Dtype : std::uint8_t {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kF16,
  kBf16,
  kU32,
  kI32,
  kF32,
  kC64,
  kU64,
  kI64,
  kF64,
  kF8E4m3,
  kF8E5m2,
  kF8E8m0,
  kF8E4m3Fnuz,
  kF8E5m2Fnuz,
  kF4,
  kF6E2m3,
  kF6E3m2,
};

struct DtypeFacts {
  Dtype dtype;
  std::string_view name;  // as in a file's header
  std::uint32_t bits;     // per element; below 8 only for F4 and F6
};

// Every type, in the order of the enum.
inline constexpr std::array<DtypeFacts, 22> kDtypes{{
    {Dtype::kBool, "BOOL", 8},
    {Dtype::kU8, "U8", 8},
    {Dtype::kI8, "I8", 8},
    {Dtype::kU16, "U16", 16},
    {Dtype::kI16, "I16", 16},
    {Dtype::kF16, "F16", 16},
    {Dtype::kBf16, "BF16", 16},
    {Dtype::kU32, "U32", 32},
    {Dtype::kI32, "I32", 32},
    {Dtype::kF32, "F32", 32},
    {Dtype::kC64, "C64", 64},
    {Dtype::kU64, "U64", 64},
    {Dtype::kI64, "I64", 64},
    {Dtype::kF64, "F64", 64},
    {Dtype::kF8E4m3, "F8_E4M3", 8},
    {Dtype::kF8E5m2, "F8_E5M2", 8},
    {Dtype::kF8E8m0, "F8_E8M0", 8},
    {Dtype::kF8E4m3Fnuz, "F8_E4M3FNUZ", 8},
    {Dtype::kF8E5m2Fnuz, "F8_E5M2FNUZ", 8},
    {Dtype::kF4, "F4", 4},
    {Dtype::kF6E2m3, "F6_E2M3", 6},
    {Dtype::kF6E3m2, "F6_E3M2", 6},
}};

constexpr std::string_view name_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].name;
}

constexpr std::uint32_t bits_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].bits;
}

// The type of that name in a header; none when there is no such type.
constexpr std::optional<Dtype> dtype_named(std::string_view name) {
  for (const auto& facts : kDtypes)
    if (facts.name == name) return facts.dtype;
  return std::nullopt;
}

}  // namespace hadar
