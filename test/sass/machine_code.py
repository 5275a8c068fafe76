"""Machine code (SASS) of kernels as instructions: ptxas assembles PTX, nvdisasm prints what it made.

nvdisasm also prints which registers each instruction reads and writes (-plr), one column for each register:

    /*00f0*/  SHF.L.U32 R36, R36, R39, RZ ;   // |  18  ::   ::::     x  v  ::   | 1 :  |

`v` is a read, `^` a write, `x` both, `:` a register in use.  So nothing here knows the operands of any instruction.
"""
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


@dataclasses.dataclass(eq=False)
class Instruction:
    address: int
    guard: str  # the predicate that switches it on or off, such as P0, or ""
    opcode: str
    operands: list
    reads: frozenset = frozenset()
    writes: frozenset = frozenset()
    target: str = ""  # the label that it names
    is_spill: bool = False  # a store or load of a spilled register

    def __post_init__(self):
        self.name = self.opcode.split(".")[0]

    def __str__(self):
        return f"{self.opcode} at 0x{self.address:x}"


@dataclasses.dataclass
class Kernel:
    name: str
    code: list = dataclasses.field(default_factory=list)
    labels: dict = dataclasses.field(default_factory=dict)  # to the index of an instruction
    threads: int = 1024  # at most, per block
    whole_warp: frozenset = frozenset()  # SHFL's modes whose shuffles, in the PTX, all have the mask of a warp
    registers: int = 0
    frame: int = 0
    spilled: int = 0  # bytes of spill stores and loads
    shared: int = 0  # without what the launch adds


class Failure(Exception):
    """An error of a tool; the text says which."""


