from enum import Enum


class COMPUTER_VISION(Enum):
    CLASSIFICATION = "classification"


class NLP(Enum):
    LANGUAGE_MODELING = "language modeling"
