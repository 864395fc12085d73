"""Emulator and proxy compared with the simulator: our own facts, judged as a paper's are."""
