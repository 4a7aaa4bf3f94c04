"""Each fault occurs as it is named, as often as it is ordered, and things work again after it. Part of self_test.py."""

import http.client
import shutil
import socket
import ssl
import tempfile
import time
import unittest
from pathlib import Path

import faults
from testing_support import Served, address_of, tiny_entry, versions_pip_reads

PLACES = {"listing": "/torch/", "file": address_of(3)}


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.served = Served(Path(held.name), {"files": [tiny_entry(3)]}).__enter__()
        cls.addClassCleanup(cls.served.__exit__)
        cls.right = {place: cls.served.get(path)[1] for place, path in PLACES.items()}

    def ordered(self, place: str, kind: str, count: int = 1) -> str:
        self.served.order(faults=[{"on": place, "kind": kind, "count": count}])
        return PLACES[place]

    def each_place(self, kind: str):
        """The fault is ordered once for each place; afterwards the right answer must come."""
        for place, right in self.right.items():
            with self.subTest(kind=kind, place=place):
                yield self.ordered(place, kind), right
                self.assertEqual(right, self.served.get(PLACES[place])[1])

    def logged(self) -> dict:
        """The last request. It is written when the server is through with it."""
        time.sleep(0.3)
        return self.served.requests()[-1]

    def test_statuses(self) -> None:
        for kind, after in (("429:7", "7"), ("429", "1"), ("500", None), ("503", None), ("503:2", "2"), ("404", None)):
            for path, _ in self.each_place(kind):
                response, _ = self.served.get(path)
                self.assertEqual(int(kind.partition(":")[0]), response.status)
                self.assertEqual(after, response.getheader("Retry-After"))

    def test_cut_sends_the_fraction_and_the_log_says_how_much(self) -> None:
        for path, right in self.each_place("cut:0.25"):
            with self.assertRaises(http.client.IncompleteRead) as raised:
                self.served.get(path)
            self.assertEqual(right[: len(right) // 4], raised.exception.partial)
            self.assertEqual((len(right) // 4, "cut"), (self.logged()["bytes"], self.logged()["fault"]))

    def test_cut_within_a_range_counts_from_the_range(self) -> None:
        path, right = self.ordered("file", "cut:0.5"), self.right["file"]
        with self.assertRaises(http.client.IncompleteRead) as raised:
            self.served.get(path, Range="bytes=1000-")
        self.assertEqual(right[1000 : 1000 + (len(right) - 1000) // 2], raised.exception.partial)

    def test_lengths_that_lie(self) -> None:
        for path, right in self.each_place("wrong-length-short"):
            self.assertEqual(right[: len(right) // 2], self.served.get(path)[1])
        for path, right in self.each_place("wrong-length-long"):
            with self.assertRaises(http.client.IncompleteRead) as raised:
                self.served.get(path)
            self.assertEqual((right, 1000), (raised.exception.partial, raised.exception.expected))

    def test_endless_goes_on_after_the_right_body(self) -> None:
        for path, right in self.each_place("endless"):
            connection = self.served.connection()
            connection.request("GET", path)
            response = connection.getresponse()
            self.assertIsNone(response.getheader("Content-Length"))
            self.assertEqual(right, response.read(len(right)))
            self.assertEqual(2 << 20, len(response.read(2 << 20)))
            response.close()
            connection.close()

    def test_slow_is_as_slow_as_ordered(self) -> None:
        for path, right in self.each_place(f"slow:{len(self.right['listing'])}"):
            if len(right) > 5000:
                continue  # the wheel would take half a minute
            begin = time.monotonic()
            self.assertEqual(right, self.served.get(path)[1])
            self.assertGreater(time.monotonic() - begin, 0.8)

    def test_empty_and_noise(self) -> None:
        for path, _ in self.each_place("empty"):
            response, body = self.served.get(path)
            self.assertEqual((200, b""), (response.status, body))
        for path, right in self.each_place("not-html"):
            response, body = self.served.get(path)
            self.assertEqual((200, 20_000), (response.status, len(body)))
            self.assertNotIn(b"<a", body)

    def test_hang_accepts_and_never_answers(self) -> None:
        for path, _ in self.each_place("hang"):
            connection = self.served.connection(timeout=0.7)
            connection.request("GET", path)
            self.assertRaises(TimeoutError, connection.getresponse)
            connection.close()

    def test_a_hanging_connection_is_not_in_the_way_of_orders(self) -> None:
        self.served.order(faults=[{"on": "connection", "kind": "hang"}])
        connection = self.served.connection(timeout=0.7)
        connection.request("GET", "/torch/")
        self.assertRaises(TimeoutError, connection.getresponse)
        connection.close()
        self.served.order(faults=[])
        self.assertEqual(self.right["listing"], self.served.get("/torch/")[1])

    def test_redirects(self) -> None:
        self.served.order(faults=[{"on": "listing", "kind": "redirect-loop"}])
        path, seen = "/torch/", []
        for _ in range(5):
            response, _ = self.served.get(path)
            self.assertEqual(302, response.status)
            path = response.getheader("Location")
            seen.append(path)
        self.assertEqual(2, len(set(seen)))
        for path, right in self.each_place("redirect-elsewhere"):
            response, _ = self.served.get(path)
            where = f"http://localhost:{self.served.port}/elsewhere{path}"
            self.assertEqual((302, where), (response.status, response.getheader("Location")))
            self.assertEqual(right, self.served.get("/elsewhere" + path)[1])
        for path, _ in self.each_place("redirect-elsewhere:http://192.0.2.1/"):
            self.assertEqual("http://192.0.2.1/", self.served.get(path)[0].getheader("Location"))

    def test_ignored_ranges(self) -> None:
        response, body = self.served.get(self.ordered("file", "ignore-range"), Range="bytes=5-9")
        self.assertEqual((200, self.right["file"]), (response.status, body))

    def test_a_fault_occurs_as_often_as_ordered_and_where_it_matches(self) -> None:
        self.served.order(faults=[{"on": "listing", "kind": "503", "count": 2}])
        self.assertEqual([503, 503, 200], [self.served.get("/torch/")[0].status for _ in range(3)])
        self.served.order(faults=[{"on": "file", "kind": "500", "match": "no-such"}])
        self.assertEqual(200, self.served.get(address_of(3))[0].status)
        self.served.order(faults=[{"on": "listing", "kind": "503", "count": 1, "after": 2}, {"on": "listing", "kind": "500", "count": 1}])
        self.assertEqual([200, 200, 503, 500, 200], [self.served.get("/torch/")[0].status for _ in range(5)])
        self.served.order(fault={"on": "metadata", "kind": "500", "count": 1})
        self.assertEqual([500, 200], [self.served.get(address_of(3) + ".metadata")[0].status for _ in range(2)])
        self.served.order(faults=[])

    def test_wrong_orders_change_nothing(self) -> None:
        for wrong in ({"fault": {"kind": "no-such"}}, {"fault": {"kind": "cut"}}, {"dya": 3},
                      {"fault": {"kind": "broken-tls", "on": "file"}}, {"html_shape": "round", "day": 5}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.served.order(**wrong)
        self.assertEqual(0, self.served.order()["day"])

    def test_words_of_the_command_line(self) -> None:
        self.assertEqual(faults.Fault("listing", "cut", "0.5", 2), faults.from_words("listing=cut:0.5*2"))

    def test_a_tls_hello_to_a_plain_server_is_answered_with_garbage(self) -> None:
        with socket.create_connection(("127.0.0.1", self.served.port), 5) as plain:
            with self.assertRaises(ssl.SSLError):
                ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")


@unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificate")
class Tls(unittest.TestCase):
    def test_a_self_signed_server_is_trusted_by_its_certificate_alone_and_breaks_when_ordered(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with Served(folder, {"files": [tiny_entry(3)]}, "--tls-self-signed", str(folder / "tls")) as served:
                self.assertTrue(served.url.startswith("https://"))
                self.assertRaises(ssl.SSLCertVerificationError, self.status, served, ssl.create_default_context())
                trusting = ssl.create_default_context(cafile=folder / "tls" / "certificate.pem")
                self.assertEqual(200, self.status(served, trusting))
                served.order(fault={"on": "connection", "kind": "broken-tls", "count": 1})
                self.assertRaises(ssl.SSLError, self.status, served, trusting)
                self.assertEqual(200, self.status(served, trusting))
                self.assertEqual([], versions_pip_reads(served.url))

    @staticmethod
    def status(served: Served, context: ssl.SSLContext) -> int:
        connection = http.client.HTTPSConnection("localhost", served.port, timeout=5, context=context)
        connection.request("GET", "/torch/")
        status = connection.getresponse().status
        connection.close()
        return status
