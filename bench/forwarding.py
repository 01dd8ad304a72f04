"""Loads that wait for stores: in a loop, a part is stored and then something wider is loaded.

A core hands what was just stored to a load behind it only if one store wrote all that is loaded.
Otherwise the load waits until the stores are in the cache: some 15 cycles, in each turn. Compilers
make such pairs where a vector is put together in memory, lane by lane or half by half. Of compiled
files (with whatever -march, no matter where) each such pair in a loop is printed: the loop's
length in instructions, how many of them lie between store and load, function, addresses, and lines
where there is debug information (-g). Pairs some hundred instructions apart do no harm: until then
the store is in the cache.

    g++ -std=c++20 -O3 -march=sapphirerapids -g -c ... -o rows.o
    python3 bench/forwarding.py rows.o

Looked at are loads of 16 bytes and more (--least): places on the stack that a compiler uses for one
number here and for a wider one there look like pairs, too.

What is seen: addresses of the same registers and displacement, the registers unchanged in between
(or changed by constants). What is not: the same place by two pointers, masked stores, and which way
branches within the loop go: the loop is read from its first to its last instruction, twice.
"""

import argparse
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "TBYTE": 10,
         "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}  # fmt: skip
MEMORY = re.compile(r"(\w+) (?:PTR|BCST) (?:[cdefgs]s:)?\[([^\]]*)\]")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:(?:rep\w*|lock|notrack|bnd|data16) )*(\S+)\s*(.*)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
LINE = re.compile(r"^(/\S*|\S+\.\w+):(\d+)(?: \(discriminator \d+\))?$")
JUMP = re.compile(r"^([0-9a-f]+) <")
LEGACY = {
    "ax": "a",
    "bx": "b",
    "cx": "c",
    "dx": "d",
    "si": "si",
    "di": "di",
    "bp": "bp",
    "sp": "sp",
}
# What a call may change (System V), and what instructions change that do not name it.
CALLER_SAVED = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}
IMPLICIT = {"mul": {"rax", "rdx"}, "div": {"rax", "rdx"}, "idiv": {"rax", "rdx"},
            "cqo": {"rdx"}, "cdq": {"rdx"}, "cdqe": {"rax"}, "rdtsc": {"rax", "rdx"},
            "push": {"rsp"}, "pop": {"rsp"}, "call": CALLER_SAVED,
            "movs": {"rsi", "rdi", "rcx"}, "stos": {"rdi", "rcx"}}  # fmt: skip
# These read their first operand, or do not touch it.
READ_ONLY = re.compile(r"^(cmp|test|v?u?comis[sd]|vtestp[sd]|v?ptest|bt|push|j\w+|call|ret|nop\w*|"
                       r"prefetch\w*|clflush\w*|ud2|endbr64|kortest\w|ktest\w)$")  # fmt: skip
# These write their first operand without reading it; others that name memory first do both.
PLAIN_STORE = re.compile(r"^(v?mov(?!mskp)\w*|v?p?extr\w+|vextract\w+|set\w+|fstp?|fistp?|"
                         r"vp?compress\w+|vcvtps2ph|vpmov\w+)$")  # fmt: skip


def whole(register):
    """The 64 bits that a general register is part of, or the register itself."""
    name = register
    if match := re.fullmatch(r"(r\d+)[dwb]?", name):
        return match[1]
    name = name.removeprefix("r").removeprefix("e")
    if name in LEGACY:
        return f"r{name}"
    if match := re.fullmatch(r"([abcd])[lh]", register):
        return f"r{match[1]}x"
    if match := re.fullmatch(r"(si|di|bp|sp)l", register):
        return f"r{match[1]}"
    return register


@dataclass(frozen=True)
class Place:
    """Bytes of memory: what is added up from registers, and from where to where behind it."""

    registers: tuple
    begin: int
    end: int

    @property
    def size(self):
        return self.end - self.begin

    def of(self, other):
        """Whether both are known to be apart by a constant."""
        return self.registers == other.registers

    def meets(self, other):
        return self.of(other) and self.begin < other.end and other.begin < self.end

    def covers(self, other):
        return self.of(other) and self.begin <= other.begin and other.end <= self.end

    def moved(self, register, by):
        """The same bytes, once so much has been added to a register."""
        times = sum(scale for name, scale in self.registers if name == register)
        return replace(self, begin=self.begin - times * by, end=self.end - times * by)


