// Nodes and their GPUs, as values. Wire ↔ value; inside the codec only.
#pragma once

#include "messages/codec/wire.hpp"
#include "messages/schema/cluster.capnp.h"
#include "messages/types/cluster.hpp"

namespace hadar::wire {

// A node has at most 65,536 GPUs.
void check_gpu_count(const std::vector<hadar::GpuGroup>& groups, const Where& at);
// Indices name GPUs of these groups.
void check_indices(const std::vector<std::uint32_t>& indices, const std::vector<hadar::GpuGroup>& groups,
                   const Where& at);

void build(GpuGroup::Builder out, const hadar::GpuGroup& in);
hadar::GpuGroup read(GpuGroup::Reader in, const Where& at);

void build(NodeInventory::Builder out, const hadar::NodeInventory& in);
hadar::NodeInventory read(NodeInventory::Reader in, const Where& at);

void build(NodeView::Builder out, const hadar::NodeView& in);
hadar::NodeView read(NodeView::Reader in, const Where& at);

}  // namespace hadar::wire
