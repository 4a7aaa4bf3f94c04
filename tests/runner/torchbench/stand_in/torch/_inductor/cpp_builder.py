import shutil


def get_cpp_compiler():
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        raise RuntimeError("No working C++ compiler found")
    return "g++"
