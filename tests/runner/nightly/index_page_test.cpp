#include "runner/nightly/index_page.hpp"

#include "base/text.hpp"
#include "runner/nightly/index_listing.hpp"
#include "tests/catch.hpp"

namespace tbci::index_page_test {

using namespace tbci::runner;
using model::Availability;

namespace {

const std::string today = "torch-2.14.0.dev20261120+cpu-cp311-cp311-manylinux_2_28_x86_64.whl";
const std::string mac = "torch-2.14.0.dev20261120-cp311-none-macosx_11_0_arm64.whl";

TimePoint at(const char* day, std::chrono::seconds seconds) {
  return date_from(day).value() + seconds;
}

const Installer here{.package = "torch", .machine = "x86_64", .pre_releases = true};

IndexFile wheel(const std::string& version, const std::string& python, std::optional<std::string> yanked = {}) {
  return {.name = "torch-" + version + "-" + python + "-" + python + "-manylinux_2_28_x86_64.whl",
          .bytes = 100,
          .uploaded = at("2026-11-20", std::chrono::hours(4)),
          .yanked = std::move(yanked)};
}

}  // namespace

TEST_CASE("parse_index_page: JSON tells sizes, dates and what was taken back", "[pip]") {
  const auto files = parse_index_page(R"({"meta":{"api-version":"1.1"},"name":"torch","files":[
    {"filename":"torch-1.0-cp311-cp311-linux_x86_64.whl","size":812,"upload-time":"2026-11-20T04:12:33.5Z",
     "yanked":"broken on AMD","url":"https://elsewhere/x"},
    {"filename":"torch-1.1-cp311-cp311-linux_x86_64.whl","size":"big","upload-time":"yesterday","yanked":false},
    {"filename":"torch-1.2-cp311-cp311-linux_x86_64.whl","yanked":true},
    {"filename":"../../etc/passwd"}, {"filename":7}, 3]})");
  REQUIRE(files);
  REQUIRE(files->size() == 4);
  CHECK(files->at(0) == IndexFile{.name = "torch-1.0-cp311-cp311-linux_x86_64.whl",
                                  .bytes = 812,
                                  .uploaded = at("2026-11-20", std::chrono::seconds(4 * 3600 + 12 * 60 + 33)),
                                  .yanked = "broken on AMD"});
  CHECK(files->at(1) == IndexFile{.name = "torch-1.1-cp311-cp311-linux_x86_64.whl"});
  CHECK(files->at(2).yanked == "");
  CHECK(files->at(3).name == "passwd");  // a name and no path, whatever stood before it
}

TEST_CASE("parse_index_page: reads HTML in every legal shape", "[pip]") {
  const std::string escaped = "torch-2.14.0.dev20261120%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl";
  const auto [shape, page] = GENERATE_COPY(table<std::string, std::string>({
      {"as PyTorch's", "<!DOCTYPE html><html><body><h1>Links</h1><a href=\"/whl/nightly/cpu/" + escaped +
                           "\" data-upload-time=\"2026-11-20T04:00:00.000000Z\" data-yanked=\"why &lt;b&gt;\">" +
                           today + "</a><br/></body></html>"},
      {"capitals, single quotes, other order",
       "<HTML><A DATA-YANKED='why &lt;b&gt;' HREF='" + escaped + "' data-upload-time='2026-11-20T04:00:00Z'>x</A>"},
      {"no quotes around the address",
       "<a href=" + escaped + " data-upload-time=2026-11-20T04:00:00+00:00 data-yanked='why <b>'>x</a>"},
      {"lines inside a tag",
       "\xEF\xBB\xBF<a\n  href=\"\n" + escaped +
           "#sha256=00\"\n  data-upload-time=\"2026-11-20T04:00:00Z\"\n  data-yanked=\"why <b>\"\n>x"},
      {"a base, a query, an entity",
       "<base href=https://cdn/><a "
       "href=\"//cdn/x/torch-2.14.0.dev20261120&#43;cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
       "?a=1&amp;b=2\" data-upload-time=\"2026-11-20T04:00:00Z\" data-yanked=\"why &lt;b&gt;\">x</a>"},
      {"names of HTML 5",
       "<a href='x&sol;torch-2.14.0.dev20261120&plus;cpu-cp311-cp311-manylinux&lowbar;2_28_x86_64.whl' "
       "data-upload-time='2026-11-20T04&colon;00&colon;00Z' data-yanked='why <b>'>x</a>"},
      {"a link in a comment is none",
       "<!-- <a href=\"torch-9-cp311-cp311-linux_x86_64.whl\">x</a> --><a href=\"" + escaped +
           "\" data-upload-time=\"2026-11-20T04:00:00Z\" data-yanked=\"why &lt;b&gt;\">\xE9</a>"},
  }));
  CAPTURE(shape);
  const auto files = parse_index_page(page);
  REQUIRE(files);
  REQUIRE(files->size() == 1);
  CHECK(
      files->front() ==
      IndexFile{.name = today, .bytes = {}, .uploaded = at("2026-11-20", std::chrono::hours(4)), .yanked = "why <b>"});
}

TEST_CASE("parse_index_page: anything but a listing says nothing of any nightly", "[pip]") {
  for (const std::string& page : {std::string(), std::string("\0\1\2\xff<\xfe", 6), std::string("<html>503</html>"),
                                  std::string("{\"files\": 3}"), std::string("{"), std::string(1 << 20, '<')}) {
    const auto files = parse_index_page(page);
    REQUIRE_FALSE(files);
    CHECK(files.error().kind == ErrorKind::transient);
  }
}

