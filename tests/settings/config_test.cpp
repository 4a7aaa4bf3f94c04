#include "settings/config.hpp"

#include <sched.h>

#include <filesystem>

#include "base/process.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"

namespace tbci::config_test {

using namespace tbci::test;

using settings::parse_config;

namespace {

std::string error_of(const std::string& text) {
  const auto config = parse_config(text, "x.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().kind == ErrorKind::usage);
  return config.error().message;
}

constexpr const char* subject = "[[subject]]\nname = \"demo\"\n";

}  // namespace

TEST_CASE("Configuration: a subject that is not a LibTorch is measured by suites of its own", "[config]") {
  const std::string source =
      std::string(subject) + "[subject.source]\nrepository = \"r\"\nrecipe = [[\"make\"]]\nfolder = \"{prefix}\"\n";
  const std::string suite =
      "[[subject.suites]]\ncommand = [\"python3\", \"{worker}\", \"b.py\"]\nenvironment = { A = \"{folder}/x\" }\n";
  const auto config = parse_config(source + suite, "x.toml");
  REQUIRE(config);
  const auto& read = config->subjects.front();
  CHECK(read.source.product.folder == "{prefix}");
  REQUIRE(read.suites.size() == 1);
  CHECK(read.suites[0].name.empty());
  CHECK(read.suites[0].command == std::vector<std::string>{"python3", "{worker}", "b.py"});
  CHECK(read.suites[0].environment.at("A") == "{folder}/x");
  CHECK(std::filesystem::exists(read.python_worker));

  CHECK(contains(error_of(source), "are missing"));
  CHECK(contains(error_of(source + "[[subject.suites]]\n"), "command: is missing"));
  CHECK(contains(error_of(source + suite + suite), "another suite of this subject"));
  CHECK(contains(error_of(source + suite + "[[subject.suites]]\nname = \"exported\"\ncommand = [\"x\"]\n"),
                 "another suite"));
  CHECK(
      contains(error_of(source + "[[subject.suites]]\ncommand = [\"{prefix}/x\"]\n"), "unknown placeholder {prefix}"));
  CHECK(contains(error_of(source + suite + "[subject.nightlies]\nkind = \"pip\"\n"), "leave out `folder`"));
  CHECK(contains(error_of(source + "preload = [\"a.so\"]\n" + suite), "set one of"));
  // Beside the suite that tbci has itself, another one needs a name.
  const std::string nightlies = std::string(subject) + "[subject.nightlies]\nkind = \"pip\"\n";
  CHECK(contains(error_of(nightlies + suite), "is missing"));
  CHECK(
      parse_config(nightlies + "[[subject.suites]]\nname = \"mine\"\ncommand = [\"{python}\", \"x.py\"]\n", "x.toml"));
}

TEST_CASE("Configuration: an empty file has defaults and no subject", "[config]") {
  const auto config = parse_config("", "x.toml");
  REQUIRE(config);
  CHECK(config->measure.sampling.least == 5);
  CHECK(config->thresholds.base.relative == 0.07);
  CHECK(config->service.address == "127.0.0.1");
  CHECK_FALSE(config->subject(""));
}

TEST_CASE("Configuration: keys of every table are read", "[config]") {
  const test::EnvironmentVariable place("TBCI_TEST_PLACE", "somewhere");
  const auto config = parse_config(R"(
[service]
state = "/x/${TBCI_TEST_PLACE}/y"
port = 9000
[runner]
name = "bench-1"
cpus = [2, 3]
[measure]
processes = 7
time_limit = 1.5
precision = "bf16"
batch_sizes = "found.toml"
memory_limit_mib = 512
configurations = ["cpu-infer"]
[thresholds]
relative = 0.05
[report]
channels = ["folder", "github"]
github = { repository = "o/n", token_file = "t" }
[[subject]]
name = "demo"
schedule = "05:30"
worker_optimized = false
worker_models = "models"
[subject.source]
repository = "r"
recipe = [["make", "-j{jobs}"]]
preload = ["a.so"]
environment = { A = "b" }
[subject.nightlies]
kind = "pip"
package = "p"
index = ""
)",
                                   "x.toml");
  REQUIRE(config);
  CHECK(config->service.state == "/x/somewhere/y");
  CHECK(config->service.port == 9000);
  CHECK(config->subjects.front().worker_models == std::filesystem::absolute("models"));
  CHECK(config->measure.worker.cpus == std::vector{2, 3});
  CHECK(config->measure.worker.time_limit == std::chrono::milliseconds(1500));
  CHECK(config->measure.worker.memory_limit_bytes == 512U << 20);
  CHECK(config->measure.worker.precision == "bf16");
  CHECK(config->measure.batch_sizes == "found.toml");
  CHECK(config->measure.configurations == std::vector{model::Configuration::cpu_infer});
  CHECK(config->report.github.repository == "o/n");
  CHECK_FALSE(config->report.messenger);  // who measures has the token file, so it can deliver
  const auto demo = config->subject("demo");
  REQUIRE(demo);
  CHECK((*demo)->schedule == std::chrono::minutes(330));
  CHECK_FALSE((*demo)->worker_optimized);
  CHECK((*demo)->source.recipe == std::vector<std::vector<std::string>>{{"make", "-j{jobs}"}});
  CHECK((*demo)->source.environment.at("A") == "b");
  CHECK((*demo)->nightly.kind == runner::NightlyKind::pip);
  CHECK((*demo)->nightly.index_url.empty());
}

TEST_CASE("Configuration: without an index, nightlies of kind pip are PyTorch's own for the CPU", "[config]") {
  const auto config = parse_config(
      "[[subject]]\nname = \"a\"\n[subject.nightlies]\nkind = \"pip\"\n[subject.source]\n"
      "repository = \"r\"\nrecipe = [[\"make\"]]\npreload = [\"a.so\"]\n",
      "x.toml");
  INFO((config ? std::string() : config.error().message));
  REQUIRE(config);
  CHECK(config->subjects.front().worker_optimized);
  CHECK(config->subjects.front().nightly.index_url == "https://download.pytorch.org/whl/nightly/cpu");
}

TEST_CASE("Configuration: who unpacks nightlies is uv where it is there, or who is named", "[config]") {
  const std::string nightlies = std::string(subject) + "[subject.nightlies]\nkind = \"pip\"\n";
  const auto unpacker = [&](const std::string& line) {
    const auto config = parse_config(nightlies + line, "x.toml");
    INFO((config ? std::string() : config.error().message));
    REQUIRE(config);
    return config->subjects.front().nightly.unpacker;
  };
  CHECK(unpacker("") == runner::WheelUnpacker::fastest);
  CHECK(unpacker("installer = \"auto\"\n") == runner::WheelUnpacker::fastest);
  CHECK(unpacker("installer = \"pip\"\n") == runner::WheelUnpacker::pip);
  CHECK(unpacker("installer = \"uv\"\n") == runner::WheelUnpacker::uv);
  CHECK(contains(error_of(nightlies + "installer = \"conda\"\n"),
                 "subject.nightlies.installer: must be \"auto\", \"pip\" or \"uv\""));
}

TEST_CASE("Configuration: the label of nightlies is what follows the plus", "[config]") {
  const std::string nightlies = std::string(subject) + "[subject.nightlies]\nkind = \"pip\"\n";
  CHECK(parse_config(nightlies + "label = \"cu130.x\"\n", "x.toml")->subjects.front().nightly.label == "cu130.x");
  CHECK(contains(error_of(nightlies + "label = \"+cpu\"\n"), "\"cpu\" for 2.13.0+cpu"));
}

TEST_CASE("Configuration: folders that builds may write are absolute", "[config]") {
  const std::string text(subject);
  const auto config = parse_config(text + "writable = [\"/srv/cache\", \"/srv/data\"]\n", "x.toml");
  INFO((config ? std::string() : config.error().message));
  REQUIRE(config);
  CHECK(config->subjects.front().writable == std::vector<std::filesystem::path>{"/srv/cache", "/srv/data"});
  const auto relative = parse_config(text + "writable = [\"cache\"]\n", "x.toml");
  REQUIRE_FALSE(relative);
  CHECK(relative.error().message.find("'cache' is not absolute") != std::string::npos);
}

TEST_CASE("Configuration: the checkout of TorchBench selects it", "[config]") {
  const auto config = parse_config(std::string(subject) +
                                       "[subject.torchbench]\ncheckout = \"/opt/benchmark\"\n"
                                       "python = \"/opt/venv/bin/python\"\nmodels = [\"dcgan\"]\n",
                                   "x.toml");
  REQUIRE(config);
  const runner::TorchBenchSettings& torchbench = config->subjects.front().torchbench;
  CHECK(torchbench.checkout == "/opt/benchmark");
  CHECK(torchbench.python == "/opt/venv/bin/python");
  CHECK(torchbench.models == std::vector<std::string>{"dcgan"});
  CHECK(std::filesystem::exists(torchbench.worker));
  const auto without = parse_config(subject, "x.toml");
  REQUIRE(without);
  CHECK(without->subjects.front().torchbench.checkout.empty());
  const std::string table = std::string(subject) + "[subject.torchbench]\n";
  CHECK(error_of(table + "models = [\"dcgan\"]\n").find("a checkout of pytorch/benchmark") != std::string::npos);
  CHECK(error_of(table + "checkout = \"c\"\nmodels = [\"../dcgan\"]\n").find("cannot be a folder") !=
        std::string::npos);
  CHECK(error_of(table + "checkuot = \"c\"\n").find("did you mean 'checkout'") != std::string::npos);
}

TEST_CASE("Configuration: the error of a typo names file, line and the nearest key", "[config]") {
  CHECK(
      error_of("[measure]\nproceses = 3\n") ==
      "x.toml:2: unknown key 'measure.proceses' (did you mean 'processes'?): [measure] takes processes, "
      "processes_at_most, interval, size, gpu_size, precision, alternate, batch_sizes, batch, warmup, "
      "gpu_warmup_time, iterations, leak_iterations, leak_time, anchor_cases, confirm_limit, threads, gpu, time_limit, "
      "memory_limit_mib, benchmarks, configurations, backends");
  CHECK(error_of("[mesure]\n").find("did you mean 'measure'") != std::string::npos);
  CHECK(error_of("[[subject]]\nnam = \"x\"\n").find("did you mean 'name'") != std::string::npos);
  CHECK(error_of("[report]\n[report.github]\ntoken = \"x\"\n").find("unknown key 'report.github.token'") !=
        std::string::npos);
}

TEST_CASE("Configuration: errors name values of the wrong type or out of range", "[config]") {
  CHECK(error_of("[measure]\nprocesses = \"5\"\n") ==
        "x.toml:2: measure.processes: must be a whole number from 1 to 1000");
  CHECK(error_of("[measure]\nprocesses = 0\n").find("from 1 to 1000") != std::string::npos);
  CHECK(error_of("[thresholds]\nrelative = -1\n").find("thresholds.relative") != std::string::npos);
  CHECK(error_of("[service]\nport = 70000\n").find("from 0 to 65535") != std::string::npos);
  CHECK(error_of("[measure]\nconfigurations = [\"cpu-tain\"]\n").find("did you mean 'cpu-train'") != std::string::npos);
  CHECK(error_of("[measure\n").find("x.toml:1: not valid TOML") == 0);
  CHECK(error_of("[service]\nstate = \"${TBCI_NOT_SET_ANYWHERE}\"\n") ==
        "x.toml:2: service.state: the environment variable TBCI_NOT_SET_ANYWHERE is not set: export it, or write the "
        "value here");
  CHECK(error_of(std::string(subject) + "schedule = \"25:00\"\n").find("a time of day in UTC") != std::string::npos);
  CHECK(error_of("[report]\nchannels = [\"github\"]\n").find("owner/name") != std::string::npos);
  CHECK(error_of("[report]\nchannels = [\"folder\", \"folder\"]\n").find("twice") != std::string::npos);
  CHECK(error_of("[thresholds]\nscreen = 0.08\n").find("hide regressions") != std::string::npos);
}

TEST_CASE("Configuration: thresholds of some series keep their order", "[config]") {
  const auto config = parse_config(R"(
[thresholds]
relative = 0.08
memory_floor_mib = 8
[[thresholds.for]]
metric = "cpu_memory"
relative = 0.1
memory_floor_mib = 32
[[thresholds.for]]
benchmark = "dlrm"
configuration = "cpu-infer"
relative = 0.2
most_pairs = 60
)",
                                   "x.toml");
  REQUIRE(config);
  using model::Metric;
  const auto of = [&](const char* benchmark, Metric metric) {
    return config->thresholds.for_series({benchmark, model::Configuration::cpu_infer, metric});
  };
  CHECK(of("resnet18", Metric::time).relative == 0.08);
  CHECK(of("resnet18", Metric::time).memory_floor_bytes == 8.0 * 1024 * 1024);
  CHECK(of("resnet18", Metric::cpu_memory).relative == 0.1);
  CHECK(of("resnet18", Metric::cpu_memory).memory_floor_bytes == 32.0 * 1024 * 1024);
  CHECK(of("dlrm", Metric::cpu_memory).relative == 0.2);
  CHECK(of("dlrm", Metric::time).most_pairs == 60);
  CHECK(of("dlrm", Metric::time).screen == Approx(detect::Thresholds{}.screen * 0.2 / 0.07));
}

