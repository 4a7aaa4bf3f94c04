#include "base/process_environment.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by its user

namespace tbci::process {

namespace {

using Words = std::initializer_list<std::string_view>;

// The way to programs, the language, the person; what compilers and build tools are steered by.
constexpr std::array always = {"PATH",   "HOME",      "USER",     "LOGNAME",           "SHELL",   "LANG", "TZ",
                               "TMPDIR", "MAKEFLAGS", "MAX_JOBS", "SOURCE_DATE_EPOCH", "LANGUAGE"};
constexpr std::array for_compilers = {"CC",
                                      "CXX",
                                      "CPP",
                                      "LD",
                                      "AR",
                                      "NM",
                                      "RANLIB",
                                      "CFLAGS",
                                      "CXXFLAGS",
                                      "CPPFLAGS",
                                      "LDFLAGS",
                                      "CPATH",
                                      "CUDACXX",
                                      "CUDAHOSTCXX",
                                      "C_INCLUDE_PATH",
                                      "CPLUS_INCLUDE_PATH",
                                      "LIBRARY_PATH",
                                      "PKG_CONFIG_PATH"};
// Of those that begin as others do, which are inherited for another reason.
constexpr std::array also_for_compilers = {"CUDA_HOME", "CUDA_PATH", "TORCH_CUDA_ARCH_LIST"};
// These change how a build is made, and not its product.
constexpr std::array only_how = {"CMAKE_GENERATOR", "CMAKE_BUILD_PARALLEL_LEVEL", "CMAKE_EXPORT_COMPILE_COMMANDS",
                                 "CMAKE_COLOR_DIAGNOSTICS"};
// Those that docs/manual.md names: tbci's own, caches, and what steers allocators, threads, libraries and GPUs.
constexpr std::array always_beginning = {
    "TBCI_",        "LC_",           "CCACHE_",        "CMAKE_",      "NINJA_",
    "PYENV_",       "MALLOC_",       "GLIBC_TUNABLES", "LD_PRELOAD",  "LD_LIBRARY_PATH",
    "LD_BIND_NOW",  "TCMALLOC_",     "OMP_",           "GOMP_",       "KMP_",
    "MKL_",         "OPENBLAS_",     "BLIS_",          "DNNL_",       "ONEDNN_",
    "ATEN_",        "TORCH_",        "PYTORCH_",       "C10_",        "CUDA_",
    "CUBLAS_",      "CUDNN_",        "NVIDIA_",        "NCCL_",       "HF_",
    "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS",   "LSAN_OPTIONS"};
constexpr std::array for_network = {"http_proxy",     "https_proxy",    "ftp_proxy",         "all_proxy",
                                    "no_proxy",       "HTTP_PROXY",     "HTTPS_PROXY",       "FTP_PROXY",
                                    "ALL_PROXY",      "NO_PROXY",       "SSL_CERT_FILE",     "SSL_CERT_DIR",
                                    "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE"};
constexpr std::array for_fetching = {"SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"};
// A git hook sets these for the programs that it starts. Inherited, they would direct our git to the hook's repository.
constexpr std::array of_a_hook = {
    "GIT_DIR",       "GIT_WORK_TREE",        "GIT_INDEX_FILE", "GIT_COMMON_DIR",
    "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",     "GIT_ALTERNATE_OBJECT_DIRECTORIES"};

bool among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool begins_with_one_of(const auto& beginnings, std::string_view name) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* each) { return name.starts_with(each); });
}

std::string upper(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return all;
}

bool sounds_secret(std::string_view variable) {
  const std::string name = upper(variable);
  const auto holds = [&name](std::string_view word) { return name.find(word) != std::string::npos; };
  const Words words = {"TOKEN",      "SECRET",  "PASSWORD",   "PASSWD",      "PASSPHRASE",
                       "CREDENTIAL", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "_AUTH_"};
  const Words ends = {"_PAT", "_KEY", "_PASS", "_AUTH"};
  return std::any_of(words.begin(), words.end(), holds) ||
         std::any_of(ends.begin(), ends.end(), [&name](std::string_view end) { return name.ends_with(end); });
}

bool is_proxy(std::string_view name) {
  return upper(name).ends_with("_PROXY");
}

}  // namespace

bool is_inherited(std::string_view name, std::string_view value, Inherited inherited) {
  if (among(of_a_hook, name)) return false;
  const bool fetches = inherited == Inherited::for_fetching;
  // Git and pip are trusted with what reaches the network: an agent, a proxy with a password.
  if (fetches && (among(for_network, name) || among(for_fetching, name) || name.starts_with("GIT_"))) return true;
  if (sounds_secret(name) || holds_credentials(value)) return false;
  if (inherited == Inherited::all_but_secrets) return true;
  if (among(always, name) || among(for_compilers, name) || begins_with_one_of(always_beginning, name)) return true;
  if (inherited == Inherited::listed || fetches) return false;
  // A proxy may hold a password without naming a scheme: user:word@host:3128
  if (among(for_network, name)) return !is_proxy(name) || value.find('@') == std::string_view::npos;
  return name.starts_with("PIP_");
}

bool steers_compilers(std::string_view name) {
  if (name.starts_with("CMAKE_")) return !name.ends_with("_LAUNCHER") && !among(only_how, name);
  return among(for_compilers, name) || among(also_for_compilers, name);
}

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    if (command.environment.contains(name)) continue;
    if (is_inherited(name, text.substr(equals + 1), command.inherited)) variables.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  return variables;
}

}  // namespace tbci::process
