"""The index as pip sees it: versions in each shape of HTML, downloads, days, JSON, ranges. Part of self_test.py."""

import hashlib
import json
import tempfile
import time
import unittest
from pathlib import Path

import html_page
import json_page
from testing_support import Served, address_of, name_of, pip, tiny_entry, version_of, versions_pip_reads

# Legal HTML that some pip reads wrongly. Newer versions of Python read text areas and titles as what they are.
PIP_FAILS = {
    "bare-yanked": "takes `data-yanked` without a value for nothing, which PEP 592 allows",
    "latin-1-meta": "takes the page for UTF-8, whatever its meta element says",
    "textarea-links": "takes text within a text area for links",
    "title-links": "takes text within a title for links",
}
PIP_DOES_NOT_FETCH = {
    "latin-1-meta": "reads no links at all",
    "base-relative": "does not resolve the address of the base against that of the page",
}
PIP_LISTS = (3, 5)  # pip leaves out what is yanked


class Index(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name)
        files = [tiny_entry(3), tiny_entry(4, yanked="wrong & <sad>, see 'x'", yanked_at=1),
                 tiny_entry(5, appears_at=0, disappears_at=9), tiny_entry(6, appears_at=2, yanked="", yanked_at=3)]
        cls.served = Served(cls.folder, {"files": files}, "--json").__enter__()
        cls.addClassCleanup(cls.served.__exit__)

    def setUp(self) -> None:
        self.served.order(day=1, html_shape="plain", json=False)

    def downloaded(self, wanted: str, name: str) -> str:
        """What pip downloads into a folder of that name."""
        run = pip("download", "--quiet", "--no-deps", "--pre", "--dest", str(self.folder / name), wanted,
                  index=self.served.url)
        self.assertEqual(0, run.returncode, run.stderr)
        (wheel,) = (self.folder / name).iterdir()
        return wheel.name

    def test_pip_lists_the_right_versions_in_each_shape(self) -> None:
        right = [version_of(day) for day in PIP_LISTS]
        for shape in html_page.NAMES:
            with self.subTest(shape):
                self.served.order(html_shape=shape)
                read = versions_pip_reads(self.served.url)
                if read != right:
                    print(f"  {shape}: pip reads {', '.join(read) or 'nothing'}")
                    self.assertIn(shape, PIP_FAILS)

    def test_each_shape_leads_pip_to_the_wheel(self) -> None:
        for shape in html_page.NAMES:
            if shape in PIP_DOES_NOT_FETCH:
                continue
            with self.subTest(shape):
                self.served.order(html_shape=shape)
                # By version, as tbci asks, and as what looks like a link to a newer one makes no difference.
                self.assertEqual(name_of(5), self.downloaded("torch==" + version_of(5), "of " + shape))

    def test_the_links_are_as_pytorch_writes_them(self) -> None:
        _, page = self.served.get("/torch/")
        self.assertIn(f'href="{address_of(3)}"', page.decode())
        for part in ("data-core-metadata=\"sha256=", 'data-upload-time="2026-11-03T11:00:00.000000Z"',
                     'data-requires-python="&gt;=3.10"', "data-yanked=\"wrong &amp; &lt;sad&gt;"):
            self.assertIn(part, page.decode())
        self.assertNotIn("#sha256", page.decode())

    def test_pip_uses_the_metadata_and_downloads_one_nightly(self) -> None:
        self.assertEqual(name_of(3), self.downloaded("torch==" + version_of(3), "one"))
        metadata = self.served.get(address_of(3) + ".metadata")[1]
        self.assertIn(hashlib.sha256(metadata).hexdigest(), self.served.get("/torch/")[1].decode())
        paths = [request["path"] for request in self.served.requests()]
        self.assertIn(address_of(3) + ".metadata", paths)

    def test_pip_passes_over_a_yanked_version(self) -> None:
        self.served.order(day=3)
        self.assertEqual(name_of(5), self.downloaded("torch", "yanked"))
        self.served.order(html_shape="bare-yanked")
        print("  bare-yanked: pip downloads", self.downloaded("torch", "bare"), "though it is yanked")

    def test_on_each_day_only_what_is_there(self) -> None:
        right = {0: [3, 4, 5], 2: [3, 4, 5, 6], 9: [3, 4, 6]}
        for day, there in right.items():
            self.served.order(day=day)
            page = self.served.get("/torch/")[1].decode()
            self.assertEqual(there, [at for at in (3, 4, 5, 6) if version_of(at).replace("+", "%2B") in page])
            self.assertEqual(200 if 6 in there else 404, self.served.get(address_of(6))[0].status)
            self.assertEqual(day > 0, "data-yanked" in page)

    def test_json_is_for_who_asks_and_has_yanked_and_sizes(self) -> None:
        self.served.order(json=True, day=3)
        asked = f"{json_page.CONTENT_TYPE}, text/html;q=0.2"
        response, body = self.served.get("/torch/", Accept=asked)
        self.assertEqual(json_page.CONTENT_TYPE, response.getheader("Content-Type"))
        page = json.loads(body)
        files = {file["filename"]: file for file in page["files"]}
        self.assertEqual([version_of(day) for day in (3, 4, 5, 6)], page["versions"])
        self.assertEqual([False, "wrong & <sad>, see 'x'", False, True],
                         [files[name_of(day)]["yanked"] for day in (3, 4, 5, 6)])
        wheel = self.served.get(address_of(3))[1]
        self.assertEqual(len(wheel), files[name_of(3)]["size"])
        self.assertEqual(hashlib.sha256(wheel).hexdigest(), files[name_of(3)]["hashes"]["sha256"])
        self.assertEqual("2026-11-03T11:00:00.000000Z", files[name_of(3)]["upload-time"])
        for other in ("text/html", f"{json_page.CONTENT_TYPE};q=0.1, text/html"):
            self.assertEqual("text/html", self.served.get("/torch/", Accept=other)[0].getheader("Content-Type"))
        self.assertEqual([version_of(day) for day in PIP_LISTS], versions_pip_reads(self.served.url))

    def test_ranges(self) -> None:
        whole, body = self.served.get(address_of(3))
        size, etag = len(body), whole.getheader("ETag")
        for asked, first, last in (("bytes=10-19", 10, 19), ("bytes=100-", 100, size - 1),
                                   ("bytes=-7", size - 7, size - 1),
                                   ("bytes=5-99999999", 5, size - 1)):
            response, part = self.served.get(address_of(3), Range=asked, If_Range=etag)
            self.assertEqual((206, f"bytes {first}-{last}/{size}", etag),
                             (response.status, response.getheader("Content-Range"), response.getheader("ETag")))
            self.assertEqual(body[first : last + 1], part)
        self.assertEqual(200, self.served.get(address_of(3), Range="bytes=10-19", If_Range='"other"')[0].status)
        self.assertEqual(200, self.served.get(address_of(3), Range="bytes=9-5")[0].status)
        response, _ = self.served.get(address_of(3), Range=f"bytes={size}-")
        self.assertEqual((416, f"bytes */{size}"), (response.status, response.getheader("Content-Range")))

    def test_the_log_has_each_request(self) -> None:
        self.served.get(address_of(3), Range="bytes=10-19")
        time.sleep(0.3)  # it is written when the server is through with the request
        entry = self.served.requests()[-1]
        self.assertEqual((address_of(3), "bytes=10-19", 206, 10, None),
                         tuple(entry[name] for name in ("path", "range", "status", "bytes", "fault")))


class ManyVersions(unittest.TestCase):
    def test_the_newest_60_versions_are_listed_and_no_more_than_kept_lie_in_the_cache(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = [tiny_entry(day) for day in range(1, 71)]
            with Served(folder, {"files": files}, "--cache", str(folder / "cache"), "--keep", "2",
                        "--prefix", "/whl/nightly/cpu") as served:
                self.assertTrue(served.url.endswith("/whl/nightly/cpu/"))
                page = served.get("/whl/nightly/cpu/torch/")[1].decode()
                self.assertEqual(60, page.count("<a "))
                self.assertNotIn("dev20261110", page)
                self.assertIn("dev20261111", page)
                self.assertEqual(200, served.get("/elsewhere/whl/nightly/cpu/torch/")[0].status)
                self.assertEqual(404, served.get("/torch/")[0].status)
                first = served.get("/whl/nightly/cpu" + address_of(70))
                for day in (71 - step for step in range(2, 6)):
                    served.get("/whl/nightly/cpu" + address_of(day))
                self.assertEqual(2, len(list((folder / "cache").iterdir())))
                again = served.get("/whl/nightly/cpu" + address_of(70))
                self.assertEqual((first[1], first[0].getheader("ETag")), (again[1], again[0].getheader("ETag")))
