#include "runtime/weights/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/weights/weight_files.hpp"

namespace hadar {
namespace {

using test::a_tensor;
using test::TempDir;
using test::write_raw;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- hostile files: each is refused by the rule it breaks, and the tensor is named where there is one ----

struct Hostile {
  const char* what;
  std::string header;
  std::string data;
  std::string rule;
  std::string tensor;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.what;
}

class HostileFile : public testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, IsRefusedNamingRuleAndTensor) {
  const TempDir dir;
  write_raw(dir / "f", GetParam().header, GetParam().data);
  const auto file = SafetensorsFile::open(dir / "f");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(file.error().message, HasSubstr(GetParam().rule));
  EXPECT_THAT(file.error().message, HasSubstr(GetParam().tensor));
  EXPECT_THAT(file.error().message, HasSubstr((dir / "f").string()));
  EXPECT_EQ(file.error().message.find('\n'), std::string::npos);
}

std::string one(const std::string& name, const std::string& dtype, const std::string& shape,
                const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

const std::string kA = one("a", "\"U8\"", "[4]", "[0,4]");

INSTANTIATE_TEST_SUITE_P(
    Rules, HostileFile,
    testing::Values(
        Hostile{"EmptyHeader", "", "", "start with '{'", ""},
        Hostile{"NotAnObject", "[1,2,3]", "", "start with '{'", ""},
        Hostile{"LeadingSpace", " {}", "", "start with '{'", ""}, Hostile{"BadUtf8", "{\"\xFF\":1}", "", "UTF-8", ""},
        Hostile{"OverlongUtf8", "{\"\xC0\x80\":1}", "", "UTF-8", ""},
        Hostile{"SurrogateUtf8", "{\"\xED\xA0\x80\":1}", "", "UTF-8", ""},
        Hostile{"CutUtf8", "{\"\xE2\x82", "", "UTF-8", ""}, Hostile{"NotClosed", "{" + kA, "1234", "',' or '}'", ""},
        Hostile{"TextAfter", "{" + kA + "}x", "1234", "only spaces may follow", ""},
        Hostile{"TrailingComma", "{" + kA + ",}", "1234", "double quotes", ""},
        Hostile{"LoneSurrogate", R"({"\ud800":1})", "", "surrogate", ""},
        Hostile{"WrongEscape", R"({"\x":1})", "", "escape", ""},
        Hostile{"ControlCharacter", "{\"a\nb\":1}", "", "control character", ""},
        Hostile{"TensorIsNumber", R"({"w":1})", "", "object is needed", "'w'"},
        Hostile{"Overlap", "{" + kA + "," + one("b", "\"U8\"", "[4]", "[2,6]") + "}", "123456", "overlaps", "'b'"},
        Hostile{"SameBytes", "{" + kA + "," + one("b", "\"U8\"", "[4]", "[0,4]") + "}", "1234", "overlaps", "'b'"},
        Hostile{"Hole", "{" + kA + "," + one("b", "\"U8\"", "[4]", "[6,10]") + "}", "1234567890", "hole of 2", "'b'"},
        Hostile{"HoleAtStart", "{" + one("b", "\"U8\"", "[4]", "[1,5]") + "}", "12345", "hole of 1", "'b'"},
        Hostile{"BytesAfterEnd", "{" + kA + "}", "12345", "1 bytes lie after", "'a'"},
        Hostile{"BytesWithoutTensor", "{}", "1", "names no tensor", ""},
        Hostile{"DataCut", "{" + kA + "}", "123", "ends at byte 4", "'a'"},
        Hostile{"LengthAgainstShape", "{" + one("a", "\"F32\"", "[2]", "[0,4]") + "}", "1234", "need 8", "'a'"},
        Hostile{"ShapeProduct", "{" + one("a", "\"U8\"", "[1099511627776,1099511627776]", "[0,4]") + "}", "1234",
                "product of the shape overflows", "'a'"},
        Hostile{"ShapeTimesDtype", "{" + one("a", "\"F64\"", "[9223372036854775807]", "[0,4]") + "}", "1234",
                "shape times dtype overflows", "'a'"},
        Hostile{"NumberOverflow", "{" + one("a", "\"U8\"", "[99999999999999999999]", "[0,4]") + "}", "1234",
                "above 2^64", "'a'"},
        Hostile{"NegativeShape", "{" + one("a", "\"U8\"", "[-4]", "[0,4]") + "}", "1234", "whole numbers", "'a'"},
        Hostile{"FractionalShape", "{" + one("a", "\"U8\"", "[4.0]", "[0,4]") + "}", "1234", "whole numbers", "'a'"},
        Hostile{"ShapeIsText", "{" + one("a", "\"U8\"", "\"4\"", "[0,4]") + "}", "1234", "shape must be", "'a'"},
        Hostile{"OffsetsBackwards", "{" + one("a", "\"U8\"", "[4]", "[4,0]") + "}", "1234", "before they begin", "'a'"},
        Hostile{"OneOffset", "{" + one("a", "\"U8\"", "[4]", "[4]") + "}", "1234", "two numbers", "'a'"},
        Hostile{"NameTwice", "{" + kA + "," + one("a", "\"U8\"", "[1]", "[4,5]") + "}", "12345", "appears twice",
                "'a'"},
        Hostile{"NameTwiceByEscape", "{" + kA + "," + one("\\u0061", "\"U8\"", "[1]", "[4,5]") + "}", "12345",
                "appears twice", "'a'"},
        Hostile{"KeyTwice", R"({"a":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "1234",
                "'dtype' appears twice", "'a'"},
        Hostile{"UnknownDtype", "{" + one("a", "\"F128\"", "[4]", "[0,64]") + "}", std::string(64, 'x'),
                "unknown dtype 'F128'", "'a'"},
        Hostile{"DtypeIsNumber", "{" + one("a", "8", "[4]", "[0,4]") + "}", "1234", "dtype must be a string", "'a'"},
        Hostile{"UnknownKey", R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":1}})", "1234",
                "unknown key 'x'", "'a'"},
        Hostile{"NoShape", R"({"a":{"dtype":"U8","data_offsets":[0,4]}})", "1234", "all needed", "'a'"},
        Hostile{"HalfAByte", "{" + one("a", "\"F4\"", "[3]", "[0,1]") + "}", "1", "whole number of bytes", "'a'"},
        Hostile{"MetadataNumber", R"({"__metadata__":{"step":1}})", "", "metadata 'step' must be a string", ""},
        Hostile{"MetadataKeyTwice", R"({"__metadata__":{"k":"1","k":"2"}})", "", "'k' appears twice", ""},
        Hostile{"MetadataTwice", R"({"__metadata__":{},"__metadata__":{}})", "", "'__metadata__' appears twice", ""},
        Hostile{"MetadataList", R"({"__metadata__":[]})", "", "object is needed", ""}),
    [](const auto& hostile) { return std::string(hostile.param.what); });

TEST(Safetensors, RefusesAFileTooShortForALength) {
  const TempDir dir;
  std::ofstream(dir / "f") << "1234567";
  EXPECT_THAT(SafetensorsFile::open(dir / "f").error().message, HasSubstr("at least 8 bytes; this one has 7"));
}

TEST(Safetensors, RefusesAHeaderLengthBeyondLimitOrFileBeforeAllocatingIt) {
  const TempDir dir;
  write_raw(dir / "huge", "{}", "", std::uint64_t{1} << 63);
  EXPECT_THAT(SafetensorsFile::open(dir / "huge").error().message, HasSubstr("above the limit of 100000000"));
  write_raw(dir / "limit", "{}", "", 100'000'000);
  EXPECT_THAT(SafetensorsFile::open(dir / "limit").error().message, HasSubstr("passes the end of the file"));
  write_raw(dir / "past", "{}", "", 3);
  EXPECT_THAT(SafetensorsFile::open(dir / "past").error().message, HasSubstr("passes the end of the file at 10"));
}

TEST(Safetensors, NamesAMissingFileAndAFolder) {
  const TempDir dir;
  EXPECT_EQ(SafetensorsFile::open(dir / "none").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(SafetensorsFile::open(dir.path()).error().message, HasSubstr("is not a regular file"));
}

TEST(Safetensors, AcceptsPaddingEmptyShapesScalarsEscapesAndAnyOrder) {
  const TempDir dir;
  const std::string header = " {" + one("z", "\"I32\"", "[]", "[4,8]") + ",\n" + one("e", "\"F64\"", "[0,3]", "[4,4]") +
                             " , " + one("\\u00e9\\n\\ud83d\\ude00", "\"F4\"", "[8]", "[0,4]") + " }   ";
  write_raw(dir / "f", header.substr(1), std::string("1234\7\0\0\0", 8));
  const auto file = SafetensorsFile::open(dir / "f");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->tensors().size(), 3U);
  EXPECT_EQ(file->tensors()[0].name, "\u00e9\n\U0001F600");
  EXPECT_EQ(file->find("e")->size(), 0U);
  EXPECT_THAT(test::values_of<std::int32_t>(*file, "z"), ElementsAre(7));
  EXPECT_EQ(file->find("missing"), nullptr);
}

TEST(Safetensors, ReadsTheFormatsSmallestExample) {
  const TempDir dir;
  std::string header = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"step":"128"}})";
  header.resize(88, ' ');
  const float values[] = {1.5F, -2.0F};
  write_raw(dir / "f", header, std::string(reinterpret_cast<const char*>(values), sizeof values));
  ASSERT_EQ(std::filesystem::file_size(dir / "f"), 104U);
  const auto file = SafetensorsFile::open(dir / "f");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->metadata().at("step"), "128");
  EXPECT_THAT(file->read_f32("w", {2}).value(), ElementsAre(1.5F, -2.0F));
}

