#include "tools/sdk/gang.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace hadar::sdk {
namespace {

std::string free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(probe, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  close(probe);
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

bool keep_waiting(std::span<const int> sockets) {
  std::vector<pollfd> items;
  for (const int socket : sockets) items.push_back({socket, POLLIN, 0});
  poll(items.data(), items.size(), 20);
  return true;
}

// Runs `member` as each rank of a gang, each on a thread of its own.
void with_gang(std::uint32_t size, const std::vector<double>& paces,
               const std::function<void(std::uint32_t, Gang&)>& member) {
  const auto rendezvous = free_port();
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      auto gang = Gang::join(rank, size, rendezvous, paces[rank], keep_waiting);
      ASSERT_TRUE(gang) << gang.error().message;
      member(rank, **gang);
    });
}

TEST(Gang, AllRanksGetTheSameBitsInRankOrder) {
  std::vector<std::vector<float>> results(4);
  with_gang(4, {0, 0, 0, 0}, [&](std::uint32_t rank, Gang& gang) {
    // Big and small numbers: another order of summing gives other bits.
    std::vector<float> values{rank == 1 ? 1e8F : 0.1F * static_cast<float>(rank + 1), static_cast<float>(rank)};
    values.resize(100'000, 1);
    ASSERT_TRUE(gang.all_reduce(values));
    results[rank] = values;
  });
  EXPECT_EQ(results[0][0], ((0.1F + 1e8F) + 0.3F) + 0.4F);
  EXPECT_EQ(results[0][1], 6);
  EXPECT_EQ(results[0][99'999], 4);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Gang, RankZeroKnowsTheSlowestPace) {
  with_gang(3, {10, 0, 4}, [&](std::uint32_t rank, Gang& gang) {
    if (rank == 0) {
      EXPECT_DOUBLE_EQ(gang.pace(), 4);
    }
  });
}

TEST(Gang, RankZeroDecidesForAllAndHearsWishesToEnd) {
  with_gang(3, {0, 0, 0}, [&](std::uint32_t rank, Gang& gang) {
    if (rank == 0) {
      EXPECT_EQ(gang.await_ready(keep_waiting), false);
      EXPECT_TRUE(gang.decide(LeaseEndReason::kRunning));
      EXPECT_EQ(gang.await_ready(keep_waiting), true);
      EXPECT_TRUE(gang.decide(LeaseEndReason::kRevoked));
      return;
    }
    EXPECT_TRUE(gang.say_ready(false));
    EXPECT_EQ(gang.await_decision(keep_waiting), LeaseEndReason::kRunning);
    EXPECT_TRUE(gang.say_ready(rank == 2));
    EXPECT_EQ(gang.await_decision(keep_waiting), LeaseEndReason::kRevoked);
  });
}

TEST(Gang, AMemberThatLeftIsNamed) {
  with_gang(3, {0, 0, 0}, [&](std::uint32_t rank, Gang& gang) {
    if (rank == 2) return;
    std::vector<float> values{1};
    const auto reduced = gang.all_reduce(values);
    ASSERT_FALSE(reduced);
    EXPECT_EQ(reduced.error().code, ErrorCode::kUnreachable);
    if (rank == 0) {
      EXPECT_THAT(reduced.error().message, ::testing::HasSubstr("gang member 2 is gone"));
    }
  });
}

TEST(Gang, DifferentCountsAreAnErrorNotAHang) {
  with_gang(2, {0, 0}, [&](std::uint32_t rank, Gang& gang) {
    std::vector<float> values(rank + 1);
    EXPECT_FALSE(gang.all_reduce(values));
  });
}

TEST(Gang, AStrangerIsTurnedAwayAndTheGangStillComesTogether) {
  const auto rendezvous = free_port();
  std::jthread root([&] {
    auto gang = Gang::join(0, 2, rendezvous, 0, keep_waiting);
    EXPECT_TRUE(gang);
    if (gang) {
      EXPECT_EQ((*gang)->await_ready(keep_waiting), false);
    }
  });
  // Of another gang's size: it is refused, and gives up when told to.
  int patience = 20;
  const auto lose_patience = [&](std::span<const int> sockets) { return keep_waiting(sockets) && --patience > 0; };
  EXPECT_FALSE(Gang::join(1, 3, rendezvous, 0, lose_patience));
  auto member = Gang::join(1, 2, rendezvous, 0, keep_waiting);
  ASSERT_TRUE(member);
  EXPECT_TRUE((*member)->say_ready(false));
}

TEST(Gang, ARendezvousThatIsNoneIsRefused) {
  const auto joined = Gang::join(1, 2, "nowhere", 0, keep_waiting);
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar::sdk
