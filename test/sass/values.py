"""On which bits of the thread's index (tid.x) a value depends, and so for which threads it is equal.

A set of such bits is an integer: {} is equal in the whole block, {4, 5, 6} in each half-warp, {5, 6} in each warp, and
{0, ...} in no group of threads.  A value is one set, or a tuple of sets, one for each of its 32 bits, which tells
`tid & 16` (bit 4 alone) from `tid & 15`.  Only masks, shifts and copies keep that.

A set may also have a fact, from bit 10 on: what the bit of the value is in each thread, such as 0 or bit 3 of tid.x.
"""
import functools

BITS = (1 << 10) - 1
ZERO = 1 << 10
ONE = 2 << 10
LANE = 0b11111
HALF_WARP = 0b01111


def fact(one):
    return one & ~BITS


def index_bit(n, opposite=False):
    """Bit n of tid.x, or its opposite."""
    return 1 << n | 3 + 2 * n + opposite << 10


def thread_index(all_bits):
    """tid.x, in which only `all_bits` may be set."""
    return tuple(index_bit(i) if all_bits >> i & 1 else ZERO for i in range(32))


@functools.lru_cache(maxsize=None)
def constant(number):
    return pack(ONE if number >> i & 1 else ZERO for i in range(32))


def flat(value):
    """All bits on which any bit of `value` depends."""
    if isinstance(value, int):
        return value & BITS
    result = 0
    for each in value:
        result |= each
    return result & BITS


def each_bit(value):
    return (value,) * 32 if isinstance(value, int) else value


def pack(sets):
    """One set if all are equal."""
    sets = tuple(sets)
    return sets[0] if len(set(sets)) == 1 else sets


def either(a, b):
    """One of two values, we do not know which.  A thread knows it by the branches that decide (`decided`)."""
    if a == b:
        return a
    if isinstance(a, int) and isinstance(b, int):
        return a | b if fact(a) == fact(b) else (a | b) & BITS
    return pack(x | y if fact(x) == fact(y) else (x | y) & BITS for x, y in zip(each_bit(a), each_bit(b)))


def decided(value, by):
    """`value`, if it depends on the set `by` whether it is written.  A fact stays true where it is written."""
    if not by or isinstance(value, int):
        return value | by if by else value
    return pack(x | by for x in value)


def shift(value, count):
    """`value` << `count`."""
    return pack((ZERO,) * count + each_bit(value)[:32 - count])


def funnel(opcode, low, count, high):
    """SHF: bits of the pair (high, low), shifted."""
    pair = each_bit(low) + each_bit(high)
    if ".L" in opcode:
        moved = (ZERO,) * count + pair[:64 - count]
    else:
        moved = pair[count:] + (pair[-1] if ".S" in opcode else ZERO,) * count
    return pack(moved[32:] if ".HI" in opcode else moved[:32])


def logic(operands, table):
    """LOP3 of three values: for each bit, what the table's result depends on."""
    return pack(logic_of_bit([each_bit(value)[i] for value in operands], table) for i in range(32))


def logic_of_bit(operands, table):
    """The table has the result for the operands' bits a, b, c in its bit 4a + 2b + c."""
    places = (4, 2, 1)
    known = sum(place for place, one in zip(places, operands) if fact(one) == ONE)
    free = {place: one for place, one in zip(places, operands) if fact(one) not in (ZERO, ONE)}
    rows = [known]
    for place in free:
        rows += [row + place for row in rows]
    used = [place for place in free
            if any((table >> row ^ table >> row + place) & 1 for row in rows if not row & place)]
    if not used:
        return ONE if table >> known & 1 else ZERO
    if len(used) > 1:
        return flat(tuple(free[place] for place in used))
    one = free[used[0]]
    if not fact(one) or table >> known + used[0] & 1:
        return one
    kind = (one >> 10) - 3
    return one & BITS | fact(index_bit(kind // 2, not kind % 2))


def is_symmetric(table, a, b):
    """Whether the operands at two places, such as 4 and 1, may be exchanged."""
    return all((table >> row ^ table >> (row ^ a ^ b)) & 1 == 0 for row in range(8) if bool(row & a) != bool(row & b))


def permute(low, selector, high):
    """PRMT: bytes of two words; a selector with bit 3 repeats the sign of its byte."""
    pair, result = each_bit(low) + each_bit(high), ()
    for place in range(4):
        chosen = selector >> 4 * place & 15
        byte = pair[8 * (chosen & 7):8 * (chosen & 7) + 8]
        result += byte[7:] * 8 if chosen & 8 else byte
    return pack(result)


def comparison(opcode, value, number):
    """The set of `value` < `number` and the like: of no bits below those of a multiple of a power of 2."""
    limit = number + (".GT" in opcode or ".LE" in opcode) & 0xffffffff
    if limit == 0:  # the sign decides
        return 0 if ".U32" in opcode else each_bit(value)[31] & BITS
    return flat(each_bit(value)[(limit & -limit).bit_length() - 1:])


def flipped_bit(lane):
    """The n for which `lane` is this thread's lane with bit n flipped, or None."""
    facts = [fact(one) for one in each_bit(lane)[:5]]
    flipped = [i for i in range(5) if facts[i] != fact(index_bit(i))]
    return flipped[0] if len(flipped) == 1 and facts[flipped[0]] == fact(index_bit(flipped[0], True)) else None
