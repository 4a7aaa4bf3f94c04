"""What configs/python-package.toml measures: see the manual, "Other subjects"."""

import random

import wordmill
from tbci_worker import benchmark


def _text(words: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(words))


@benchmark(domain="text", task="splitting")
def words():
    text = _text(20_000)
    return lambda: wordmill.words(text)


@benchmark(domain="text", task="counting")
def pairs():
    text = _text(5_000)
    return lambda: wordmill.pairs(text)
