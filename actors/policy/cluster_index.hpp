// A round's nodes, types and GPUs by number, so that planning needs no strings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "messages/types/result.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// So many GPUs of one type on one node, by the numbers of a ClusterIndex.
struct Part {
  std::uint32_t node = 0;
  std::uint32_t type = 0;
  std::uint32_t count = 0;

  friend bool operator==(const Part&, const Part&) = default;
};

// The GPUs of one gang: rising (node, type), each pair once, counts > 0.
using Gang = std::vector<Part>;

// GPUs in a gang.
[[nodiscard]] std::uint32_t size_of(const Gang& gang);

// Nodes a gang touches.
[[nodiscard]] std::uint32_t node_count(const Gang& gang);

// Brings parts into a Gang's order and adds up those of one (node, type).
[[nodiscard]] Gang normalized(Gang gang);

// Counts one GPU more; GPUs alike that follow each other become one part.
inline void add_gpu(Gang& gang, std::uint32_t node, std::uint32_t type) {
  if (!gang.empty() && gang.back().node == node && gang.back().type == type)
    ++gang.back().count;
  else
    gang.push_back({node, type, 1});
}

// Immutable once made. Node numbers follow the input's order (rising names), type numbers rising type names.
class ClusterIndex {
 public:
  // Fails with kInvalidArgument when node names do not rise. `nodes` must outlive the index and stay as they are.
  [[nodiscard]] static Result<ClusterIndex> make(const std::vector<NodeCapacity>& nodes);

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_->size()); }
  [[nodiscard]] std::uint32_t types() const { return static_cast<std::uint32_t>(type_names_.size()); }
  [[nodiscard]] const NodeName& node_name(std::uint32_t node) const { return (*nodes_)[node].node; }
  [[nodiscard]] const GpuType& type_name(std::uint32_t type) const { return type_names_[type]; }
  [[nodiscard]] const std::vector<GpuType>& type_names() const { return type_names_; }
  // The type of every GPU of a node, by GPU index.
  [[nodiscard]] std::span<const std::uint32_t> gpu_types(std::uint32_t node) const {
    return {gpu_types_.data() + first_gpu_[node], gpu_types_.data() + first_gpu_[node + 1]};
  }
  // GPUs of all nodes are numbered through, node after node: where a node's begin (for nodes(): how many there are).
  [[nodiscard]] std::size_t first_gpu(std::uint32_t node) const { return first_gpu_[node]; }
  // Installed GPUs of a type over all nodes.
  [[nodiscard]] std::uint32_t installed(std::uint32_t type) const { return installed_[type]; }

  // Numbers by name; kNone when there is no such node or type here.
  static constexpr std::uint32_t kNone = UINT32_MAX;
  [[nodiscard]] std::uint32_t find_node(const NodeName& name) const;
  [[nodiscard]] std::uint32_t find_type(const GpuType& name) const;

  // The gang of an allocation, or an empty one when it names a node or a GPU that is not here.
  [[nodiscard]] Gang gang_of(const Allocation& allocation) const;

 private:
  void number_names();

  const std::vector<NodeCapacity>* nodes_ = nullptr;
  std::vector<std::uint32_t> slots_;  // node numbers by hash of the name, each in the first free slot; a power of two
  std::vector<GpuType> type_names_;
  std::vector<std::size_t> first_gpu_;    // per node, and one more
  std::vector<std::uint32_t> gpu_types_;  // per GPU
  std::vector<std::uint32_t> installed_;
};

}  // namespace hadar
