"""Introduces a bug of another system into a plan.

    real_bugs.py BUG PLAN.mlir     prints PLAN with the bug of that name

Bugs of streams and bytes are edits of a finished plan; bugs of the computation are edits at level
partitioned, where a program has neither.  real-bugs.test describes each system's bug.
"""
import re
import sys
from pathlib import Path

from plan_text import Plan


# Streams and bytes.

def waits_for_reductions(step):
    """Returns the waits of compute before it fills bytes that are being reduced."""
    clip = step.find(r"zero\.clip")
    return [i for i in step.waits("compute", "reduce") if i < clip - 1]


def deepspeed_5606(plan):
    """Compute does not wait for any reduction before it fills the bytes again."""
    step = plan["step"]
    for wait in reversed(waits_for_reductions(step)):
        step.drop(wait)


def deepspeed_5545(plan):
    """Of two alternating buffers, the second counts as free when the first is."""
    step = plan["step"]
    first, second = waits_for_reductions(step)
    step.replace(second, *step.operands(second), *step.operands(first))


def deepspeed_7188(plan):
    """Two successive buckets are packed into one buffer."""
    step = plan["step"]
    first, second = step.find(r"flatten .* into @b4 "), step.find(r"flatten .* into @b3 ")
    for at in second, step.definition(step.operands(second)[0]):
        step.place_at(at, step.place(first))


def deepspeed_7965(plan):
    """Compute reuses bytes that the stream of reductions still uses."""
    step = plan["step"]
    squares = step.find(r"sum_squares .* of @b4 ")
    later = step.find_all(r"nn\.matmul .*transpose_b", after=squares)[0]
    step.place_at(later, step.place(squares).split("+")[0] + "+ 256>")


def deepspeed_8061(plan):
    """A stream other than compute produces one of a bucket's gradients."""
    step = plan["step"]
    gradient = step.definition(step.operands(step.find(r"flatten .* into @b2 "))[0])
    step.replace(gradient, "zero.at", "zero.stream = #zero.stream<gather>, zero.at")
    step.insert(gradient, "%before = zero.record on compute", "zero.wait %before on gather")


def deepspeed_7898(plan):
    """A reduction waits for a stream other than the one that computes the gradient."""
    step = plan["step"]
    reduce = step.find(r"reduce_scatter .* of @b3 ")
    wait = max(i for i in step.waits("reduce", "compute") if i < reduce)
    step.replace(wait, *step.operands(wait), "%other")
    step.insert(wait, "%other = zero.record on gather")


def deepspeed_5216(plan):
    """A gather does not wait for the writers of its input."""
    step = plan["step"]
    step.drop(step.waits("gather", "compute")[0])


def pytorch_144535(plan):
    """Nothing waits for the last reduction of the step."""
    step = plan["step"]
    step.drop(step.find(r"zero\.clip") - 1)


def pytorch_64803(plan):
    """Rank 1 begins a reduction after a gather that follows it on other ranks."""
    step = plan.of_rank_one("step")
    reduce = step.find_all("reduce_scatter")[0]
    squares = step.find_all("sum_squares")[0]
    gather = step.find_all("all_gather", after=squares)[0]
    step.move(reduce, squares + 1, to=gather + 1)


def megatron_4609(plan):
    """Parameters are gathered into the bytes of accumulated gradients."""
    step = plan["step"]
    gather = step.find_all("all_gather")[-1]
    view = step.find(rf"zero\.view {step.result(gather)}\[")
    place = step.place_of_state("@b2", "grad").split("+")[0] + "+ 256>"
    for at in gather, view:
        step.place_at(at, place)


def deepspeed_8486(plan):
    """The backward pass treats a released parameter as gathered."""
    step = plan["step"]
    first, again = step.find_all("all_gather .* of @b2 ")
    view = step.find(rf"zero\.view {step.result(again)}\[")
    step.place_at(view, step.place(first))
    step.replace(view, step.result(again), step.result(first))
    step.drop(again)


def megatron_4910(plan):
    """Rank 1 is at a reduce_scatter where the other ranks are at an all_reduce."""
    step = plan.of_rank_one("step")
    loss = step.find(r"all_reduce .*f32>$")
    step.move(loss, loss + 1, to=step.find_all("reduce_scatter", after=loss)[0] + 1)


def nemo_rl_2225(plan):
    """Rank 1 never comes to a collective."""
    step = plan.of_rank_one("step")
    loss = step.find(r"all_reduce .*f32>$")
    own, = step.operands(loss)
    step.place_at(step.definition(own), step.place(loss))
    step.replace(step.find("^    zero.return"), step.result(loss), own)
    step.drop(loss)


# The computation.

def deepspeed_7985(plan):
    """The last gradient is added to the sum after the sum was reduced."""
    step = plan["step"]
    flat = step.find_all("flatten")[0]
    reduce = flat + 1
    total, mean = step.result(flat), step.result(reduce)
    for user in step.find_all(f"{mean}[ ,]", after=reduce):
        step.replace(user, mean, total)
    bucket = re.search(r"@\w+", step.lines[flat])[0]
    views = [i for i in step.find_all(rf"zero\.view .*\[{bucket},") if i < flat]
    older = step.operands(views[-1])[0]
    views = [i for i in views if step.operands(i)[0] == older]
    for view in views:
        step.replace(view, older, mean)
    step.replace(reduce, total, older)
    step.lines.insert(views[0], step.lines.pop(reduce))


def deepspeed_7839(plan):
    """A sum is not cleared at the end of a step."""
    step = plan["step"]
    clear = step.find(r"zero\.clear .* of @b1 ")
    step.replace(step.find("^    zero.return"), step.result(clear), *step.operands(clear))
    step.drop(clear)


