// Rows of traces as simulations take them.
#pragma once

#include <vector>

#include "launchers/simulation.hpp"
#include "tools/traces/trace.hpp"

namespace hadar {

// One job per row, in the order of the trace. Only single-GPU jobs may fork.
std::vector<TraceJob> jobs_of(const traces::Trace& trace);

}  // namespace hadar
