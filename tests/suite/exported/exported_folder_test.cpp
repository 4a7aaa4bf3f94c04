// What a folder of exported models offers, by the names of its files.
#include <sys/stat.h>

#include <filesystem>

#include "suite/exported/folder.hpp"
#include "tests/suite/exported/fixtures.hpp"

namespace fs = std::filesystem;
using namespace tbci::suite;
using namespace tbci::suite::exported;
using namespace tbci::test;

TEST_CASE("Exported folder: models are listed by file name, and inputs are not models", "[exported]") {
  const TemporaryDirectory folder;
  for (const char* name : {"b.pt2", "b.pt", "b.inputs.pt", "a-1.0_x.pt", "notes.txt", "c.PT", "d.pt3"})
    write(folder / name, "x");
  Folder read;
  REQUIRE(read_folder(folder.path(), read).empty());
  REQUIRE(read.models.size() == 3);
  CHECK(read.models[0].name == "a-1.0_x.pt");
  CHECK(read.models[1].name == "b.pt");
  CHECK(read.models[1].format == Format::torchscript);
  CHECK(read.models[2].name == "b.pt2");
  CHECK(read.models[2].format == Format::package);
  CHECK(read.models[2].bytes == 1);
  CHECK(read.left_out.empty());
}

TEST_CASE("Exported folder: hostile names, links out of it and non-files are left out, with the reason", "[exported]") {
  const TemporaryDirectory folder, elsewhere;
  write(elsewhere / "secret.pt", "x");
  write(folder / "real.pt", "x");
  for (const char* name : {"a b.pt", "a;rm.pt", "\x1b[31m.pt", ".hidden.pt", "-rf.pt2"}) write(folder / name, "x");
  write(folder / (std::string(100, 'l') + ".pt"), "x");
  fs::create_symlink(elsewhere / "secret.pt", folder / "out.pt");
  fs::create_symlink(folder / "real.pt", folder / "in.pt");
  fs::create_symlink(folder / "nothing", folder / "dangling.pt");
  fs::create_directory(folder / "folder.pt");
  REQUIRE(::mkfifo((folder / "pipe.pt").c_str(), 0600) == 0);

  Folder read;
  REQUIRE(read_folder(folder.path(), read).empty());
  REQUIRE(read.models.size() == 2);
  CHECK(read.models[0].name == "in.pt");
  CHECK(read.models[1].name == "real.pt");
  CHECK(read.left_out.size() == 10);
  const auto why = [&](const std::string& name) {
    for (const LeftOut& each : read.left_out) {
      if (each.name == name) return each.why;
    }
    return std::string("it is offered");
  };
  CHECK(contains(why("a b.pt"), "letters, digits"));
  CHECK(contains(why("a;rm.pt"), "letters, digits"));
  CHECK(contains(why(".hidden.pt"), "must begin with a letter"));
  CHECK(contains(why("-rf.pt2"), "must begin with a letter"));
  CHECK(contains(why(std::string(100, 'l') + ".pt"), "longer than 80"));
  CHECK(contains(why("out.pt"), "link out of the folder"));
  CHECK(contains(why("dangling.pt"), "cannot be followed"));
  CHECK(contains(why("folder.pt"), "not a regular file"));
  CHECK(contains(why("pipe.pt"), "not a regular file"));
  CHECK(contains(failure(folder.path(), "out.pt"), R"("kind":"exception")"));
}

TEST_CASE("Exported folder: a neighbour whose path begins the same is outside of it", "[exported]") {
  const TemporaryDirectory above;
  fs::create_directory(above / "models");
  fs::create_directory(above / "models-old");
  write(above / "models-old/a.pt", "x");
  fs::create_symlink(above / "models-old/a.pt", above / "models/a.pt");
  Folder read;
  REQUIRE(read_folder(above / "models", read).empty());
  CHECK(read.models.empty());
}

TEST_CASE("Exported list: the models are listed without opening a file", "[exported]") {
  const TemporaryDirectory folder;
  write(folder / "broken.pt", "no module at all");
  write(folder / "broken.pt2", "no package");
  REQUIRE(::chmod((folder / "broken.pt").c_str(), 0000) == 0);
  write(folder / "bad name.pt", "x");
  const ListOptions options{folder.path().string()};
  const auto lines = lines_of([&](Protocol& protocol) { return list_benchmarks(options, protocol); }, exit_done);
  REQUIRE(lines.size() == 4);
  CHECK(contains(lines[0], R"("type":"hello")"));
  CHECK(contains(lines[1], R"({"type":"benchmark","name":"broken.pt","domain":"exported","task":"TorchScript",)"
                           R"("configurations":["cpu-infer","gpu-infer"])"));
  CHECK(contains(lines[1], R"("family":"exported","bytes":16})"));
  CHECK(contains(lines[2], R"("name":"broken.pt2","domain":"exported","task":"AOTInductor package")"));
  CHECK(lines[3] == R"({"type":"done"})");
}

TEST_CASE("Exported list: a missing folder is an error that names it", "[exported]") {
  const ListOptions options{"/nowhere/models"};
  const auto lines = lines_of([&](Protocol& protocol) { return list_benchmarks(options, protocol); }, exit_error);
  REQUIRE(lines.size() == 2);
  CHECK(contains(lines[1], R"("kind":"exception")"));
  CHECK(contains(lines[1], "/nowhere/models"));
  CHECK(contains(failure("/nowhere/models", "a.pt"), R"("kind":"exception")"));
}
