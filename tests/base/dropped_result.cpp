// Must not compile: the test structure-dropped_result asks the compiler to refuse each of these lines.
#include "base/result.hpp"

tbci::Result<int> count();
tbci::Status act();

void drop() {
  count();
  act();
  static_cast<void>(act());  // the one way to ignore it
}
