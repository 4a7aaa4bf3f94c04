#include "runner/nightly/installed_files.hpp"

#include "tests/as_ordinary_user.hpp"
#include "tests/runner/nightly/wheels.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::installed_files_test {

using namespace tbci::runner;
using namespace tbci::test;

namespace {

// An environment with one package, as pip leaves it.
struct Installed {
  Installed() {
    files = with_info({{"torch/__init__.py", "import math\n"}, {"torch/a, \"b\".py", "x"}}, "torch", "1.0");
    files.at(record) = "torch/__init__.py," + record_digest("import math\n") + ",12\n\"torch/a, \"\"b\"\".py\"," +
                       record_digest("x") + ",1\n../../../bin/torchrun," + record_digest("#!/bin/sh\n") + ",10\n" +
                       "torch/__pycache__/__init__.cpython-311.pyc,,\n" + record + ",,\n";
    for (const char* name : {"METADATA", "WHEEL"}) {
      const std::string path = std::string("torch-1.0.dist-info/") + name;
      files.at(record) += path + "," + record_digest(files.at(path)) + ",\n";
    }
    for (const auto& [path, text] : files) write(path, text);
    write("torch/__pycache__/__init__.cpython-311.pyc", "bytecode");
    REQUIRE(write_file_atomically(folder / "bin/torchrun", "#!/bin/sh\n"));
  }
  void write(const std::string& path, const std::string& text) {
    REQUIRE(write_file_atomically(packages() / path, text));
  }
  void add_line(const std::string& line) { write(record, files.at(record) + line + "\n"); }
  std::filesystem::path packages() const { return folder / "lib/python3.11/site-packages"; }
  std::string complaint() const {
    const Status checked = check_installed_files(folder.path(), packages());
    if (checked) return {};
    CHECK(checked.error().kind == ErrorKind::failed);
    return checked.error().message;
  }

  std::string record = "torch-1.0.dist-info/RECORD";
  WheelFiles files;
  TemporaryDirectory folder;
};

}  // namespace

TEST_CASE("check_installed_files: an installation as its RECORD says is accepted", "[wheel]") {
  Installed installed;
  CHECK(installed.complaint().empty());
}

TEST_CASE("check_installed_files: a file that differs from its RECORD is named", "[wheel]") {
  Installed installed;
  installed.write("torch/__init__.py", "import evil\n");
  CHECK(installed.complaint() == "torch-1.0 is refused: 'torch/__init__.py' differs from what its RECORD says");
}

TEST_CASE("check_installed_files: what a wheel brings and its RECORD does not list is named", "[wheel]") {
  Installed installed;
  installed.write("torch/more.py", "x");
  CHECK(installed.complaint() == "'torch/more.py' is refused: no wheel lists it");
  // pip adds such files to the RECORD, without a digest.
  installed.add_line("torch/more.py,,");
  CHECK(installed.complaint() == "torch-1.0 is refused: 'torch/more.py' is not in the RECORD of its wheel");
  installed.add_line("torch/more.py,md5=1B2M2Y8AsgTpgAmY7PhCfg,1");
  CHECK(installed.complaint() == "torch-1.0 is refused: 'torch/more.py' has no SHA-256 in its RECORD");
}

TEST_CASE("check_installed_files: a RECORD points at nothing outside and at no link", "[wheel]") {
  Installed installed;
  installed.add_line("../../../../../etc/passwd," + record_digest("x") + ",1");
  CHECK(installed.complaint() == "torch-1.0 is refused: '../../../../../etc/passwd' leads out of the environment");
  installed.add_line("/etc/passwd," + record_digest("x") + ",1");
  CHECK(installed.complaint() == "torch-1.0 is refused: '/etc/passwd' leads out of the environment");
  std::filesystem::create_symlink("/etc/passwd", installed.packages() / "torch/link");
  installed.add_line("torch/link," + record_digest("x") + ",1");
  CHECK(installed.complaint() == "torch-1.0 is refused: 'torch/link' is not an ordinary file");
}

TEST_CASE("check_installed_files: what is listed and was not installed is named", "[wheel]") {
  Installed installed;
  installed.add_line("torch/gone.py," + record_digest("x") + ",1");
  CHECK(installed.complaint() == "torch-1.0 is refused: 'torch/gone.py' is in its RECORD, and was not installed");
  installed.add_line("\"torch/never ends,");
  CHECK(installed.complaint().find("cannot be read at: \"torch/never ends,") != std::string::npos);
}

TEST_CASE("check_installed_files: a package without a RECORD is the wheel's fault, not the machine's", "[wheel]") {
  Installed installed;
  installed.write("evil-1.0.dist-info/METADATA", "x");
  CHECK(installed.complaint().starts_with("evil-1.0 is refused: "));
}

TEST_CASE("check_installed_files: a file that cannot be read is the machine's trouble, and not the wheel's",
          "[wheel]") {
  for (const char* closed : {"torch/__init__.py", "torch-1.0.dist-info/RECORD", "torch"}) {
    INFO(closed);
    CHECK(holds_for_ordinary_user([&] {
      const Installed installed;
      std::filesystem::permissions(installed.packages() / closed, std::filesystem::perms::none);
      const Status checked = check_installed_files(installed.folder.path(), installed.packages());
      std::filesystem::permissions(installed.packages() / closed, std::filesystem::perms::owner_all);
      return !checked && checked.error().kind == ErrorKind::machine;
    }));
  }
}

TEST_CASE("check_installed_files: a RECORD that is a folder, has no end, or names what cannot be is refused",
          "[wheel]") {
  Installed installed;
  installed.add_line("torch/" + std::string(300, 'x') + "," + record_digest("x") + ",1");
  CHECK(installed.complaint().find("was not installed") != std::string::npos);
  installed.add_line("torch/__init__.py/x," + record_digest("x") + ",1");
  CHECK(installed.complaint() == "torch-1.0 is refused: 'torch/__init__.py/x' is in its RECORD, and was not installed");
  std::filesystem::resize_file(installed.packages() / installed.record, std::uintmax_t{65} << 20);
  CHECK(installed.complaint() == "torch-1.0 is refused: its RECORD is too large");
  std::filesystem::remove(installed.packages() / installed.record);
  std::filesystem::create_directory(installed.packages() / installed.record);
  CHECK(installed.complaint() == "torch-1.0 is refused: it has no RECORD");
}

TEST_CASE("check_installed_files: a link that no RECORD lists is refused", "[wheel]") {
  Installed installed;
  std::filesystem::create_directory_symlink("/etc", installed.packages() / "torch/etc");
  CHECK(installed.complaint() == "'torch/etc' is refused: no wheel lists it");
}

}  // namespace tbci::installed_files_test
