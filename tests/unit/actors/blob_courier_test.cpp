#include <caf/all.hpp>
#include <gmock/gmock.h>

#include "actors/node/blob_courier_actor.hpp"
#include "actors/tracker/blob_keeper_actor.hpp"
#include "launchers/simulated_time.hpp"
#include "runtime/bridge/caf_compat.hpp"
#include "runtime/store/memory_blob_store.hpp"

namespace hadar {
namespace {

constexpr std::uint32_t kChunk = 10;
constexpr std::size_t kChunks = 50;

// A node's courier and the tracker's keeper, a link of 10 ms between them.
class BlobCourierTest : public testing::Test {
 protected:
  BlobCourierTest() {
    link_.set_state(LinkState::kUp);
    keeper_ = spawn_blob_keeper(time_.system(), SpawnMode::kShared, store_);
    auto wire = link_.wire<BlobKeeperActor>([this] { return keeper_; }, true);
    courier_ = spawn_blob_courier(time_.system(), SpawnMode::kShared, {kChunk, 5}, cache_, wire);
    for (std::size_t i = 0; i < kChunk * kChunks; ++i) bytes_.push_back(static_cast<std::byte>(i % 251));
  }

  ~BlobCourierTest() override {
    caf::anon_send_exit(courier_, caf::exit_reason::kill);
    caf::anon_send_exit(keeper_, caf::exit_reason::kill);
    time_.drain();
  }

  // What came of a request; nothing when `limit_s` was over first.
  template <class Request>
  std::shared_ptr<std::optional<Status>> ask(Request request) {
    auto outcome = std::make_shared<std::optional<Status>>();
    time_.system().spawn([courier = courier_, request, outcome](caf::event_based_actor* self) {
      self->request(courier, caf::infinite, request)
          .then([outcome](const Ack&) { *outcome = Status{}; },
                [outcome](const caf::error& error) { *outcome = tl::unexpected<Error>(to_error(error)); });
    });
    return outcome;
  }

  SimulatedTime time_{1, false};
  SimulatedLink link_{time_.system(), 3, 0.01};
  std::shared_ptr<MemoryBlobStore> store_ = std::make_shared<MemoryBlobStore>();
  std::shared_ptr<MemoryBlobStore> cache_ = std::make_shared<MemoryBlobStore>();
  BlobKeeperActor keeper_;
  BlobCourierActor courier_;
  std::vector<std::byte> bytes_;
};

TEST_F(BlobCourierTest, FetchesABlobInChunks) {
  const auto blob = store_->put(bytes_);
  const auto outcome = ask(FetchBlob{blob});
  time_.run(10, [&] { return outcome->has_value(); });
  ASSERT_TRUE(outcome->has_value());
  EXPECT_TRUE((*outcome)->has_value());
  EXPECT_TRUE(cache_->has(blob));
}

TEST_F(BlobCourierTest, BrokenFetchFailsAndResumesWhereItStopped) {
  const auto blob = store_->put(bytes_);
  const auto first = ask(FetchBlob{blob});
  time_.run(10, [&] { return cache_->have(blob) >= kChunk * kChunks / 2; });
  link_.set_state(LinkState::kDown);
  time_.run(20, [&] { return first->has_value(); });
  ASSERT_TRUE(first->has_value());
  EXPECT_EQ((*first)->error().code, ErrorCode::kUnreachable);
  const auto before = cache_->have(blob);
  EXPECT_LT(before, blob.size);
  link_.set_state(LinkState::kUp);
  const auto second = ask(FetchBlob{blob});
  std::uint64_t least = blob.size;
  time_.run(40, [&] {
    least = std::min(least, cache_->have(blob));
    return second->has_value();
  });
  EXPECT_TRUE(cache_->has(blob));
  EXPECT_GE(least, before) << "nothing was fetched twice";
}

TEST_F(BlobCourierTest, PushesABlobOnceAndResumes) {
  const auto blob = cache_->put(bytes_);
  const auto first = ask(PushBlob{blob});
  time_.run(10, [&] { return store_->have(blob) >= kChunk * kChunks / 2; });
  link_.set_state(LinkState::kDown);
  time_.run(20, [&] { return first->has_value(); });
  EXPECT_FALSE((*first)->has_value());
  link_.set_state(LinkState::kUp);
  const auto second = ask(PushBlob{blob});
  time_.run(40, [&] { return second->has_value(); });
  ASSERT_TRUE(second->has_value());
  EXPECT_TRUE((*second)->has_value());
  EXPECT_TRUE(store_->has(blob));
}

TEST_F(BlobCourierTest, FetchOfABlobNobodyHasSaysSo) {
  const auto outcome = ask(FetchBlob{ref_of(bytes_)});
  time_.run(10, [&] { return outcome->has_value(); });
  ASSERT_TRUE(outcome->has_value());
  EXPECT_EQ((*outcome)->error().code, ErrorCode::kNotFound);
}

TEST_F(BlobCourierTest, SilentLinkEndsATransferAtItsLimit) {
  const auto blob = store_->put(bytes_);
  link_.set_state(LinkState::kSilent);
  const auto outcome = ask(FetchBlob{blob});
  time_.run(60, [&] { return outcome->has_value(); });
  ASSERT_TRUE(outcome->has_value());
  EXPECT_EQ((*outcome)->error().code, ErrorCode::kTimedOut);
}

}  // namespace
}  // namespace hadar
