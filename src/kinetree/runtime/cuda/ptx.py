"""Stand-in: one thread for each state."""

from __future__ import annotations

from kinetree.emit.cuda.entries import Kernel, Kernels
from kinetree.emit.llvm.layout import constant
from kinetree.emit.llvm.parts import INSTRUCTIONS
from kinetree.graph.node import live
from kinetree.lower.order import ordered
from kinetree.lower.program import Program


def _steps(shape, dense, item, letter):
    """For each element the text of its offset: list of (stride index, factor) or constant."""
    import itertools

    return list(itertools.product(*map(range, shape)))


def kernels(program: Program, capability, ptx_version, dense) -> Kernels:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    t, item, suf = ("float", 4, "f32") if program.single else ("double", 8, "f64")
    lines, params = [], ["i64 %count", "ptr addrspace(1) %scratch"]
    a = lines.append
    address = {}
    for letter, side in (("i", program.operands), ("o", program.results)):
        for n, o in enumerate(side):
            v = f"{letter}{n}"
            params += [f"ptr addrspace(1) %{v}", f"i64 %{v}s"]
            if not dense:
                params += [f"i64 %{v}s{k}" for k in range(len(o.shape))]
            a(f"  %{v}m = mul i64 %b, %{v}s")
            a(f"  %{v}p = getelementptr i8, ptr addrspace(1) %{v}, i64 %{v}m")
            for e, index in enumerate(_steps(o.shape, dense, item, v)):
                at = f"{v}e{e}"
                if dense:
                    a(f"  %{at} = getelementptr i8, ptr addrspace(1) %{v}p, i64 {e * item}")
                else:
                    last = "0"
                    for k, i in enumerate(index):
                        a(f"  %{at}x{k} = mul i64 %{v}s{k}, {i}")
                        a(f"  %{at}y{k} = add i64 {last}, %{at}x{k}")
                        last = f"%{at}y{k}"
                    a(f"  %{at} = getelementptr i8, ptr addrspace(1) %{v}p, i64 {last}")
                address[(letter, n, e)] = at
    places = {o.name: n for n, o in enumerate(program.operands)}

    def od(n, w):
        return constant(n.value, single=program.single and not w) if n.op == "const" else f"%v{n.index}"

    for n in live(program.outputs):
        if n.op == "input":
            name, k = n.value
            a(f"  %v{n.index} = load {t}, ptr addrspace(1) %{address['i', places[name], k]}, align {item}")
    for n in ordered(program.outputs):
        w = n in program.wide or any(x in program.wide for x in n.args)
        tt, vv = ("double", "f64") if w else (t, suf)
        text = INSTRUCTIONS[n.op].format(*[od(x, w) for x in n.args], t=tt, v=vv, b="i1", n=t, w="double")
        a(f"  %v{n.index} = {text.replace('splat (i1 true)', 'true')}")
    p = 0
    for n, r in enumerate(program.results):
        for e in range(r.size):
            a(f"  store {t} {od(program.outputs[p], False)}, ptr addrspace(1) %{address['o', n, e]}, align {item}")
            p += 1
    body = "\n".join(lines)
    declared = "\n".join(
        f"declare {x} @llvm.{f}.{s}({', '.join([x] * k)})"
        for x, s in (("float", "f32"), ("double", "f64"))
        for f, k in {"fma": 3, "sqrt": 1, "fabs": 1, "floor": 1, "rint": 1, "copysign": 2}.items()
    )
    ir = f"""target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{declared}
define ptx_kernel void @kernel({", ".join(params)}) {{
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c64 = zext i32 %c to i64
  %t64 = zext i32 %t to i64
  %m = mul i64 %c64, 128
  %b = add i64 %m, %t64
  %in = icmp ult i64 %b, %count
  br i1 %in, label %body, label %end
body:
{body}
  br label %end
end:
  ret void
}}
"""
    with llvm.create_context() as context, llvm.parse_assembly(ir, context) as module:
        cpu = f"sm_{capability[0]}{capability[1]}"
        machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
            cpu=cpu, features=f"+ptx{ptx_version[0]}{ptx_version[1]}", opt=2
        )
        return Kernels(machine.emit_assembly(module), (Kernel("kernel", 128, 128, 0, 0),))
