"""The computations of pyhpc-benchmarks, as they are in pytorch/benchmark."""

import torchbench
from compare import Case


def equation_of_state(dump):
    return [torchbench.load("pyhpc_equation_of_state/eos_pytorch.py").gsw_dHdT(*dump["inputs"])]


def isoneutral_mixing(dump):
    original = torchbench.load("pyhpc_isoneutral_mixing/isoneutral_pytorch.py")
    return list(original.isoneutral_diffusion_pre(*(tensor.clone() for tensor in dump["inputs"])))


def turbulent_kinetic_energy(dump):
    original = torchbench.load("pyhpc_turbulent_kinetic_energy/tke_pytorch.py")
    return list(original.integrate_tke(*(tensor.clone() for tensor in dump["inputs"])))


CASES = {
    "pyhpc_equation_of_state": Case(equation_of_state, "pytorch/benchmark", batch=262144, tolerance=1e-8),
    "pyhpc_isoneutral_mixing": Case(isoneutral_mixing, "pytorch/benchmark", batch=262144, tolerance=1e-12),
    "pyhpc_turbulent_kinetic_energy": Case(turbulent_kinetic_energy, "pytorch/benchmark", batch=262144, tolerance=1e-12),
}