TEST_CASE("Configuration: errors name wrong thresholds of some series with their line", "[config]") {
  const std::string some = "[[thresholds.for]]\n";
  CHECK(error_of(some + "metric = \"tim\"\n").find("x.toml:2: thresholds.for.metric: ") == 0);
  CHECK(error_of(some + "metric = \"instructions\"\n").find("never judged") != std::string::npos);
  CHECK(error_of(some + "metric = \"outcome\"\n").find("a break is judged") != std::string::npos);
  CHECK(error_of(some + "configuration = \"cpu-tain\"\n").find("did you mean 'cpu-train'") != std::string::npos);
  CHECK(error_of(some + "relative = 0.1\n").find("to choose the series") != std::string::npos);
  CHECK(error_of(some + "benchmark = \"\"\n").find("must not be empty") != std::string::npos);
  CHECK(error_of(some + "benchmark = 3\n").find("a text in quotation marks") != std::string::npos);
  CHECK(error_of(some + "benchmark = \"dlrm\"\nrelativ = 0.1\n") ==
        "x.toml:3: unknown key 'thresholds.for.relativ' (did you mean 'relative'?): [thresholds.for] takes benchmark, "
        "configuration, metric, relative, screen, memory_floor_mib, leak_floor_bytes, first_pairs, most_pairs");
  CHECK(error_of(some + "benchmark = \"dlrm\"\nrelative = 20\n").find("x.toml:3: thresholds.for.relative") == 0);
  CHECK(error_of(some + "benchmark = \"dlrm\"\nscreen = 0.08\n").find("hide regressions") != std::string::npos);
  CHECK(error_of("[thresholds]\nfor = 3\n").find("thresholds.for: must be tables") != std::string::npos);
}

