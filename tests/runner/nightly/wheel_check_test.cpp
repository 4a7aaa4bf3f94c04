#include "runner/nightly/wheel_check.hpp"

#include <zip.h>

#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::wheel_check_test {

using namespace tbci::runner;
using namespace tbci::test;

namespace {

const WheelFiles good = {{"torch/__init__.py", "import math\n"}, {"torch/version.py", "__version__ = '1.0'\n"}};

// What is said of a wheel with one more member; empty: it is accepted.
std::string complaint_about(const std::string& member, const std::string& text = "x", bool is_link = false) {
  TemporaryDirectory folder;
  WheelFiles files = good;
  files[member] = text;
  const auto wheel =
      write_wheel(folder / "torch-1.0-py3-none-any.whl", with_info(files, "torch", "1.0"), is_link ? member : "");
  const auto checked = check_wheel(wheel);
  if (checked) return {};
  CHECK(checked.error().kind == ErrorKind::failed);
  CHECK(checked.error().message.starts_with("torch-1.0-py3-none-any.whl is refused: '" + member + "'"));
  return checked.error().message.substr(checked.error().message.rfind("' ") + 2);
}

// The bytes of a wheel with each `from` replaced; `to` is as long.
std::string replaced(std::string bytes, const std::string& from, const std::string& to, std::size_t most = 1000) {
  REQUIRE(from.size() == to.size());
  for (std::size_t at = bytes.find(from); at != std::string::npos && most > 0; at = bytes.find(from, at + 1), --most)
    bytes.replace(at, from.size(), to);
  return bytes;
}

}  // namespace

TEST_CASE("check_wheel: counts what a good wheel unpacks to", "[wheel]") {
  TemporaryDirectory folder;
  const WheelFiles files = with_info(good, "torch", "1.0");
  const auto checked = check_wheel(write_wheel(folder / "torch-1.0-py3-none-any.whl", files));
  REQUIRE(checked);
  CHECK(checked->members == 5);
  std::uint64_t bytes = 0;
  for (const auto& [name, text] : files) bytes += text.size();
  CHECK(checked->unpacked_bytes == bytes);
}

TEST_CASE("check_wheel: no member leaves its folder", "[wheel]") {
  for (const char* member : {"../evil.py", "torch/../../evil.py", "torch/..", ".."}) {
    INFO(member);
    CHECK(complaint_about(member) == "leads out of its folder");
  }
  CHECK(complaint_about("/etc/profile.d/evil.sh") == "has an absolute path");
  CHECK(complaint_about("C:/evil") == "has an absolute path");
  CHECK(complaint_about("torch\\..\\evil.py") == "has a backslash in its name");
  CHECK(complaint_about("torch//evil.py") == "has an empty part in its name");
  CHECK(complaint_about("./torch/evil.py") == "has an empty part in its name");
  CHECK(complaint_about("torch/..evil.py").empty());
}

TEST_CASE("check_wheel: no member is a link", "[wheel]") {
  CHECK(complaint_about("torch/link", "/etc/passwd", true) == "is a link");
}

TEST_CASE("check_wheel: no code runs whenever Python starts", "[wheel]") {
  const std::string runs = "runs whenever Python starts, or adds folders to its path";
  CHECK(complaint_about("evil.pth", "import os; os.system('true')\n") == runs);
  CHECK(complaint_about("evil.pth", "/tmp\n") == runs);
  CHECK(complaint_about("torch-1.0.data/purelib/evil.pth", "import os\n") == runs);
  CHECK(complaint_about("torch/weights.pth", "a checkpoint").empty());
  for (const char* name : {"sitecustomize.py", "usercustomize.py", "sitecustomize.cpython-311-x86_64-linux-gnu.so",
                           "sitecustomize/__init__.py", "torch-1.0.data/platlib/sitecustomize.py"}) {
    INFO(name);
    CHECK(complaint_about(name) == "runs whenever Python starts");
  }
  CHECK(complaint_about("torch/sitecustomize.py").empty());
  // What setuptools 82 brings.
  const std::string of_setuptools =
      "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'; enabled and "
      "__import__('_distutils_hack').add_shim(); ";
  CHECK(complaint_about("distutils-precedence.pth", of_setuptools).empty());
  CHECK(complaint_about("distutils-precedence.pth", of_setuptools + "\nimport evil\n") == runs);
  CHECK(complaint_about("distutils-precedence.pth", "import evil\n") == runs);
}

