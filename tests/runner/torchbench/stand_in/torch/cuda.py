"""No device."""


def is_available():
    return False
