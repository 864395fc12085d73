"""What the value of a key has to be, as ``thinpipe keys`` says it: lists of words stand there."""

import re

import thinpipe as tp

_KEYS = tp.keys()
EXPECTED = {key.name: key.expected for key in _KEYS}


def words(key: str) -> list[str]:
    return re.split(",? or |, ", EXPECTED[key])
