"""A certificate that nobody trusts, for an index over TLS. Needs the program openssl. Example:

    context = self_signed.context(Path("certificates"))     # writes certificate.pem and key.pem there

A client that shall trust it gets certificate.pem as its authority.
"""

import ssl
import subprocess
from pathlib import Path

NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


def context(folder: Path) -> ssl.SSLContext:
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    if not certificate.exists():
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650",
                   "-subj", "/CN=localhost", "-addext", NAMES, "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(command, check=True, capture_output=True)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    return made
