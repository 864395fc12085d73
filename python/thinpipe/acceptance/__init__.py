"""Emulator and proxy held against the simulator: facts of ours, judged as a paper's are."""
