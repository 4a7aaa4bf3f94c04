#include "github/signature.hpp"

#include "tests/catch.hpp"

namespace tbci::signature_test {

using tbci::github::hmac_sha256_hex;

TEST_CASE("Signature: the published examples give their published codes", "[github]") {
  // RFC 4231, cases 1, 2 and 6 (a key longer than a block), and the one of GitHub's page on webhooks.
  CHECK(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hmac_sha256_hex("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac_sha256_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(hmac_sha256_hex("It's a Secret to Everybody", "Hello, World!") ==
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
}

}  // namespace tbci::signature_test