TEST(Safetensors, ReadF32RefusesAnotherNameShapeOrDtype) {
  const TempDir dir;
  test::write_weights(dir / "f", {a_tensor<float>("w", Dtype::kF32, {2}, {1, 2}),
                                  a_tensor<std::int32_t>("n", Dtype::kI32, {2}, {1, 2})});
  const auto file = SafetensorsFile::open(dir / "f").value();
  EXPECT_EQ(file.read_f32("v", {2}).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(file.read_f32("w", {1, 2}).error().message, HasSubstr("is F32[2], not F32[1,2]"));
  EXPECT_THAT(file.read_f32("n", {2}).error().message, HasSubstr("is I32[2], not F32[2]"));
}

TEST(Safetensors, ReadsUnalignedTensorsInParts) {
  const TempDir dir;
  const std::uint16_t pair[] = {0x1234, 0x5678};
  write_raw(dir / "f", "{" + one("b", "\"U8\"", "[1]", "[0,1]") + "," + one("h", "\"U16\"", "[2]", "[1,5]") + "}",
            "x" + std::string(reinterpret_cast<const char*>(pair), 4));
  const auto file = SafetensorsFile::open(dir / "f").value();
  std::uint16_t second = 0;
  ASSERT_TRUE(file.read(*file.find("h"), 2, std::as_writable_bytes(std::span(&second, 1))));
  EXPECT_EQ(second, 0x5678);
}

TEST(Safetensors, AFileThatShrinksWhileOpenIsAnErrorNotACrash) {
  const TempDir dir;
  test::write_weights(dir / "f", {a_tensor<float>("w", Dtype::kF32, {4}, {1, 2, 3, 4})});
  const auto file = SafetensorsFile::open(dir / "f").value();
  std::filesystem::resize_file(dir / "f", std::filesystem::file_size(dir / "f") - 8);
  EXPECT_EQ(file.read_f32("w", {4}).error().code, ErrorCode::kCorrupt);
}

// Whatever bytes come, the answer is a refusal or a header whose tensors tile the data exactly.
TEST(Safetensors, DamagedHeadersAreRefusedOrStillTileTheData) {
  const std::string header = "{" + kA + "," + one("b\\u00e9", "\"F32\"", "[2,3]", "[4,28]") + "," +
                             one("c", "\"I64\"", "[]", "[28,36]") + R"(,"__metadata__":{"k":"v"}}   )";
  ASSERT_TRUE(parse_safetensors_header(header, 36));
  std::mt19937 random(1);
  const std::string spare = "{}[]\",:0123456789eE.-+\\u \n\xC3";
  int accepted = 0;
  for (int turn = 0; turn < 30'000; ++turn) {
    std::string damaged = header;
    for (unsigned times = random() % 3; times < 3; ++times) {
      const auto at = random() % damaged.size();
      const auto what = random() % 4;
      if (what == 0) damaged[at] = spare[random() % spare.size()];
      if (what == 1) damaged.erase(at, 1 + random() % 4);
      if (what == 2) damaged.insert(at, 1, spare[random() % spare.size()]);
      if (what == 3) damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 40));
      if (damaged.empty()) damaged = " ";
    }
    const auto parsed = parse_safetensors_header(damaged, 36);
    if (!parsed) {
      ASSERT_FALSE(parsed.error().message.empty());
      continue;
    }
    ++accepted;
    std::uint64_t at = 0;
    for (const auto& tensor : parsed->tensors) {
      ASSERT_EQ(tensor.begin, at) << damaged;
      ASSERT_EQ(tensor_bytes(tensor.dtype, tensor.shape).value(), tensor.size()) << damaged;
      at = tensor.end;
    }
    ASSERT_EQ(at, 36U) << damaged;
  }
  EXPECT_GT(accepted, 0);
}