@dataclass(frozen=True)
class Instruction:
    address: int
    name: str
    operands: tuple
    line: str

    def place(self, operand):
        """The memory that an operand is; none for a register, and where vectors are indices."""
        match = MEMORY.search(operand)
        if not match or re.search(r"[xyz]mm\d", match[2]):
            return None
        size, registers, displacement = SIZES.get(match[1]), {}, 0
        if size is None:
            return None
        for sign, part in re.findall(r"([+-]?)([^+-]+)", match[2]):
            if re.fullmatch(r"0x[0-9a-f]+|\d+", part):
                displacement += int(part, 0) * (-1 if sign == "-" else 1)
            else:
                register, _, scale = part.partition("*")
                register = whole(register)
                registers[register] = registers.get(register, 0) + int(scale or 1)
        return Place(tuple(sorted(registers.items())), displacement, displacement + size)

    @property
    def stored(self):
        """What is written to memory, if its extent is known."""
        if not self.operands or READ_ONLY.match(self.name) or "{" in self.operands[0]:
            return None
        return self.place(self.operands[0])

    @property
    def loaded(self):
        if self.name in ("lea", "nop", "nopw", "nopl") or self.name.startswith("prefetch"):
            return None
        written = self.operands[:1] if PLAIN_STORE.match(self.name) else ()
        for operand in self.operands[len(written) :]:
            if place := self.place(operand):
                return place
        return None

    @property
    def changed(self):
        """General registers that get other values: by how much, or None."""
        names = {whole(name) for name in IMPLICIT.get(self.name.rstrip("bwdq"), ())}
        names |= IMPLICIT.get(self.name, set())
        changed = dict.fromkeys(names)
        if self.name == "xchg":
            return changed | {whole(operand): None for operand in self.operands}
        if self.operands and not READ_ONLY.match(self.name) and "[" not in self.operands[0]:
            register, by = whole(self.operands[0]), None
            if self.name in ("add", "sub") and re.fullmatch(r"-?0x[0-9a-f]+", self.operands[1]):
                by = int(self.operands[1], 0) * (1 if self.name == "add" else -1)
                if by >= 1 << 63:
                    by -= 1 << 64
            elif self.name in ("inc", "dec"):
                by = 1 if self.name == "inc" else -1
            changed[register] = by
        return changed

    @property
    def target(self):
        """Where it jumps to."""
        match = JUMP.match(self.operands[0]) if self.operands and self.name[0] == "j" else None
        return int(match[1], 16) if match else None


@dataclass(frozen=True)
class Pair:
    """A store, and a load that it is a part of."""

    function: str
    store: Instruction
    load: Instruction
    loop: int  # instructions of the smallest loop around both
    between: int  # instructions from one to the other


def operands_of(text):
    """Operands, separated by commas that are in no brackets."""
    text = text.split(" #")[0].split("\t#")[0].strip()
    return tuple(part.strip() for part in re.split(r",(?![^\[({]*[\])}])", text)) if text else ()


def functions(text):
    """Name and instructions of each function that objdump's text has."""
    name, instructions, line = None, [], ""
    for row in text.splitlines():
        if match := FUNCTION.match(row):
            if instructions:
                yield name, instructions
            name, instructions, line = match[1], [], ""
        elif match := INSTRUCTION.match(row):
            instructions.append(
                Instruction(int(match[1], 16), match[2], operands_of(match[3]), line)
            )
        elif match := LINE.match(row):
            line = f"{Path(match[1]).name}:{match[2]}"
    if instructions:
        yield name, instructions


def waits(loop):
    """Number of store and number of load for each such pair of two turns of a loop."""
    stores = []  # (number, place), the last one first
    for number, instruction in enumerate([*loop, *loop]):
        if loaded := instruction.loaded:
            for at, place in stores:
                if place.meets(loaded):
                    if not place.covers(loaded):
                        yield at, number
                    break
        if stored := instruction.stored:
            kept = [(at, place) for at, place in stores if not stored.covers(place)]
            stores = [(number, stored), *kept]
        for register, by in instruction.changed.items():
            if by is None:
                stores = [s for s in stores if register not in dict(s[1].registers)]
            else:
                stores = [(at, place.moved(register, by)) for at, place in stores]


def pairs(function, instructions):
    """All of a function, each once, of the smallest loop that has both."""
    index = {instruction.address: i for i, instruction in enumerate(instructions)}
    loops = {}  # where each begins: where it ends
    for i, instruction in enumerate(instructions):
        begin = index.get(instruction.target)
        if begin is not None and begin <= i:
            loops[begin] = i + 1
    found = {}
    for begin, end in sorted(loops.items(), key=lambda loop: loop[1] - loop[0]):
        loop = instructions[begin:end]
        for store, load in waits(loop):
            pair = Pair(function, loop[store % len(loop)], loop[load % len(loop)], len(loop),
                        load - store)  # fmt: skip
            found.setdefault((pair.store.address, pair.load.address), pair)
    return sorted(found.values(), key=lambda pair: pair.load.address)


def pairs_in(file):
    """All of a compiled file."""
    text = subprocess.run(
        ["objdump", "-d", "-l", "-C", "--no-show-raw-insn", "-M", "intel", file],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [pair for name, body in functions(text) for pair in pairs(name, body)]


def said(instruction):
    text = f"{instruction.address:#x} {instruction.name} {','.join(instruction.operands)}"
    return f"{text} ({instruction.line})" if instruction.line else text


def main():
    """Print what is found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="objects, libraries or programs")
    parser.add_argument("--between", type=int, default=100, help="at most so many instructions")
    parser.add_argument("--least", type=int, default=16, help="loads of at least so many bytes")
    wish = parser.parse_args()
    for file in wish.files:
        some = [
            pair for pair in pairs_in(file)
            if pair.between <= wish.between and pair.load.loaded.size >= wish.least
        ]  # fmt: skip
        print(f"{file}: {len(some)} loads that wait for stores")
        function = None
        for pair in some:
            if pair.function != function:
                function = pair.function
                print(f"  {function}")
            print(f"    loop of {pair.loop}, {pair.between} on: {said(pair.store)}")
            print(f"      then {said(pair.load)}")


if __name__ == "__main__":
    main()
