# The shapes that the kernels are tried with by hand.
SHAPES = [
    (1, 512),
    (16, 512),
]


def elements(shape):
    """The number of values of a tensor."""
    count = 1
    for length in shape:
        count *= length
    return count


if __name__ == "__main__":
    for shape in SHAPES:
        print(shape, elements(shape))