TEST_CASE("parse_wheel_name: reads a wheel of the package alone", "[pip]") {
  const auto name = parse_wheel_name(today, "Torch");
  REQUIRE(name);
  CHECK(name->version == "2.14.0.dev20261120+cpu");
  CHECK(name->python == "cp311");
  CHECK(name->platform == "manylinux_2_28_x86_64");
  CHECK(parse_wheel_name("torch-1.0-1-cp311-cp311-linux_x86_64.whl", "torch")->version == "1.0");
  CHECK_FALSE(parse_wheel_name("torch-1.0.tar.gz", "torch"));
  CHECK_FALSE(parse_wheel_name("torchvision-1.0-cp311-cp311-linux_x86_64.whl", "torch"));
  CHECK_FALSE(parse_wheel_name("torch-1.0.whl", "torch"));
}

TEST_CASE("merge_listing: adds to pip's versions what the page says of them", "[pip]") {
  const auto listing = merge_listing({"2.14.0.dev20261118", "2.14.0.dev20261119", "2.14.0.dev20261120"},
                                     {wheel("2.14.0.dev20261119", "cp311", "wrong digests"),
                                      wheel("2.14.0.dev20261120", "cp311"), wheel("2.14.0.dev20261120", "cp312", "")},
                                     here);
  REQUIRE(listing.size() == 3);
  CHECK(listing[0].availability == Availability::complete);
  CHECK_FALSE(listing[0].uploaded);
  CHECK(listing[1].availability == Availability::yanked);
  CHECK(listing[1].remark == "yanked: wrong digests");
  CHECK(listing[2].availability == Availability::complete);
  CHECK(listing[2].uploaded == at("2026-11-20", std::chrono::hours(4)));
  CHECK(listing[2].bytes == 100U);
}

TEST_CASE("merge_listing: what pip does not list is incomplete only where it is asked for", "[pip]") {
  const std::vector<std::string> installable = {"2.13.0", "2.14.0.dev20261119"};
  SECTION("a nightly for another Python") {
    const auto listing = merge_listing(installable, {wheel("2.14.0.dev20261120", "cp312")}, here);
    REQUIRE(listing.size() == 3);
    CHECK(listing[2].name == "2.14.0.dev20261120");
    CHECK(listing[2].availability == Availability::incomplete);
    CHECK(listing[2].remark == "it has no wheel for this Python");
  }
  SECTION("not what was taken back, which pip leaves out") {
    const auto listing = merge_listing(installable, {wheel("2.14.0.dev20261120", "cp311", "wrong digests")}, here);
    REQUIRE(listing.size() == 3);
    CHECK(listing[2].availability == Availability::yanked);
    CHECK(listing[2].remark == "yanked: wrong digests");
  }
  SECTION("not what is older than all that pip lists") {
    CHECK(merge_listing(installable, {wheel("1.0", "cp37")}, here).size() == 2);
  }
  SECTION("not pre-releases where nobody wants them") {
    Installer releases = here;
    releases.pre_releases = false;
    CHECK(merge_listing({"2.13.0"}, {wheel("2.14.0rc1", "cp311"), wheel("2.14.0.dev20261120", "cp312")}, releases)
              .size() == 1);
    CHECK(merge_listing({"2.13.0"}, {wheel("2.14.0+abc", "cp312")}, releases).size() == 2);
  }
  SECTION("not what is for other machines") {
    CHECK(merge_listing(installable, {{.name = mac}}, here).size() == 2);
  }
  SECTION("nothing where pip lists nothing") {
    CHECK(merge_listing({}, {wheel("2.14.0", "cp312")}, here).empty());
  }
}

TEST_CASE("merge_listing: of builds that differ in their label only, those of one label are listed", "[pip]") {
  const auto names = [](const std::vector<std::string>& installable, const std::string& wanted,
                        const std::vector<IndexFile>& files = {}) {
    Installer installer = here;
    installer.labels = labels_of(installable, wanted);
    std::vector<std::string> all;
    for (const auto& nightly : merge_listing(installable, files, installer)) all.push_back(nightly.name);
    return all;
  };
  using Names = std::vector<std::string>;
  const Names both = {"2.13.0.dev1+cpu", "2.13.0.dev1+cu130", "2.13.0.dev2+cpu", "2.13.0.dev2+cu130"};
  CHECK(names(both, "") == Names{"2.13.0.dev1+cu130", "2.13.0.dev2+cu130"});
  CHECK(names(both, "CPU") == Names{"2.13.0.dev1+cpu", "2.13.0.dev2+cpu"});
  CHECK(names(both, "xpu").empty());
  // The other label was uploaded first: it does not take the place of the one that is kept.
  Names early = both;
  early.emplace_back("2.13.0.dev3+cpu");
  CHECK(names(early, "") == Names{"2.13.0.dev1+cu130", "2.13.0.dev2+cu130"});
  CHECK(names(both, "", {wheel("2.13.0.dev3+cpu", "cp312"), wheel("2.13.0.dev3+cu130", "cp312")}) ==
        Names{"2.13.0.dev1+cu130", "2.13.0.dev2+cu130", "2.13.0.dev3+cu130"});
  // What pip takes for 2.13.0 has the label; other versions have none.
  CHECK(names({"2.12.0", "2.13.0", "2.13.0+cpu", "2.14.0"}, "") == Names{"2.12.0", "2.13.0+cpu", "2.14.0"});
  // Labels that name commits: each version has one.
  const Names commits = {"2.13.0.dev1+gitab", "2.13.0.dev2+gitcd"};
  CHECK(names(commits, "") == commits);
}

}  // namespace tbci::index_page_test
