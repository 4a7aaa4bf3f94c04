"""runner/aoti/make_package.py without a torch: what it asks of the compiler's Python."""

import importlib.util
import pathlib
import sys
import types
import unittest

FILE = pathlib.Path(__file__).parents[2] / "runner/aoti/make_package.py"


class Overload:
    """An operator as torch._ops.OpOverload."""

    def __init__(self, is_mutable):
        self._schema = types.SimpleNamespace(is_mutable=is_mutable)


class Exported:
    def __init__(self, *targets):
        self.graph = types.SimpleNamespace(nodes=[types.SimpleNamespace(target=target) for target in targets])
        self.decomposed = False

    def run_decompositions(self, table):
        made = Exported(Overload(False))
        made.decomposed = table == {}
        return made


def torch_of(exported, compile_it):
    """A torch that converts any trace to `exported`."""
    torch = types.ModuleType("torch")
    torch._ops = types.SimpleNamespace(OpOverload=Overload)
    torch.jit = types.SimpleNamespace(load=lambda file: "module")
    torch._inductor = types.SimpleNamespace(aoti_compile_and_package=compile_it)
    converter = types.ModuleType("torch._export.converter")
    converter.TS2EPConverter = lambda module, inputs, more: types.SimpleNamespace(convert=lambda: exported)
    sys.modules["torch._export"] = types.ModuleType("torch._export")
    sys.modules["torch._export.converter"] = converter
    return torch


class MakePackageTest(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("make_package", FILE)
        self.program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.program)
        self.program._inputs = lambda torch, file: ()
        self.compiled = []

    def tearDown(self):
        sys.modules.pop("torch._export", None)
        sys.modules.pop("torch._export.converter", None)

    def package(self, exported):
        torch = torch_of(exported, lambda program, package_path: self.compiled.append((program, package_path)))
        self.program._package(torch, "trace.pt", "out.pt2")

    def test_a_graph_that_writes_in_place_is_made_functional_before_it_is_compiled(self):
        self.package(Exported("output", Overload(False), Overload(True)))
        self.assertTrue(self.compiled[0][0].decomposed)
        self.assertEqual(self.compiled[0][1], "out.pt2")

    def test_any_other_graph_is_compiled_as_it_is(self):
        exported = Exported("input", Overload(False))
        self.package(exported)
        self.assertIs(self.compiled[0][0], exported)

    def test_what_cannot_be_made_functional_is_a_model_without_a_package(self):
        exported = Exported(Overload(True))

        def refuse(table):
            raise RuntimeError("\nmutating a view\nand more")

        exported.run_decompositions = refuse
        with self.assertRaisesRegex(self.program.Refused, "AOTInductor cannot compile it: RuntimeError: mutating a view$"):
            self.package(exported)

    def test_what_the_machine_lacks_says_nothing_about_the_model(self):
        wrapped = RuntimeError("g++ failed")
        wrapped.__cause__ = OSError(28, "No space left on device")
        for error in (MemoryError(), wrapped, RuntimeError("c++: fatal error: Killed signal terminated program cc1plus"),
                      RuntimeError("PytorchStreamWriter failed writing file data/0: file write failed")):
            def refuse(table, error=error):
                raise error

            exported = Exported(Overload(True))
            exported.run_decompositions = refuse
            with self.assertRaises(type(error)):
                self.package(exported)

    def refusal(self, error):
        def refuse(table):
            raise error

        exported = Exported(Overload(True))
        exported.run_decompositions = refuse
        with self.assertRaises(self.program.Refused) as refused:
            self.package(exported)
        return refused.exception

    def test_a_refusal_has_the_compilers_own_error(self):
        error = RuntimeError("C++ compile error\n\nCommand: g++ a.cpp\n\na.cpp:3:1: error: no such thing\nmore")
        self.assertEqual(str(self.refusal(error)), "AOTInductor cannot compile it: RuntimeError: C++ compile error: "
                                                   "a.cpp:3:1: error: no such thing")
        self.assertEqual(self.refusal(error).kind, "unsupported")
        self.assertEqual(str(self.refusal(RuntimeError("a.cpp:3:1: error: no such thing"))),
                         "AOTInductor cannot compile it: RuntimeError: a.cpp:3:1: error: no such thing")

    def test_memory_of_a_gpu_that_is_full_is_not_a_refusal_for_ever(self):
        error = type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory")
        self.assertEqual(self.refusal(error).kind, "out_of_memory")

    def test_a_trace_that_cannot_be_loaded_is_a_refusal(self):
        def cannot(torch, file):
            raise RuntimeError("it holds a thing that is not known")

        self.program._inputs = cannot
        with self.assertRaisesRegex(self.program.Refused, "^torch cannot load its trace: RuntimeError: it holds"):
            self.package(Exported())

    def test_a_package_of_somebody_else_that_is_missing_says_nothing_about_the_build(self):
        with self.assertRaisesRegex(SystemExit, "^this Python lacks what torch needs: .*sympy"):
            self.program._without_packages(ModuleNotFoundError("No module named 'sympy'", name="sympy"))
        refused = self.program._without_packages(ModuleNotFoundError("No module", name="torch._export.converter"))
        self.assertRegex(str(refused), "^this torch cannot make packages of traces")


if __name__ == "__main__":
    unittest.main()