def run(*command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{command[0]} cannot be run: {error.strerror}") from error
    if done.returncode:
        raise Failure(f"{Path(command[0]).name} failed with status {done.returncode}\n{done.stderr.strip()}")
    return done.stdout + done.stderr


def find_tool(name):
    """The path of ptxas or nvdisasm, or None: of CUDA_HOME, the PATH, /usr/local/cuda, or a package of NVIDIA."""
    folders = [Path(os.environ["CUDA_HOME"], "bin")] if os.environ.get("CUDA_HOME") else []
    folders += map(Path, os.environ.get("PATH", "").split(os.pathsep))
    folders.append(Path("/usr/local/cuda/bin"))
    for packages in map(Path, sys.path):
        folders += packages.glob("nvidia/*/bin")
    return next((found for folder in folders if (found := shutil.which(name, path=str(folder)))), None)


def need_tool(name):
    path = find_tool(name)
    if not path:
        raise Failure(f"{name} is missing; install it with `pip install nvidia-cuda-nvdisasm` or a CUDA toolkit"
                      if name == "nvdisasm" else f"{name} is missing; install a CUDA toolkit and set CUDA_HOME")
    return path


def supported(archs):
    """Those of `archs` that this ptxas knows."""
    known = run(need_tool("ptxas"), "--help")
    return [arch for arch in archs if f"'{arch}'" in known]


def assemble(ptx, arch, folder):
    """Returns the kernels of the file `ptx`."""
    cubin = Path(folder) / f"{arch}.cubin"
    report = run(need_tool("ptxas"), "-v", f"-arch={arch}", ptx, "-o", cubin)
    kernels = read_listing(run(need_tool("nvdisasm"), "-c", "-plr", "-lrm", "narrow", cubin))
    read_report(report, kernels)
    read_ptx(Path(ptx).read_text(), kernels)
    return list(kernels.values())


def read_columns(lines):
    """Returns {column: register} from the digits, one above the other, of the header's last lines."""
    names = {}
    prefixes = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
    title = next(line for line in lines if re.search(r"\|\s+GPR\b", line))
    at = 0
    for part in title.split("|"):
        prefix = prefixes.get(part.strip())
        for column in range(at, at + len(part)) if prefix else ():
            digits = "".join(line[column] for line in lines if column < len(line) and line[column].isdigit())
            if digits:
                names[column] = f"{prefix}{int(digits)}"
        at += len(part) + 1
    return names


INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P[0-9T]+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;\s*$")
LABEL = re.compile(r"([.$][\w.$]+):")


def read_listing(text):
    """Returns {name: Kernel} from the output of nvdisasm."""
    kernels, kernel, header, columns = {}, None, [], {}
    for line in text.splitlines():
        code, _, life = line.partition("// ")
        if section := re.match(r"//-+ \.text\.(\S+)", line):
            kernel = kernels[section[1]] = Kernel(section[1])
        elif not code.strip():
            if life.startswith("|"):
                header.append(life)
            elif life.startswith("+"):
                columns, header = read_columns(header) if header else columns, []
        elif kernel and (found := INSTRUCTION.match(code)):
            kernel.code.append(read_instruction(found, life, columns))
        elif kernel and (found := LABEL.match(code)):
            kernel.labels[found[1]] = len(kernel.code)
    for kernel in kernels.values():
        is_whole = all(each.address == 16 * at for at, each in enumerate(kernel.code))
        if not is_whole or not any(each.reads for each in kernel.code):
            raise Failure(f"{kernel.name}: nvdisasm prints something else than expected")
    return kernels


def read_instruction(found, life, columns):
    opcode, text = found[3], found[4]
    operands = [word.strip() for word in text.split(" (*")[0].split(",") if word.strip()]
    reads, writes = set(), set()
    # A call is shown with all that a callee may use.
    for use in () if opcode.startswith("CALL") else re.finditer("[v^x]", life):
        for kind in (reads,) if use[0] == "v" else (writes,) if use[0] == "^" else (reads, writes):
            kind.add(columns[use.start()])
    # Not shown are uniform registers from 63 on, and predicates in a word: P2R R0, PR, RZ, 0x7f.
    for at, word in enumerate(operands):
        for name in re.findall(r"\bUR(?:6[3-9]|[7-9]\d|\d{3})", word):
            (reads if at or name != word else writes).add(name)
    if re.match(r"U?(P2UR|P2R|R2P)", opcode):
        mask, prefix = int(operands[-1], 0), "UP" if opcode.startswith("U") else "P"
        (writes if "R2P" in opcode else reads).update(f"{prefix}{i}" for i in range(7) if mask >> i & 1)
    target = re.search(r"`\(([.$][\w.$]+)\)", text)
    return Instruction(address=int(found[1], 16), guard=(found[2] or "").replace("!", ""), opcode=opcode,
                       operands=operands, reads=frozenset(reads), writes=frozenset(writes),
                       target=target[1] if target else "", is_spill='"SpillRefill"' in text)


def read_report(report, kernels):
    for name, text in re.findall(r"entry function '(\S+)' for(.*?)Used", report, re.DOTALL):
        numbers = dict((what, int(count)) for count, what in re.findall(r"(\d+) bytes ([a-z ]+)", text))
        kernel = kernels[name]
        kernel.frame = numbers.get("stack frame", 0)
        kernel.spilled = numbers.get("spill stores", 0) + numbers.get("spill loads", 0)
    for name, text in re.findall(r"entry function '(\S+)' for.*?(Used [^\n]*)", report, re.DOTALL):
        kernels[name].registers = int(re.search(r"Used (\d+) registers", text)[1])
        shared = re.search(r"(\d+) bytes smem", text)
        kernels[name].shared = int(shared[1]) if shared else 0


def read_ptx(text, kernels):
    """Reads what machine code does not say: the size of blocks, and the threads that a shuffle names."""
    for name, body in re.findall(r"\.entry (\S+?)\((.*?)^\}", text, re.DOTALL | re.MULTILINE):
        kernel = kernels[name]
        if threads := re.search(r"\.maxntid (\d+)", body):
            kernel.threads = int(threads[1])
        masks = {}
        for mode, mask in re.findall(r"\bshfl\.sync\.(\w+)\.b32 .*?,\s*([^,;]+);", body):
            masks.setdefault(mode.upper(), set()).add(mask.strip())
        kernel.whole_warp = frozenset(mode for mode, found in masks.items() if found <= {"-1", "0xffffffff"})
