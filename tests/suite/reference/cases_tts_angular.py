"""The speaker encoder of Mozilla TTS, as it is in pytorch/benchmark."""

import torchbench
from compare import Case, copy_in_order


def tts_angular(dump):
    original = torchbench.load("tts_angular/model.py").SpeakerEncoder(40, 256, 768, 3)
    return [copy_in_order(original, dump)(dump["inputs"][0])]


CASES = {"tts_angular": Case(tts_angular, "pytorch/benchmark")}
