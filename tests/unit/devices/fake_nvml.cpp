// A stand-in for the driver's library. FAKE_NVML lists its GPUs as "name|MiB|generation|lanes;…"; "init-fails" and
// "name-fails" make those calls fail. An empty number means that the GPU does not tell.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Gpu {
  std::string name, memory, generation, lanes;
};
std::vector<Gpu> gpus;

std::string setting() {
  const char* text = std::getenv("FAKE_NVML");
  return text != nullptr ? text : "";
}

int number(const std::string& text, unsigned* out) {
  if (text.empty()) return 3;
  *out = static_cast<unsigned>(std::stoul(text));
  return 0;
}

Gpu& at(void* device) {
  return *static_cast<Gpu*>(device);
}

}  // namespace

extern "C" {
int nvmlInit_v2() {
  gpus.clear();
  if (setting() == "init-fails") return 9;
  std::istringstream all(setting());
  for (std::string one; std::getline(all, one, ';');) {
    std::istringstream fields(one);
    Gpu gpu;
    std::getline(fields, gpu.name, '|');
    std::getline(fields, gpu.memory, '|');
    std::getline(fields, gpu.generation, '|');
    std::getline(fields, gpu.lanes, '|');
    gpus.push_back(gpu);
  }
  return 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int code) {
  return code == 9 ? "Driver Not Loaded" : "Unknown Error";
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  std::snprintf(out, size, "550.1");
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = static_cast<unsigned>(gpus.size());
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
  *out = &gpus.at(index);
  return 0;
}
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
  if (at(device).name == "name-fails") return 999;
  std::snprintf(out, size, "%s", at(device).name.c_str());
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* out) {
  unsigned mib = 0;
  if (number(at(device).memory, &mib) != 0) return 3;
  out[0] = static_cast<unsigned long long>(mib) << 20;
  return 0;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* out) {
  return number(at(device).generation, out);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* out) {
  return number(at(device).lanes, out);
}
}
