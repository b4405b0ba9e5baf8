#include "tools/cli/cluster_location.hpp"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace hadar::cli {
namespace {

class Location : public ::testing::Test {
 protected:
  Location() : folder_(testing::TempDir() + "location-" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    for (const auto* name : {"HADAR_ENDPOINT", "HADAR_STATE", "HADAR_CLUSTER"}) unsetenv(name);
  }
  ~Location() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) { std::ofstream(folder_ / "cluster.json") << text; }

  std::filesystem::path folder_;
};

TEST_F(Location, RefusesToGuess) {
  const auto place = locate(with_environment({}));
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(place.error().message,
              testing::AllOf(testing::HasSubstr("--endpoint"), testing::HasSubstr("HADAR_STATE")));
}

TEST_F(Location, RefusesWhatIsNoEndpoint) {
  for (const auto* wrong : {"foo", "tcp://127.0.0.1:99999", "127.0.0.1:7"}) {
    const auto place = locate({.endpoint = wrong, .state = "", .cluster_id = ""});
    ASSERT_FALSE(place.has_value()) << wrong;
    EXPECT_EQ(place.error().code, ErrorCode::kInvalidArgument) << wrong;
  }
}

TEST_F(Location, ReadsTheStateFolder) {
  write(R"({"endpoint": "tcp://127.0.0.1:7", "cluster_id": "c", "processes": []})");
  const auto place = locate({.endpoint = "", .state = folder_, .cluster_id = ""});
  ASSERT_TRUE(place.has_value()) << place.error().message;
  EXPECT_EQ(place->endpoint, "tcp://127.0.0.1:7");
  EXPECT_EQ(place->cluster_id, "c");
}

TEST_F(Location, RefusesTheStateFolderOfAnotherCluster) {
  write(R"({"endpoint": "tcp://127.0.0.1:7", "cluster_id": "c", "processes": []})");
  EXPECT_TRUE(locate({.endpoint = "", .state = folder_, .cluster_id = "c"}).has_value());
  setenv("HADAR_CLUSTER", "d", 1);
  setenv("HADAR_STATE", folder_.c_str(), 1);
  for (const Where& where : {Where{.endpoint = "", .state = folder_, .cluster_id = "d"}, with_environment({}),
                             with_environment({.endpoint = "", .state = folder_, .cluster_id = ""})}) {
    const auto place = locate(where);
    ASSERT_FALSE(place.has_value());
    EXPECT_EQ(place.error().code, ErrorCode::kRefused) << "as an endpoint of another cluster";
    EXPECT_THAT(place.error().message, testing::AllOf(testing::HasSubstr("cluster.json: belongs to cluster \"c\""),
                                                      testing::HasSubstr("\"d\"")));
  }
}

TEST_F(Location, NamesTheFileThatIsMissingOrMalformed) {
  const auto missing = locate({.endpoint = "", .state = folder_, .cluster_id = ""});
  EXPECT_THAT(missing.error().message, testing::HasSubstr("cluster.json"));
  EXPECT_EQ(missing.error().code, ErrorCode::kInvalidArgument);
  for (const auto* text : {"", "[]", "{", R"({"endpoint": 7, "cluster_id": "c"})", R"({"endpoint": "x"})"}) {
    write(text);
    const auto place = locate({.endpoint = "", .state = folder_, .cluster_id = ""});
    ASSERT_FALSE(place.has_value()) << text;
    EXPECT_EQ(place.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST_F(Location, AnOptionHidesTheEnvironment) {
  setenv("HADAR_ENDPOINT", "tcp://127.0.0.1:1", 1);
  setenv("HADAR_STATE", "/elsewhere", 1);
  EXPECT_EQ(with_environment({}).endpoint, "tcp://127.0.0.1:1");
  const auto where = with_environment({.endpoint = "", .state = "here", .cluster_id = ""});
  EXPECT_EQ(where.endpoint, "");
  EXPECT_EQ(where.state, "here");
}

TEST_F(Location, FindsTheRoundsOfTheScheduler) {
  EXPECT_EQ(*rounds_folder({.endpoint = "", .state = folder_, .cluster_id = ""}), folder_ / "rounds");
  write(R"({"processes": [{"role": "gateway", "state": "/g"}, {"role": "scheduler,policy", "state": "/s"}]})");
  EXPECT_EQ(*rounds_folder({.endpoint = "", .state = folder_, .cluster_id = ""}), "/s/rounds");
  EXPECT_EQ(rounds_folder({}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar::cli
