# Prints a table of times from lines "operator nanoseconds".
import sys


def read(lines):
    for line in lines:
        name, nanoseconds = line.split()
        yield name, int(nanoseconds)


def main():
    for name, nanoseconds in read(sys.stdin):
        print(f"{name:24} {nanoseconds / 1000:10.1f} us")


if __name__ == "__main__":
    main()
