// Which cluster a command talks to.
#pragma once

#include <filesystem>
#include <string>

#include "messages/types/result.hpp"

namespace hadar::cli {

// What the user said, by option or environment. Empty strings were not given.
struct Where {
  std::string endpoint;
  std::string state;       // a local cluster's state folder
  std::string cluster_id;  // any other is refused
  double limit_s = 10;     // for each request
};

// A cluster's gateway.
struct ClusterLocation {
  std::string endpoint;
  std::string cluster_id;  // empty: whatever the gateway belongs to
};

// Fills what no option gave from HADAR_ENDPOINT, HADAR_STATE and HADAR_CLUSTER. An option always wins over the
// environment: --state hides HADAR_ENDPOINT.
Where with_environment(Where where);

// Finds the gateway: the endpoint, else the state folder's cluster.json. Errors: kInvalidArgument when neither is given
// (it never guesses), or when the folder has no cluster or a malformed one; kRefused when the folder's cluster is not
// the one asked for (an endpoint's says so itself).
Result<ClusterLocation> locate(const Where& where);

// Where the last rounds are kept: the folder rounds/ of the scheduler's process when the state folder describes a
// cluster, else of the state folder itself. Errors: kInvalidArgument (no state folder given), as locate().
Result<std::filesystem::path> rounds_folder(const Where& where);

}  // namespace hadar::cli
