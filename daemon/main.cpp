#include "daemon/cli/application.hpp"

int main(int argc, char** argv) {
  return tbci::daemon::run_application(argc, argv);
}