def deepspeed_7718(plan):
    """The last micro-step begins its sum anew."""
    step = plan["step"]
    reduce = step.find(r"reduce_scatter .* of @b1 ")
    older = step.operands(reduce)[1]
    step.replace(reduce, f"into {older}", "into %none")
    step.insert(reduce, f"%none = zero.clear {older} of @b1 : !zero.shard<128 x f32 by 2>")


def deepspeed_7837(plan):
    """Gradients are divided by a loss scale that the loss never had."""
    for program in plan["micro"], plan["step"]:
        for reduce in program.find_all("reduce_scatter"):
            program.replace(reduce, "scale = 2.500000e-01", f"scale = {0.25 / 65536}")


def deepspeed_4321(plan):
    """A bucket is not reduced in one of the programs."""
    micro = plan["micro"]
    reduce = micro.find(r"reduce_scatter .* of @b1 ")
    micro.replace(micro.find("^    zero.return"), micro.result(reduce), micro.operands(reduce)[1])
    micro.drop(reduce)


def deepspeed_1021(plan):
    """The norm covers only the rank's own slices."""
    step = plan["step"]
    reduce = step.find(r"all_reduce .*f64>$")
    step.replace(step.find(r"zero\.clip"), step.result(reduce), *step.operands(reduce))
    step.drop(reduce)


def megatron_5956(plan):
    """The divisor of a bucket is less than the number of summed ranks."""
    for program in plan["micro"], plan["step"]:
        program.replace(program.find(r"reduce_scatter .* of @b1 "),
                        "scale = 2.500000e-01", "scale = 5.000000e-01")


def megatron_7227(plan):
    """The table counts twice in the norm, because it has two uses."""
    step = plan["step"]
    total = step.find(r"zero\.total")
    table, last = step.operands(total)[0], step.operands(total)[-1]
    step.replace(total, f"{table},", f"{table}, {table},")
    step.replace(total, f"{last} :", f"{last} : tensor<1xf64>,")


def megatron_7452(plan):
    """Each rank counts its own tokens."""
    count = plan["count"]
    reduce = count.find("all_reduce")
    count.replace(count.find("^    zero.return"), count.result(reduce), *count.operands(reduce))
    count.drop(reduce)


def deepspeed_5248(plan):
    """Gradients of ranks that share sequences are added and not divided by their number."""
    step = plan["step"]
    for reduce in step.find_all("reduce_scatter"):
        step.replace(reduce, "scale = 5.000000e-01", "scale = 1.000000e+00")


def deepspeed_8457(plan):
    """A rank takes the mean of the tokens of its part of a sequence."""
    step = plan["step"]
    count = step.find_all(r"all_reduce .*f32>$")[0]
    mean, (own,) = step.result(count), step.operands(count)
    for user in step.find_all(f"{mean}[,)]"):
        step.replace(user, mean, own)
    step.drop(count)


def veomni_1059(plan):
    """Ranks that share a sequence keep their own part's gradient of a bucket."""
    step = plan["step"]
    reduce = step.find(r"reduce_scatter .* of @b1 ")
    whole, (own,) = step.result(reduce), step.operands(reduce)
    for user in step.find_all(f"{whole} of", after=reduce):
        step.replace(user, whole, own)
    step.drop(reduce)


def veomni_420(plan):
    """A gradient of attention is used as it was before ranks have exchanged it."""
    step = plan["step"]
    exchange = step.find_all(r"all_to_all .*x1x6xf32>$", after=step.find("@attention_backward"))[0]
    sent, = step.operands(exchange)
    step.replace(step.find_all(f"{step.result(exchange)}[,) ]", after=exchange)[0], step.result(exchange), sent)
    step.drop(exchange)


def trl_6843(plan):
    """Attention of cut sequences is not kept within documents."""
    at = plan.rest.rindex(" = nn.attention ")
    line = plan.rest[at:plan.rest.index("\n", at)]
    plan.rest = plan.rest.replace(line, re.sub(r" from %\w+( .*), tensor<1x8xi32>", r"\1", line))


def deepspeed_8224(plan):
    """The gradient of a weight with two uses is only that of the second use."""
    for program in plan["micro"], plan["step"]:
        flat = program.find(r"flatten .* into @b0 ")
        both, = program.operands(flat)
        program.replace(flat, both, program.operands(program.definition(both))[-1])


def deepspeed_2343(plan):
    """Rank 1 packs two gradients of the same shape in the order of their computation."""
    step = plan.of_rank_one("step")
    flat = step.find(r"flatten .* into @b2 ")
    first, second = step.operands(flat)
    step.replace(flat, f"{first}, {second}", f"{second}, {first}")
    first, second = step.definition(first), step.definition(second)
    places = step.place(first), step.place(second)
    step.place_at(first, places[1])
    step.place_at(second, places[0])


def mlx_1413(plan):
    """Each micro-step divides by the mean of its own counts."""
    launch, reduce = plan["count"].lines[1:3]
    counted = plan["count"].result(1), plan["count"].result(2)
    for program in plan["micro"], plan["step"]:
        divisors = program.find_all(r"zero\.same")
        for at in divisors:
            program.replace(at, program.operands(at)[-1], "%mean")
        program.insert(divisors[0], launch.strip().replace(counted[0], "%own"),
                       reduce.strip().replace(counted[0], "%own").replace(counted[1], "%mean"))


def megatron_6500(plan):
    """The pieces of a table get each other's gradients."""
    for program in plan["micro"], plan["step"]:
        first, second = program.find_all(r"zero\.split")
        program.replace(first, "from 0", "from 8")
        program.replace(second, "from 8", "from 0")


_, bug, path = sys.argv
plan = Plan(Path(path).read_text())
globals()[bug.replace("-", "_")](plan)
print(plan, end="")
