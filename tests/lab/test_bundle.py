"""Modules as one script: what is rewritten, and what is refused."""

import re

import pytest
from thinpipe.lab import PAGE
from thinpipe.lab.bundle import bundle


@pytest.fixture
def folder(tmp_path):
    def write(**modules):
        for name, text in modules.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_imports_come_first_and_each_once(folder):
    made = folder(
        a='import { c } from "./c.js";\nimport {\n  b,\n} from "./b.js";\nconst own = b(c);\n',
        b='import { c } from "./c.js";\nexport function b(x) { return x; }\n',
        c="export const c = 1;\nexport class D {}\n",
    )
    script = bundle("a", made)
    assert [*re.findall(r"^const module_(\w)", script, re.MULTILINE)] == ["c", "b", "a"]
    assert "const { c } = module_c;" in script
    assert "return {c, D};" in script
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('import b from "./b.js";\n', "a.js: cannot be put into one script: import b"),
        ('import "./b.js";\n', "a.js: cannot be put into one script"),
        ("export default 1;\n", "a.js: cannot be put into one script: export default"),
        ('const b = import("./b.js");\n', "a.js: cannot be put into one script"),
        ('import { b } from "https://elsewhere/b.js";\n', "a.js: cannot be put into one script"),
        ('import { b } from "./b.js";\n', "b.js: cannot be put|a.js: imports itself by way of b"),
    ],
)
def test_what_is_not_rewritten_is_refused(folder, text, said):
    made = folder(a=text, b='import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(ValueError, match=f"^({said})"):
        bundle("a", made)


@pytest.mark.parametrize("module", sorted(file.stem for file in PAGE.glob("*.js")))
def test_every_module_of_the_page_can_be_part_of_one_script(module):
    assert f"module_{module}" in bundle(module)