TEST_CASE("check_wheel: code that NVIDIA's packages run at the start of Python is accepted by its contents",
          "[wheel]") {
  const std::string runs = "runs whenever Python starts, or adds folders to its path";
  CHECK(complaint_about("_cuda_bindings_redirector.pth", "import evil\n") == runs);
  CHECK(complaint_about("_cuda_bindings_redirector.py", "import evil\n") == runs);
  CHECK(complaint_about("_cuda_bindings_redirector/__init__.py", "import evil\n") == runs);
  CHECK(complaint_about("_cuda_bindings_redirector.cpython-311-x86_64-linux-gnu.so") == runs);
  CHECK(complaint_about("_cuda_bindings_redirector_2.py").empty());
  const std::string name = "start.pth", text = "import start\n", digest = sha256_hex(text);
  const KnownStartFile known[] = {{name, digest}};
  const auto accepted = [&](const std::string& contents, std::span<const KnownStartFile> files) {
    TemporaryDirectory folder;
    WheelFiles all = good;
    all[name] = contents;
    return check_wheel(write_wheel(folder / "torch-1.0-py3-none-any.whl", with_info(all, "torch", "1.0")), files)
        .has_value();
  };
  CHECK(accepted(text, known));
  CHECK_FALSE(accepted(text + "import evil\n", known));
  CHECK_FALSE(accepted(text, known_start_files()));
}

TEST_CASE("check_wheel: no member changes the environment that it is installed into", "[wheel]") {
  CHECK(complaint_about("pip/__init__.py") == "would replace pip");
  CHECK(complaint_about("torch-1.0.data/purelib/pip/__init__.py") == "would replace pip");
  CHECK(complaint_about("torch-1.0.data/data/pyvenv.cfg") == "would replace the environment's configuration");
  for (const char* name : {"torch-1.0.data/scripts/python", "torch-1.0.data/scripts/python3.11",
                           "torch-1.0.data/data/bin/pip3", "torch-1.0.data/data/bin/activate"}) {
    INFO(name);
    CHECK(complaint_about(name) == "would replace a program of the environment");
  }
  CHECK(complaint_about("torch-1.0.data/data/lib/python3.11/site-packages/evil.pth") ==
        "would go to the packages by a detour");
  for (const char* name : {"torch-1.0.data/scripts/torchrun", "torch-1.0.data/data/share/man/torch.1",
                           "torch-1.0.data/data/bin/pythonize", "pipeline/__init__.py"}) {
    INFO(name);
    CHECK(complaint_about(name).empty());
  }
}

TEST_CASE("check_wheel: two members of one name are refused, as each reader may take the other", "[wheel]") {
  TemporaryDirectory folder;
  WheelFiles files = good;
  files["torch/a1.py"] = "one";
  files["torch/a2.py"] = "two";
  const auto wheel = write_wheel(folder / "twice.whl", with_info(files, "torch", "1.0"));
  const std::string bytes = read_file(wheel).value();
  REQUIRE(write_file_atomically(wheel, replaced(bytes, "torch/a2.py", "torch/a1.py")));
  CHECK(check_wheel(wheel).error().message == "twice.whl is refused: it is not a sound wheel: File already exists");
  // The two directories of an archive: the first name belongs to the member itself.
  REQUIRE(write_file_atomically(wheel, replaced(bytes, "torch/a2.py", "torch/a3.py", 1)));
  CHECK(check_wheel(wheel).error().kind == ErrorKind::failed);
  CHECK(check_wheel(wheel).error().message.starts_with("twice.whl is refused: it is not a sound wheel: "));
}

TEST_CASE("check_wheel: a wheel that unpacks to far more than it is, is refused", "[wheel]") {
  const std::string zeros(std::size_t{300} << 20, '\0');
  TemporaryDirectory folder;
  WheelFiles files = with_info(good, "torch", "1.0");
  files["torch/zeros"] = zeros;
  const auto checked = check_wheel(write_wheel(folder / "bomb.whl", files));
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message == "bomb.whl is refused: its 0 MiB unpack to 300 MiB");
}

TEST_CASE("check_wheel: a file without an archive's end may be cut off, and one that is missing is the machine's fault",
          "[wheel]") {
  TemporaryDirectory folder;
  CHECK(check_wheel(folder / "gone.whl").error().kind == ErrorKind::machine);
  REQUIRE(write_file_atomically(folder / "text.whl", "<html>404</html>"));
  CHECK(check_wheel(folder / "text.whl").error().kind == ErrorKind::transient);
  const auto plain = check_wheel(write_wheel(folder / "plain.whl", good));
  REQUIRE_FALSE(plain);
  CHECK(plain.error().message == "plain.whl is refused: it has no RECORD");
  // A download that was cut off.
  const auto wheel = write_wheel(folder / "cut.whl", with_info(good, "torch", "1.0"));
  const std::string bytes = read_file(wheel).value();
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    INFO(tenth);
    REQUIRE(write_file_atomically(wheel, bytes.substr(0, bytes.size() * tenth / 10)));
    CHECK_FALSE(check_wheel(wheel));
  }
}

}  // namespace tbci::wheel_check_test