TEST(SafetensorsWriter, OrdersByAlignmentThenNameAndPadsTheHeaderToEight) {
  const TempDir dir;
  test::write_weights(
      dir / "f",
      {a_tensor<std::uint8_t>("u", Dtype::kU8, {3}, {1, 2, 3}), a_tensor<float>("b", Dtype::kF32, {1}, {2}),
       a_tensor<float>("a", Dtype::kF32, {}, {1}), a_tensor<double>("z", Dtype::kF64, {1}, {3})},
      {{"format", "pt"}});
  const auto bytes = test::bytes_of_file(dir / "f");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes.substr(8, 1), "{");
  const std::string wanted =
      R"({"__metadata__":{"format":"pt"},"z":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[8,12]},"b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},)"
      R"("u":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})";
  EXPECT_EQ(bytes.substr(8, wanted.size()), wanted);
  EXPECT_EQ(bytes.substr(8 + wanted.size(), length - wanted.size()), std::string(length - wanted.size(), ' '));
  EXPECT_EQ(bytes.size(), 8 + length + 19);
}

TEST(SafetensorsWriter, WhatItWritesReadsBackByteForByte) {
  const TempDir dir;
  std::vector<float> large(100'000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<float>(i) * 0.5F;
  const std::string odd = "quote\" slash\\ tab\t \u00fc";
  test::write_weights(
      dir / "f",
      {a_tensor("large", Dtype::kF32, {100, 1000}, large), a_tensor<std::int64_t>(odd, Dtype::kI64, {}, {-7}),
       a_tensor<float>("none", Dtype::kF32, {0, 3}, {})},
      {{odd, odd}, {"", ""}});
  const auto file = SafetensorsFile::open(dir / "f");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(test::values_of<float>(*file, "large"), large);
  EXPECT_THAT(test::values_of<std::int64_t>(*file, odd), ElementsAre(-7));
  EXPECT_EQ(file->find("none")->shape, (TensorShape{0, 3}));
  EXPECT_EQ(file->metadata(), (TensorMetadata{{odd, odd}, {"", ""}}));
}

TEST(SafetensorsWriter, AnEmptyFileIsValid) {
  const TempDir dir;
  test::write_weights(dir / "f", {});
  ASSERT_TRUE(SafetensorsFile::open(dir / "f"));
  EXPECT_EQ(std::filesystem::file_size(dir / "f"), 16U);
}

TEST(SafetensorsWriter, RefusesWhatTheFormatCannotHold) {
  const TempDir dir;
  const auto refusal = [&](std::vector<TensorSpec> specs, const TensorMetadata& metadata = {}) {
    auto writer = SafetensorsWriter::create(dir / "f", std::move(specs), metadata);
    return writer ? "accepted" : writer.error().message;
  };
  EXPECT_THAT(refusal({{"a", Dtype::kU8, {}}, {"a", Dtype::kF32, {}}}), HasSubstr("'a': the name appears twice"));
  EXPECT_THAT(refusal({{"__metadata__", Dtype::kU8, {}}}), HasSubstr("keeps this name"));
  EXPECT_THAT(refusal({{"\xFF", Dtype::kU8, {}}}), HasSubstr("must be UTF-8"));
  EXPECT_THAT(refusal({}, {{"k", "\xFF"}}), HasSubstr("must be UTF-8"));
  EXPECT_THAT(refusal({{"a", Dtype::kF32, {1ULL << 40, 1ULL << 40}}}), HasSubstr("'a': the product"));
  EXPECT_THAT(refusal({}, {{"k", std::string(kMaxSafetensorsHeader, 'x')}}), HasSubstr("limit of 100000000"));
  EXPECT_FALSE(std::filesystem::exists(dir / "f"));
}

TEST(SafetensorsWriter, RefusesTooManyAndTooFewBytesAndRemovesTheUnfinishedFile) {
  const TempDir dir;
  {
    auto writer = SafetensorsWriter::create(dir / "f", {{"a", Dtype::kU8, {4}}});
    ASSERT_TRUE(writer);
    const std::byte bytes[5] = {};
    EXPECT_EQ(writer->append(bytes).error().code, ErrorCode::kInvalidArgument);
    ASSERT_TRUE(writer->append(std::span(bytes).first(3)));
    EXPECT_THAT(writer->finish(Durability::kCached).error().message, HasSubstr("1 bytes of tensors are missing"));
    EXPECT_TRUE(std::filesystem::exists(dir / "f"));
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "f"));
}

TEST(SafetensorsWriter, SaysWhereItCannotWrite) {
  const auto writer = SafetensorsWriter::create("/nonexistent/folder/f", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, ErrorCode::kIo);
  EXPECT_THAT(writer.error().message, HasSubstr("/nonexistent/folder/f"));
}

}  // namespace
}  // namespace hadar
