"""The modules of the TorchBench worker: see ../worker.py."""
