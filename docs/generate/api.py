"""The C++ interface as Markdown: what Doxygen reads in the public headers, a page for each."""

import re
import subprocess
import tempfile
import textwrap
from pathlib import Path
from xml.etree import ElementTree

from mkdocs.exceptions import PluginError

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

SETTINGS = """
INPUT = include/halocline include/halocline/more
OUTPUT_DIRECTORY = {folder}
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
XML_PROGRAMLISTING = NO
AUTOLINK_SUPPORT = NO
EXTRACT_ALL = YES
PREDEFINED = __cplusplus
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = YES
"""
INTRODUCTION = """# C++ interface

`#include <halocline/halocline.hpp>` has what most programs need: ring 1, all headers that are not
in `more/`. Each header can also be included by itself. A header uses only headers of its own layer
and of the layers below that in this table.
All names are in the namespace `halocline`. A function that fails throws `halocline::Error`, whose
text is meant for the user.

| layer | header | what it holds |
|---|---|---|
"""
WITHOUT_PAGE = {"halocline", "memory_kind"}


def pages(root):
    """Return the pages by name.

    Parameters
    ----------
    root
        Folder of the repository.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(
                ["doxygen", "-"], input=SETTINGS.format(folder=folder), text=True, cwd=root,
                check=True,
            )  # fmt: skip
        except FileNotFoundError:
            raise PluginError("the C++ pages need Doxygen: sudo apt-get install doxygen") from None
        compounds = [
            compound
            for file in sorted(Path(folder, "xml").glob("*.xml"))
            for compound in ElementTree.parse(file).iter("compounddef")
            if "detail" not in (compound.findtext("compoundname") or "").split("::")
        ]
    headers = {file.stem for file in (root / "include/halocline").rglob("*.hpp")} - WITHOUT_PAGE
    layers = layers_by_header(root)
    if not headers <= {*layers}:
        raise PluginError("src/layers.toml does not name all headers")
    interface = Interface(compounds)
    found = {f"{name}.md": interface.page(root, name) for name in layers if name in headers}
    rows = [
        f"| {layers[name]} | [`{place(root, name)}`]({name}.md) | {first_comment(root, name)[0]} |"
        for name in layers
        if name in headers
    ]
    return {"index.md": INTRODUCTION + "\n".join(rows) + "\n", **found}


def layers_by_header(root):
    """Return the layer of each header, those that use others first."""
    table = tomllib.loads((root / "src/layers.toml").read_text("utf-8"))["layer"]
    return {
        name: layer["name"]
        for ring in ("headers", "more")
        for layer in reversed(table)
        for name in layer.get(ring, [])
    }


def header(root, name):
    """Return the path of a public header."""
    return root / "include/halocline" / place(root, name)


def place(root, name):
    """Return a header as `#include <halocline/...>` names it."""
    inside = Path("more") / f"{name}.hpp"
    return inside if (root / "include/halocline" / inside).exists() else Path(f"{name}.hpp")


def first_comment(root, name):
    """Return the paragraphs at the top of a header."""
    lines = header(root, name).read_text().split("\n")[1:]
    ends = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    text = "\n".join(line[2:].strip() for line in lines[:ends])
    return [" ".join(part.split("\n")) for part in text.split("\n\n")]


class Interface:
    """Classes, functions and enumerations, with what is said of them."""

    def __init__(self, compounds):
        self.items = []  # (header, line, Markdown), in no order
        self.places = {}  # a class: the link to it
        classes = [c for c in compounds if c.get("kind") in ("class", "struct")]
        for item in classes:
            name = short(item.findtext("compoundname"))
            self.places[name] = f"{stem(item)}.md#{anchor(name)}"
        for item in classes:
            text = self.of_class(item)
            if text:
                self.items.append((stem(item), line(item), text))
        for item in compounds:
            if item.get("kind") in ("namespace", "file"):
                self.add_members(item)

    def page(self, root, name):
        """Return the page of one header."""
        first, *more = first_comment(root, name)
        includes = f"```cpp\n#include <halocline/{place(root, name)}>\n```"
        items = [text for stem_, _, text in sorted(self.items) if stem_ == name]
        return "\n\n".join([f"# {place(root, name)}", first, includes, *more, *items]) + "\n"

    def of_class(self, item):
        """Describe a class; empty if nothing is said of it."""
        name = short(item.findtext("compoundname"))
        members = sorted((m for m in item.iter("memberdef") if m.get("prot") == "public"), key=line)
        said = self.said(item)
        if not said and not any(self.said(member) for member in members):
            return ""
        shown = [m for m in members if self.said(m) or not is_boilerplate(m, name.split("::")[-1])]
        parts = [f"## {name} {{ #{anchor(name)} }}", said, *self.described(shown)]
        return "\n\n".join(part for part in parts if part)

    def add_members(self, namespace):
        """Add what belongs to no class, a heading for each name."""
        of_file = namespace.get("kind") == "file"
        space = "" if of_file else short(namespace.findtext("compoundname"))
        named = {}
        for member in sorted(namespace.iter("memberdef"), key=line):
            if of_file == (member.get("kind") == "define"):
                name = "::".join(filter(None, (space, member.findtext("name"))))
                named.setdefault((stem(member), name), []).append(member)
        for (file, name), members in named.items():
            text = "\n\n".join([f"## {name} {{ #{anchor(name)} }}", *self.described(members)])
            self.items.append((file, line(members[0]), text))

    def described(self, members):
        """Return declarations, those with few words together, and what is said of them."""
        parts, together = [], []

        def flush():
            if together:
                parts.append("```cpp\n" + "\n".join(together) + "\n```")
                together.clear()

        for member in members:
            said = self.said(member)
            if said[:1].islower() and "\n" not in said:  # written behind the declaration
                together.append(f"{declaration(member)}  // {plain(said)}")
                continue
            if said:
                flush()
            together.append(declaration(member))
            if said:
                flush()
                parts.append(said)
            values = [
                f"- `{value.findtext('name')}`: {self.said(value)}".rstrip(": ")
                for value in member.iter("enumvalue")
            ]
            if values:
                flush()
                parts.append("\n".join(values))
        flush()
        return parts

    def said(self, item):
        """Return what is said of an item."""
        texts = [
            self.markdown(item.find(part))
            for part in ("briefdescription", "detaileddescription")
            if item.find(part) is not None
        ]
        return "\n\n".join(text for text in texts if text)

    def markdown(self, node):
        """Translate a description."""
        if node.tag in ("para", "briefdescription", "detaileddescription"):
            text = escaped(node.text) + "".join(
                self.markdown(child) + escaped(child.tail) for child in node
            )
            text = (
                re.sub(r"\n +", "\n", text.strip()) if node.tag != "para" else text.strip() + "\n\n"
            )
            return text if text.strip() else ""
        inner = "".join(node.itertext())
        if node.tag == "computeroutput":
            return f"[`{inner}`]({self.places[inner]})" if inner in self.places else f"`{inner}`"
        if node.tag in ("verbatim", "preformatted"):
            return f"\n\n```cpp\n{textwrap.dedent(inner).strip()}\n```\n\n"
        if node.tag in ("sp", "linebreak"):
            return " "
        if node.tag == "ndash":
            return "-"
        return escaped(inner)


def short(name):
    """Return a name without the namespace `halocline`."""
    return name.removeprefix("halocline").removeprefix("::")


def anchor(name):
    """Return a name as it stands in links."""
    return name.replace("::", "-")


def stem(item):
    """Return the header in which an item is, without its ending."""
    name = Path(item.find("location").get("file")).stem
    return {"memory_kind": "memory"}.get(name, name)


def line(item):
    """Return where it stands there."""
    return int(item.find("location").get("line"))


def plain(markdown):
    """Return Markdown as it stands in a comment of code."""
    return re.sub(r"\[(`[^`]*`)\]\([^)]*\)", r"\1", markdown).replace("\\", "")


def escaped(text):
    """Return text that Markdown takes for text."""
    return re.sub(r"([*_\[\]<>|])", r"\\\1", (text or "").replace("\n", " "))


def tidied(code):
    """Return code spaced as in the headers."""
    code = re.sub(r" ([&*]+) ?", r"\1 ", code.replace("< ", "<"))
    code = re.sub(r" ([>,)])", r"\1", re.sub(r" ([>,)])", r"\1", code))
    return re.sub(r"(?<=[\w>&*]) ?=(?![= ]) ?", " = ", code)


def declaration(member):
    """Return the declaration of a function, a variable, an enumeration, an alias or a macro."""
    kind, name = member.get("kind"), member.findtext("name")
    type_ = text_of(member, "type")
    if kind == "enum":
        return f"enum class {name};"
    if kind == "typedef":
        return tidied(f"using {name} = {type_};")
    if kind == "define":
        arguments = ", ".join(p.findtext("defname") for p in member.findall("param"))
        return f"#define {name}({arguments})"
    parameters = [
        " ".join(filter(None, (p.findtext("type"), p.findtext("declname"))))
        for p in member.findall("templateparamlist/param")
    ]
    words = [
        f"template <{', '.join(parameters)}>" if parameters else "",
        *(word for word in ("static", "explicit", "virtual") if is_(member, word)),
        type_,
        f"{name}{member.findtext('argsstring') or ''}",
    ]
    initial = text_of(member, "initializer") if kind == "variable" else ""
    code = " ".join(filter(None, words))
    return tidied(code + initial if initial.startswith("{") else f"{code} {initial}".strip()) + ";"


def is_(member, word):
    """Tell whether a function is static, explicit or virtual."""
    return member.get(word) == "yes" or member.get("virt", "non-virtual") == f"pure-{word}"


def text_of(member, part):
    """Return all text of a part; empty if it has none."""
    found = member.find(part)
    return "" if found is None else "".join(found.itertext())


def is_boilerplate(member, name):
    """Tell destructors, copies and moves of a class."""
    text, arguments = member.findtext("name"), member.findtext("argsstring") or ""
    return (
        text.startswith("~")
        or text == "operator="
        or (
            text == name and re.fullmatch(rf"\((const )?{name} ?&+[^,]*\).*", arguments) is not None
        )
    )