TEST_CASE("Configuration: keys that would have no effect are refused", "[config]") {
  CHECK(error_of(std::string(subject) + "schedule = \"05:30\"\npoll = 60\n").find("subject.poll: has no effect") !=
        std::string::npos);
  CHECK(error_of(std::string(subject) + "[subject.nightlies]\nkind = \"pip\"\nbranch = \"x\"\n")
            .find("subject.nightlies.branch: has no effect") != std::string::npos);
}

TEST_CASE("Configuration: a subject that could not work is refused", "[config]") {
  CHECK(error_of("[[subject]]\n").find("subject.name: is missing") != std::string::npos);
  CHECK(error_of("[[subject]]\nname = \"../x\"\n").find("letters, digits") != std::string::npos);
  CHECK(error_of(std::string(subject) + subject).find("two subjects are named 'demo'") != std::string::npos);
  CHECK(error_of(std::string(subject) + "[subject.source]\nrepository = \"r\"\npreload = [\"x\"]\n").find("recipe") !=
        std::string::npos);
  CHECK(error_of(std::string(subject) + "[subject.source]\nrepository = \"r\"\nrecipe = [[\"make\"]]\n")
            .find("libtorch") != std::string::npos);
}

TEST_CASE("Configuration: a folder of exported models belongs to its subject", "[config]") {
  const std::string text = std::string(subject) + "[subject.exported]\nfolder = \"/srv/models\"\n";
  const auto config = parse_config(text, "x.toml");
  REQUIRE(config);
  CHECK(config->subjects.front().exported_models == "/srv/models");
  const auto relative = parse_config(std::string(subject) + "exported = { folder = \"models\" }\n", "x.toml");
  REQUIRE(relative);
  CHECK(relative->subjects.front().exported_models == std::filesystem::absolute("models"));
  CHECK(parse_config(subject, "x.toml")->subjects.front().exported_models.empty());
  CHECK(error_of(std::string(subject) + "[subject.exported]\n").find("exported.folder: is missing") !=
        std::string::npos);
  CHECK(error_of(std::string(subject) + "[subject.exported]\nfoldr = \"x\"\n").find("exported.") != std::string::npos);
}

