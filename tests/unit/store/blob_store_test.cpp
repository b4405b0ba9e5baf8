#include "runtime/store/blob_store.hpp"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "runtime/store/file_io.hpp"
#include "runtime/store/folder_blob_store.hpp"
#include "runtime/store/memory_blob_store.hpp"
#include "tests/unit/store/child_process.hpp"
#include "tests/unit/store/temp_folder.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Status put(BlobStore& store, const BlobRef& blob, std::uint64_t offset, const std::string& text) {
  const auto bytes = bytes_of(text);
  return store.put_chunk(blob, offset, chunk_checksum(bytes), bytes);
}

Status put_all(BlobStore& store, const BlobRef& blob, const std::string& text, std::size_t chunk) {
  for (auto at = store.have(blob); at < text.size(); at = store.have(blob))
    if (auto done = put(store, blob, at, text.substr(at, chunk)); !done) return done;
  return {};
}

std::string read_all(const BlobStore& store, const BlobRef& blob, std::uint32_t chunk) {
  std::string text;
  while (text.size() < blob.size) {
    const auto part = store.get_chunk(blob, text.size(), chunk);
    if (!part || part->empty()) return "error after " + std::to_string(text.size());
    text.append(reinterpret_cast<const char*>(part->bytes().data()), part->size());
  }
  return text;
}

BlobRef ref_of_text(const std::string& text) {
  return ref_of(std::as_bytes(std::span(text)));
}

// What holds for every store.
class AnyBlobStore : public ::testing::TestWithParam<bool> {
 protected:
  AnyBlobStore() {
    if (GetParam())
      store_ = FolderBlobStore::open(folder_ / "store").value();
    else
      store_ = std::make_unique<MemoryBlobStore>();
  }

  TempFolder folder_;
  std::unique_ptr<BlobStore> store_;
};

TEST_P(AnyBlobStore, NamesAFileByItsContentAndTakesItOver) {
  const auto text = pattern(3'000'000);
  write_text(folder_ / "w", text);
  const auto blob = store_->adopt_file(folder_ / "w").value();
  EXPECT_EQ(blob, ref_of_text(text));
  EXPECT_EQ(blob.hash.size(), 32u);
  EXPECT_FALSE(fs::exists(folder_ / "w"));
  EXPECT_TRUE(store_->has(blob));
  EXPECT_EQ(store_->have(blob), blob.size);
  EXPECT_EQ(read_file(store_->path_of(blob).value()).value(), text);
}

TEST_P(AnyBlobStore, TakesTheSameContentTwice) {
  write_text(folder_ / "a", "same");
  write_text(folder_ / "b", "same");
  EXPECT_EQ(store_->adopt_file(folder_ / "a").value(), store_->adopt_file(folder_ / "b").value());
  EXPECT_FALSE(fs::exists(folder_ / "b"));
  EXPECT_EQ(store_->collect({}, 0), 1u);
}

