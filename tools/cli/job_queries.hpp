// Questions about one job that several commands ask.
#pragma once

#include <string>

#include "messages/types/job.hpp"
#include "tools/cli/client.hpp"

namespace hadar::cli {

// The job with this id or name, ended or not. Errors: kNotFound, or the client's.
Result<JobStatus> query_job(Client& client, const std::string& job);

}  // namespace hadar::cli
