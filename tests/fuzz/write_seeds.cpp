// write_seeds DIR: one file for each target, in the form LLVMFuzzerTestOneInput reads.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/fuzz/targets.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "write_seeds: " << argc - 1 << " arguments, must be one: the folder to write to\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto all = hadar::fuzz::targets();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto seed = all[i].seed();
    std::ofstream file(folder / (std::to_string(i) + "-" + std::string(all[i].name)), std::ios::binary);
    file.put(static_cast<char>(i));
    file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
    if (!file.flush()) {
      std::cerr << "write_seeds: cannot write to " << folder << "\n";
      return 1;
    }
  }
  return 0;
}
