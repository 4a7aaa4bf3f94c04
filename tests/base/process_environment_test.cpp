#include "base/process_environment.hpp"

#include <cstdlib>

#include "tests/catch.hpp"

namespace tbci::process_environment_test {

using process::is_inherited;

namespace {

bool by_default(std::string_view name, std::string_view value = "x") {
  return is_inherited(name, value, Inherited::listed);
}

}  // namespace

TEST_CASE("Environment of a child: what steers programs is inherited, everything else is not", "[process]") {
  for (const char* name : {"PATH",
                           "HOME",
                           "LANG",
                           "LC_ALL",
                           "TZ",
                           "TMPDIR",
                           "CC",
                           "CXXFLAGS",
                           "CCACHE_DIR",
                           "TBCI_LIBTORCH",
                           "MAX_JOBS",
                           "OMP_NUM_THREADS",
                           "MKL_VERBOSE",
                           "CUDA_VISIBLE_DEVICES",
                           "LD_LIBRARY_PATH",
                           "LD_PRELOAD",
                           "MALLOC_ARENA_MAX",
                           "GLIBC_TUNABLES",
                           "TORCH_HOME",
                           "HF_HOME",
                           "CMAKE_PREFIX_PATH"}) {
    INFO(name);
    CHECK(by_default(name));
  }
  for (const char* name : {"PYTHONPATH", "EDITOR", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "NOTIFY_SOCKET",
                           "CREDENTIALS_DIRECTORY", "SSH_AUTH_SOCK", "SSH_CONNECTION", "API_KEY", "GITHUB_PAT",
                           "PGPASSWD", "AWS_SESSION", "PIP_INDEX_URL", "http_proxy", "GIT_DIR", "GIT_SSH_COMMAND"}) {
    INFO(name);
    CHECK_FALSE(by_default(name));
  }
}

TEST_CASE("Environment of a child: a secret is not inherited under any name that is", "[process]") {
  for (const char* name : {"TBCI_GITHUB_TOKEN", "HF_TOKEN", "TBCI_PASSWORD", "CCACHE_SECRET", "TORCH_API_KEY",
                           "TBCI_passwd", "NVIDIA_API_KEY", "TBCI_PAT"}) {
    INFO(name);
    CHECK_FALSE(by_default(name));
    CHECK_FALSE(is_inherited(name, "x", Inherited::all_but_secrets));
  }
  CHECK_FALSE(by_default("TBCI_TORCH_INDEX", "https://user:word@index.example/simple"));
  CHECK(by_default("TBCI_TORCH_INDEX", "https://index.example/simple"));
  CHECK_FALSE(by_default("CCACHE_REMOTE_STORAGE", "redis://user:word@cache.example:6379"));
}

TEST_CASE("Environment of a child: proxies reach what needs the network, with a password only git and pip",
          "[process]") {
  const std::string plain = "http://proxy.example:3128", secret = "http://user:word@proxy.example:3128";
  for (const char* name : {"http_proxy", "HTTPS_PROXY"}) {
    CHECK_FALSE(is_inherited(name, plain, Inherited::listed));
    CHECK(is_inherited(name, plain, Inherited::for_network));
    CHECK_FALSE(is_inherited(name, secret, Inherited::for_network));
    CHECK_FALSE(is_inherited(name, "user:word@proxy.example:3128", Inherited::for_network));
    CHECK(is_inherited(name, secret, Inherited::for_fetching));
  }
  CHECK(is_inherited("PIP_INDEX_URL", "https://index.example/simple", Inherited::for_network));
  CHECK_FALSE(is_inherited("PIP_INDEX_URL", "https://u:w@index.example/simple", Inherited::for_network));
  CHECK(is_inherited("SSL_CERT_FILE", "/etc/ca.pem", Inherited::for_network));
  CHECK(is_inherited("SSH_AUTH_SOCK", "/run/agent", Inherited::for_fetching));
  CHECK(is_inherited("GIT_SSH_COMMAND", "ssh -p 29", Inherited::for_fetching));
  CHECK_FALSE(is_inherited("SSH_AUTH_SOCK", "/run/agent", Inherited::for_network));
}

TEST_CASE("Environment of a child: a person's own command gets the person's variables", "[process]") {
  for (const char* name : {"JAVA_HOME", "GOPATH", "PYTHONPATH", "XDG_RUNTIME_DIR"})
    CHECK(is_inherited(name, "x", Inherited::all_but_secrets));
  for (const char* name : {"SSH_AUTH_SOCK", "GITHUB_TOKEN", "GIT_DIR", "AWS_SECRET_ACCESS_KEY"})
    CHECK_FALSE(is_inherited(name, "x", Inherited::all_but_secrets));
}

TEST_CASE("Environment of a child: no variable that names a hook's repository, for whatever command", "[process]") {
  for (const auto inherited :
       {Inherited::listed, Inherited::for_network, Inherited::for_fetching, Inherited::all_but_secrets}) {
    CHECK_FALSE(is_inherited("GIT_DIR", "/r", inherited));
    CHECK_FALSE(is_inherited("GIT_INDEX_FILE", "/r", inherited));
  }
}

}  // namespace tbci::process_environment_test