TEST_P(AnyBlobStore, PassesABlobOnInChunks) {
  const auto text = pattern(10'001);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put_all(*store_, blob, text, 1000));
  EXPECT_TRUE(store_->has(blob));
  EXPECT_EQ(read_all(*store_, blob, 777), text);
  EXPECT_EQ(store_->get_chunk(blob, 10'000, 500).value().size(), 1u);
  EXPECT_TRUE(store_->get_chunk(blob, 10'001, 500).value().empty());
  EXPECT_EQ(store_->get_chunk(blob, 10'002, 1).error().code, ErrorCode::kInvalidArgument);
}

TEST_P(AnyBlobStore, ShowsNothingBeforeTheLastChunk) {
  const auto text = pattern(100);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put(*store_, blob, 0, text.substr(0, 99)));
  EXPECT_FALSE(store_->has(blob));
  EXPECT_EQ(store_->have(blob), 99u);
  EXPECT_EQ(store_->path_of(blob).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->get_chunk(blob, 0, 10).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(put(*store_, blob, 99, text.substr(99)));
  EXPECT_TRUE(store_->has(blob));
}

TEST_P(AnyBlobStore, RefusesGapsOverlapsAndExcess) {
  const auto text = pattern(100);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put(*store_, blob, 0, text.substr(0, 50)));
  for (const auto offset : {0u, 49u, 51u, 4'000'000'000u})
    EXPECT_EQ(put(*store_, blob, offset, text.substr(50, 10)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(put(*store_, blob, 50, pattern(51)).error().code, ErrorCode::kInvalidArgument);
  auto shorter = blob;
  shorter.size = 40;
  EXPECT_EQ(put(*store_, shorter, 50, "x").error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(put(*store_, blob, 50, text.substr(50)));
  EXPECT_EQ(read_all(*store_, blob, 100), text);
}

TEST_P(AnyBlobStore, DropsAPartialWhoseChunkOrContentIsWrong) {
  const auto text = pattern(100);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put(*store_, blob, 0, text.substr(0, 50)));
  const auto bytes = bytes_of(text.substr(50));
  EXPECT_EQ(store_->put_chunk(blob, 50, chunk_checksum(bytes) + 1, bytes).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(store_->have(blob), 0u);

  auto wrong = text;
  wrong[3] ^= 1;
  const auto refused = put(*store_, blob, 0, wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(refused.error().message, HasSubstr(blob.hash));
  EXPECT_FALSE(store_->has(blob));
  EXPECT_EQ(store_->have(blob), 0u);
  EXPECT_TRUE(put(*store_, blob, 0, text));
}

TEST_P(AnyBlobStore, TakesTheLastChunkAgainWhenItsAnswerWasLost) {
  const auto text = pattern(100);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put(*store_, blob, 0, text));
  EXPECT_TRUE(put(*store_, blob, 0, text));
  EXPECT_EQ(read_all(*store_, blob, 100), text);
}

TEST_P(AnyBlobStore, HoldsAnEmptyFileAsABlob) {
  const auto blob = ref_of_text("");
  EXPECT_FALSE(store_->has(blob));
  ASSERT_TRUE(put(*store_, blob, 0, ""));
  EXPECT_TRUE(store_->has(blob));
  EXPECT_TRUE(store_->get_chunk(blob, 0, 10).value().empty());
}

TEST_P(AnyBlobStore, NeverMakesAPathOfAHostileHash) {
  for (const std::string hash : {"", "../../etc/passwd", "ABCDEF0123456789ABCDEF0123456789", "0123",
                                 "0123456789abcdef0123456789abcde/", "0123456789abcdef0123456789abcdef0"}) {
    const BlobRef blob{hash, 4};
    EXPECT_FALSE(store_->has(blob));
    EXPECT_EQ(store_->have(blob), 0u);
    EXPECT_EQ(store_->path_of(blob).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(store_->get_chunk(blob, 0, 4).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(put(*store_, blob, 0, "data").error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_P(AnyBlobStore, CollectsAllButWhatIsKept) {
  const auto kept = pattern(100);
  const auto gone = pattern(200);
  const auto half = pattern(300);
  ASSERT_TRUE(put(*store_, ref_of_text(kept), 0, kept));
  ASSERT_TRUE(put(*store_, ref_of_text(gone), 0, gone));
  ASSERT_TRUE(put(*store_, ref_of_text(half), 0, half.substr(0, 10)));
  EXPECT_EQ(store_->collect({ref_of_text(kept).hash}, 0), 2u);
  EXPECT_TRUE(store_->has(ref_of_text(kept)));
  EXPECT_FALSE(store_->has(ref_of_text(gone)));
  EXPECT_EQ(store_->have(ref_of_text(half)), 0u);
  EXPECT_TRUE(put(*store_, ref_of_text(half), 0, half));
}

TEST_P(AnyBlobStore, ServesSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      const auto text = pattern(20'000 + t);
      const auto blob = ref_of_text(text);
      right[t] = put_all(*store_, blob, text, 512).has_value() && read_all(*store_, blob, 1000) == text;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(right, ::testing::Each(1));
}

INSTANTIATE_TEST_SUITE_P(Stores, AnyBlobStore, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "Folder" : "Memory"; });

class FolderStore : public ::testing::Test {
 protected:
  void open() {
    store_.reset();
    store_ = FolderBlobStore::open(folder_ / "store").value();
  }
  FolderStore() { open(); }

  BlobRef add(const std::string& text) {
    write_text(folder_ / "w", text);
    return store_->adopt_file(folder_ / "w").value();
  }
  fs::path file_of(const BlobRef& blob) const {
    return folder_.path() / "store/blobs" / blob.hash.substr(0, 2) / blob.hash;
  }
  fs::path partial_of(const BlobRef& blob) const { return folder_.path() / "store/partial" / blob.hash; }

  TempFolder folder_;
  std::unique_ptr<FolderBlobStore> store_;
};

TEST_F(FolderStore, FindsItsBlobsAgain) {
  const auto blob = add(pattern(5000));
  open();
  EXPECT_EQ(read_all(*store_, blob, 999), pattern(5000));
}

TEST_F(FolderStore, ResumesAPartialBlobAfterARestart) {
  const auto text = pattern(5000);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put(*store_, blob, 0, text.substr(0, 3000)));
  open();
  EXPECT_EQ(store_->have(blob), 3000u);
  ASSERT_TRUE(put(*store_, blob, 3000, text.substr(3000)));
  EXPECT_EQ(read_all(*store_, blob, 5000), text);
  EXPECT_FALSE(fs::exists(partial_of(blob)));
}

TEST_F(FolderStore, FinishesABlobWhoseLastBytesCameJustBeforeADeath) {
  const auto text = pattern(5000);
  const auto blob = ref_of_text(text);
  write_text(partial_of(blob), text);
  open();
  EXPECT_FALSE(store_->has(blob));
  ASSERT_TRUE(put_all(*store_, blob, text, 1000));
  EXPECT_EQ(read_all(*store_, blob, 5000), text);
}

TEST_F(FolderStore, NoticesAPartialThatRottedBetweenRuns) {
  const auto text = pattern(5000);
  const auto blob = ref_of_text(text);
  ASSERT_TRUE(put(*store_, blob, 0, text.substr(0, 3000)));
  open();
  flip_byte(partial_of(blob), 100);
  EXPECT_EQ(put(*store_, blob, 3000, text.substr(3000)).error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(put_all(*store_, blob, text, 1000));
}

TEST_F(FolderStore, NoticesOneFlippedByteNamesTheFileAndTakesTheBlobAgain) {
  const auto text = pattern(5000);
  const auto blob = add(text);
  open();
  flip_byte(file_of(blob), 2500);
  const auto damaged = store_->path_of(blob);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(damaged.error().message, HasSubstr(file_of(blob).string()));
  EXPECT_FALSE(store_->has(blob));
  ASSERT_TRUE(put_all(*store_, blob, text, 1000));
  EXPECT_EQ(read_all(*store_, blob, 5000), text);
}

TEST_F(FolderStore, NoticesAFlipWhileItRuns) {
  const auto blob = add(pattern(5000));
  ASSERT_TRUE(store_->get_chunk(blob, 0, 100));
  fs::last_write_time(file_of(blob), fs::file_time_type::min());
  flip_byte(file_of(blob), 4999);
  EXPECT_EQ(store_->get_chunk(blob, 0, 100).error().code, ErrorCode::kCorrupt);
}

TEST_F(FolderStore, NoticesAFileCutShort) {
  const auto blob = add(pattern(5000));
  fs::resize_file(file_of(blob), 4999);
  EXPECT_FALSE(store_->has(blob));
  EXPECT_EQ(store_->path_of(blob).error().code, ErrorCode::kCorrupt);
}

TEST_F(FolderStore, RemovesTemporariesOfAnEarlierProcess) {
  write_text(folder_ / "store/partial/.adopted.tmp-1", "half");
  open();
  EXPECT_EQ(files_under(folder_ / "store"), 0u);
}

TEST_F(FolderStore, SaysWhatItCannotAdopt) {
  const auto missing = store_->adopt_file(folder_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_THAT(missing.error().message, HasSubstr("none"));
}

TEST_F(FolderStore, GoesOnAfterTheFolderCouldNotBeWritten) {
  const auto text = pattern(100);
  const auto blob = ref_of_text(text);
  write_text(folder_ / "store/blobs/" += blob.hash.substr(0, 2), "a file where a folder must be");
  ASSERT_TRUE(put(*store_, blob, 0, text.substr(0, 60)));
  const auto refused = put(*store_, blob, 60, text.substr(60));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, HasSubstr("store/blobs"));
  EXPECT_EQ(store_->have(blob), 60u);
  fs::remove(file_of(blob).parent_path());
  ASSERT_TRUE(put(*store_, blob, 60, text.substr(60)));
  EXPECT_EQ(read_all(*store_, blob, 100), text);
}

TEST_F(FolderStore, AsACacheGivesUpWhatWasUsedLongestAgo) {
  store_.reset();
  store_ = FolderBlobStore::open(folder_ / "store", {.cache_bytes = 2500}).value();
  const auto first = add(pattern(1000));
  const auto second = add(pattern(1001));
  ASSERT_TRUE(store_->path_of(first));
  const auto third = add(pattern(1002));
  EXPECT_TRUE(store_->has(first));
  EXPECT_FALSE(store_->has(second));
  EXPECT_TRUE(store_->has(third));
  const auto large = add(pattern(9000));
  EXPECT_TRUE(store_->has(large)) << "the latest stays, whatever its size";
  EXPECT_EQ(files_under(folder_ / "store"), 1u);
}

TEST_F(FolderStore, AsACacheKeepsItsLimitOverARestart) {
  const auto old = add(pattern(1000));
  fs::last_write_time(file_of(old), fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto young = add(pattern(1001));
  store_.reset();
  store_ = FolderBlobStore::open(folder_ / "store", {.cache_bytes = 1500}).value();
  EXPECT_FALSE(store_->has(old));
  EXPECT_TRUE(store_->has(young));
}

// Runs `body` in a process in which files may not grow beyond `bytes`, which stands for a full disk.
void with_small_disk(rlim_t bytes, const std::function<bool()>& body) {
  ChildProcess child([&](int) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return body() ? 0 : 1;
  });
  const auto status = child.wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(FolderStore, KeepsWhatItHasOnAFullDiskAndGoesOnWhenThereIsRoom) {
  const auto text = pattern(10'000);
  const auto blob = ref_of_text(text);
  with_small_disk(4096, [&] {
    if (!put(*store_, blob, 0, text.substr(0, 3000))) return false;
    for (int i = 0; i < 2; ++i) {
      const auto full = put(*store_, blob, 3000, text.substr(3000, 3000));
      if (full || full.error().code != ErrorCode::kIo) return false;
      if (full.error().message.find(partial_of(blob).string() + ": File too large") == std::string::npos) return false;
      if (store_->have(blob) != 3000) return false;
    }
    return true;
  });
  open();
  EXPECT_GE(store_->have(blob), 3000u);
  ASSERT_TRUE(put_all(*store_, blob, text, 3000));
  EXPECT_EQ(read_all(*store_, blob, 3000), text);
}

TEST_F(FolderStore, IsWholeAfterAKillInMidTransfer) {
  const auto text = pattern(4'000'000);
  const auto blob = ref_of_text(text);
  const auto transfer = [&](int news) {
    const auto store = FolderBlobStore::open(folder_ / "store").value();
    for (auto at = store->have(blob); at < text.size(); at = store->have(blob))
      if (!put(*store, blob, at, text.substr(at, 40'000)) || !tell(news, 'x')) return 2;
    return 0;
  };
  for (int round = 0; round < 5; ++round) {
    store_.reset();
    ChildProcess child(transfer);
    char byte = 0;
    for (int i = 0; i < 10 + round; ++i) child.read(byte);
    child.kill();
    open();
    EXPECT_GT(store_->have(blob), 0u);
  }
  ASSERT_TRUE(put_all(*store_, blob, text, 40'000));
  EXPECT_EQ(read_all(*store_, blob, 1 << 20), text);
}

TEST(BlobHash, IsXxh3AsTheReferenceToolPrintsIt) {
  EXPECT_EQ(ref_of_text("").hash, "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(chunk_checksum({}), 0x2d06800538d394c2u);
}

}  // namespace
}  // namespace hadar