TEST_CASE("Configuration: the error of an unknown subject names the nearest one", "[config]") {
  const auto config = parse_config(std::string(subject) + "[[subject]]\nname = \"pytorch\"\n", "x.toml");
  REQUIRE(config);
  CHECK(config->subject("pytroch").error().message.find("did you mean 'pytorch'") != std::string::npos);
  CHECK(config->subject("").error().message.find("--subject") != std::string::npos);
}

TEST_CASE("Configuration: the shipped files are valid", "[config]") {
  const test::EnvironmentVariable torch("TBCI_LIBTORCH", "/somewhere");
  const test::EnvironmentVariable repository("TBCI_DEMO_REPOSITORY", "/somewhere");
  for (const char* name : {"demo.toml", "pytorch-cpu.toml", "pytorch-cuda.toml"}) {
    const auto config = settings::read_config(std::string(TBCI_SOURCE_DIR) + "/configs/" + name);
    INFO(name << ": " << (config ? "" : config.error().message));
    CHECK(config.has_value());
  }
}

TEST_CASE("Configuration: which pairs take turns iteration by iteration is read and checked", "[config]") {
  const auto defaults = parse_config("", "x.toml");
  REQUIRE(defaults);
  CHECK(defaults->measure.alternate == settings::Alternate::judged);
  using enum settings::Alternate;
  for (const settings::Alternate each : {none, judged, all}) {
    const auto config =
        parse_config(fmt::format("[measure]\nalternate = \"{}\"\n", settings::to_string(each)), "x.toml");
    REQUIRE(config);
    CHECK(config->measure.alternate == each);
  }
  CHECK(error_of("[measure]\nalternate = \"some\"\n") ==
        "x.toml:2: measure.alternate: must be \"none\", \"judged\" or \"all\"");
}

