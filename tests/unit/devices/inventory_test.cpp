#include "runtime/devices/inventory.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kNoLibrary = "libhadar-no-such-library.so";
const std::string kFake = HADAR_FAKE_NVML;

class Inventory : public testing::Test {
 protected:
  static void driver_has(const char* gpus) { ::setenv("FAKE_NVML", gpus, 1); }
  void TearDown() override { ::unsetenv("FAKE_NVML"); }

  NodeInventory declared_{.name = "n1", .gpus = {{"T4", 2}}, .pcie_gb_s = 3, .net_gb_s = 1.25, .emulated = false};
};

TEST(GpuTypes, DropVendorFormAndMemory) {
  EXPECT_EQ(gpu_type_of("NVIDIA H200"), "H200");
  EXPECT_EQ(gpu_type_of("NVIDIA H100 80GB HBM3"), "H100");
  EXPECT_EQ(gpu_type_of("NVIDIA H100 PCIe"), "H100");
  EXPECT_EQ(gpu_type_of("NVIDIA A100-SXM4-80GB"), "A100");
  EXPECT_EQ(gpu_type_of("NVIDIA A100-PCIE-40GB"), "A100");
  EXPECT_EQ(gpu_type_of("Tesla V100-SXM2-16GB"), "V100");
  EXPECT_EQ(gpu_type_of("Tesla P100-PCIE-16GB"), "P100");
  EXPECT_EQ(gpu_type_of("Tesla K80"), "K80");
  EXPECT_EQ(gpu_type_of("Tesla T4"), "T4");
  EXPECT_EQ(gpu_type_of("NVIDIA L40S"), "L40S");
  EXPECT_EQ(gpu_type_of("NVIDIA GeForce RTX 3090"), "RTX 3090");
  EXPECT_EQ(gpu_type_of("NVIDIA GeForce RTX 2080 Ti"), "RTX 2080 Ti");
  EXPECT_EQ(gpu_type_of("NVIDIA RTX A6000"), "RTX A6000");
  EXPECT_EQ(gpu_type_of("Quadro RTX 6000"), "RTX 6000");
  EXPECT_EQ(gpu_type_of("NVIDIA TITAN RTX"), "TITAN RTX");
  EXPECT_EQ(gpu_type_of("NVIDIA"), "NVIDIA");
}

TEST(PcieRate, FollowsGenerationAndLanes) {
  EXPECT_NEAR(pcie_gb_s(3, 16), 15.75, 0.01);
  EXPECT_NEAR(pcie_gb_s(4, 16), 31.5, 0.01);
  EXPECT_NEAR(pcie_gb_s(5, 16), 63.0, 0.02);
  EXPECT_NEAR(pcie_gb_s(4, 8), 15.75, 0.01);
  EXPECT_EQ(pcie_gb_s(0, 16), 0);
  EXPECT_EQ(pcie_gb_s(99, 16), 0);
}

TEST_F(Inventory, ReadsTheDriversFacts) {
  driver_has("Tesla V100-SXM2-16GB|16384|3|16;NVIDIA L4|23034||");
  const auto report = query_driver(kFake);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->driver_version, "550.1");
  EXPECT_THAT(report->gpus, ElementsAre(GpuDevice{0, "Tesla V100-SXM2-16GB", "V100", 16384ULL << 20, 3, 16},
                                        GpuDevice{1, "NVIDIA L4", "L4", 23034ULL << 20, 0, 0}));
}

TEST_F(Inventory, KeepsTheDriversOrderSoThatIndicesAgree) {
  driver_has("Tesla T4|1|3|16;Tesla T4|1|3|8;Tesla V100|1|3|16;Tesla T4|1|3|16");
  const auto found =
      find_inventory({.name = "n1", .gpus = {}, .pcie_gb_s = 0, .net_gb_s = 2, .emulated = false}, kFake);
  EXPECT_THAT(gpu_types_by_index(found.node.gpus), ElementsAre("T4", "T4", "V100", "T4"));
  EXPECT_NEAR(found.node.pcie_gb_s, 7.88, 0.01);  // the slowest link
  EXPECT_EQ(found.node.net_gb_s, 2);
  EXPECT_EQ(found.node.name, "n1");
  EXPECT_EQ(found.source, "NVML, driver 550.1: 2 x T4, 1 x V100, 1 x T4");
}

TEST_F(Inventory, TheDriversWordCountsAboveADeclarationAndSaysSo) {
  driver_has("NVIDIA H200|143771|5|16");
  const auto found = find_inventory(declared_, kFake);
  EXPECT_THAT(found.node.gpus, ElementsAre(GpuGroup{"H200", 1}));
  EXPECT_THAT(found.source, HasSubstr("passed over the declared 2 x T4"));
}

TEST_F(Inventory, AnEmulatedDeclarationStands) {
  driver_has("NVIDIA H200|143771|5|16");
  declared_.emulated = true;
  const auto found = find_inventory(declared_, kFake);
  EXPECT_EQ(found.node, declared_);
  EXPECT_EQ(found.source, "emulated: 2 x T4");
}

TEST_F(Inventory, WithoutADriverTheDeclarationCounts) {
  const auto found = find_inventory(declared_, kNoLibrary);
  EXPECT_EQ(found.node, declared_);
  EXPECT_THAT(found.source, HasSubstr("declared: 2 x T4 (no NVIDIA driver"));
}

TEST_F(Inventory, WithoutDriverAndDeclarationThereAreNoGpus) {
  const auto found = find_inventory(NodeInventory(), kNoLibrary);
  EXPECT_THAT(found.node.gpus, IsEmpty());
  EXPECT_THAT(found.source, HasSubstr("no GPUs: none declared and no NVIDIA driver"));
  driver_has("");
  EXPECT_THAT(find_inventory(NodeInventory(), kFake).source, HasSubstr("driver 550.1 reports no GPUs"));
}

TEST_F(Inventory, ADriverThatFailsIsNamedNotHidden) {
  EXPECT_EQ(query_driver(kNoLibrary).error().code, ErrorCode::kNotFound);
  driver_has("init-fails");
  EXPECT_EQ(query_driver(kFake).error().message, "NVML: nvmlInit_v2 failed: Driver Not Loaded");
  EXPECT_EQ(query_driver(kFake).error().code, ErrorCode::kIo);
  driver_has("Tesla T4|1|3|16;name-fails|1|3|16");
  EXPECT_THAT(query_driver(kFake).error().message, HasSubstr("nvmlDeviceGetName(1) failed"));
  EXPECT_THAT(find_inventory(declared_, kFake).source, HasSubstr("declared: 2 x T4 (NVML: nvmlDeviceGetName(1)"));
}

TEST_F(Inventory, ALibraryThatIsNotNvmlIsRefused) {
  EXPECT_THAT(query_driver("libc.so.6").error().message, HasSubstr("has no nvmlInit_v2"));
}

}  // namespace
}  // namespace hadar
