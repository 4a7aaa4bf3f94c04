"""The parts of the TorchBench worker: see worker.py beside this folder."""
