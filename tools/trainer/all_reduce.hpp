// How the members of a gang sum their numbers.
#pragma once

#include <functional>
#include <span>

namespace hadar::trainer {

// Sums floats over the gang in place, the same bits at every rank; false when a member is gone.
using AllReduce = std::function<bool(std::span<float>)>;

}  // namespace hadar::trainer