TEST_CASE("Configuration: the number of processes is read and checked", "[config]") {
  const auto defaults = parse_config("", "x.toml");
  REQUIRE(defaults);
  CHECK(defaults->measure.sampling.least == 5);
  CHECK(defaults->measure.sampling.most == 10);
  CHECK(defaults->measure.sampling.half_width == 0.025);
  const auto many = parse_config("[measure]\nprocesses = 20\n", "x.toml");
  REQUIRE(many);
  CHECK(many->measure.sampling.most == 20);  // never below the least
  const auto fixed = parse_config("[measure]\nprocesses = 3\nprocesses_at_most = 3\ninterval = 0.01\n", "x.toml");
  REQUIRE(fixed);
  CHECK(fixed->measure.sampling.most == 3);
  CHECK(fixed->measure.sampling.half_width == 0.01);
  CHECK(error_of("[measure]\nprocesses = 4\nprocesses_at_most = 3\n") ==
        "x.toml:3: measure.processes_at_most: must not be below `processes`, which is 4");
  CHECK(error_of("[measure]\ninterval = 0\n").find("measure.interval") != std::string::npos);
}

TEST_CASE("Configuration: on a machine of one CPU, workers are pinned to it", "[config]") {
  cpu_set_t before, one;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  const int last = allowed_cpus().back();
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  const auto config = parse_config("[measure]\nthreads = 4\n", "x.toml");
  REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
  REQUIRE(config);
  CHECK(config->measure.worker.cpus == std::vector<int>{last});
}

TEST_CASE("Configuration: tries of a night and budgets of the disk are read", "[config]") {
  const auto defaults = parse_config("", "x.toml");
  REQUIRE(defaults);
  CHECK(defaults->service.tries == 12);
  CHECK(defaults->service.nightly_wait == std::chrono::hours(36));
  CHECK(defaults->disk.environments_bytes == std::uint64_t{60} << 30);
  CHECK(defaults->disk.kept_nights == 8);
  const auto config = parse_config(
      "[service]\ntries = 5\nnightly_wait = 7200\n[disk]\nenvironments_gib = 7\nworkers_gib = 3\nlogs_gib = "
      "1\nmirror_gib = 9\n"
      "downloads_gib = 4\n"
      "repack_after = 0\nkept_nights = 20\n[[subject]]\nname = \"demo\"\n",
      "x.toml");
  REQUIRE(config);
  CHECK(config->service.tries == 5);
  CHECK(config->service.nightly_wait == std::chrono::hours(2));
  CHECK(config->disk.environments_bytes == std::uint64_t{7} << 30);
  CHECK(config->disk.workers_bytes == std::uint64_t{3} << 30);
  CHECK(config->disk.logs_bytes == std::uint64_t{1} << 30);
  CHECK(config->disk.mirror_bytes == std::uint64_t{9} << 30);
  CHECK(config->disk.downloads_bytes == std::uint64_t{4} << 30);
  CHECK(config->disk.kept_nights == 20);
  CHECK(config->subjects[0].source.repack_after == 0);
  CHECK(error_of("[service]\ntries = 0\n").find("service.tries") != std::string::npos);
}

TEST_CASE("Configuration: improvements are asked for by a flag", "[config]") {
  CHECK_FALSE(parse_config("", "x.toml")->detect.improvements);
  CHECK_FALSE(parse_config("[detect]\nimprovements = false\n", "x.toml")->detect.improvements);
  CHECK(parse_config("[detect]\nimprovements = true\n", "x.toml")->detect.improvements);
  CHECK(error_of("[detect]\nimprovements = \"yes\"\n") == "x.toml:2: detect.improvements: must be true or false");
  CHECK(error_of("[detect]\nimprovement = true\n").find("did you mean 'improvements'") != std::string::npos);
}

}  // namespace tbci::config_test
