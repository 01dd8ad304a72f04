"""What C++ sources declare in their namespaces, as far as their layout tells it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

UNREAD = re.compile(
    r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*"  # comments, preprocessor
    r'|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',  # texts, letters
    re.DOTALL | re.MULTILINE,
)
ASIDE = re.compile(
    r"<[^<>()]*>|\[\[.*?\]\]|\b(?:requires|decltype|sizeof|alignas|noexcept) ?\([^()]*\)"
)


class Declaration(NamedTuple):
    """The namespaces around it, an unnamed one as "", and what stands before its body or end."""

    around: tuple[str, ...]
    head: str
    has_body: bool

    def name(self) -> str:
        """Return the name; of a function with the types of its parameters.

        Nothing of what may be said twice: another name of a type, a static_assert.
        """
        head = self.head
        while (shorter := ASIDE.sub("", head)) != head:
            head = shorter
        head = re.sub("^template +", "", head.strip())
        if re.match(r"using |static_assert|extern |requires\b|\W", head) or "operator" in head:
            return ""
        if kind := re.match(r"(?:class|struct|union|enum(?: class)?|concept) (\w+)", head):
            return kind[1]
        if function := re.match(r"[^=(]*?([\w:]+) ?\((.*)\)", head):
            types = [re.sub(r" ?\b\w+ *(=.*)?$", "", one.strip()) for one in function[2].split(",")]
            return f"{function[1]}({', '.join(types)})"
        return re.sub(r" *(\[[^]]*\] *)*(=.*)?$", "", head).split(" ")[-1]


def declarations(text: str) -> Iterator[Declaration]:
    """Yield what a file declares in namespaces."""
    around: list[str | None] = []  # None for braces of anything else
    begin = 0
    text = re.sub(r"= *\{\}", "= 0", UNREAD.sub(" ", text))
    for sign in re.finditer("[{};]", text):
        head = " ".join(text[begin : sign.start()].split())
        outside = None not in around
        space = re.fullmatch(r"(?:inline )?namespace ?([\w:]*)", head)
        if outside and sign[0] != "}" and head and not space:
            yield Declaration(tuple(around), head, sign[0] == "{")
        if sign[0] == "{":
            around.append(space[1] if outside and space else None)
        elif sign[0] == "}":
            around.pop()
        if None not in around:
            begin = sign.end()
