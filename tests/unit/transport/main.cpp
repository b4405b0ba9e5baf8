// The tests, or with --frozen-node ENDPOINT a node for one of them, which runs until it is killed.
#include <csignal>
#include <gmock/gmock.h>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/unit/transport/test_peer.hpp"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--frozen-node") {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    hadar::test::TestPeer node(hadar::test::quick_options("frozen"));
    node->connect(argv[2]);
    ::pause();
    return 0;
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
