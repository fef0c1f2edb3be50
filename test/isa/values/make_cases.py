#!/usr/bin/env python3
"""Reference tables for the values of PTX instructions, written from the page alone.

Usage: make_cases.py [DIR]   writes DIR/integer-cases.txt and, with make_float_cases.py, DIR/float-cases.txt
(default: this directory).
A form is: instruction text, input types, output declarations, a function from input bits to output bits
(None: the page leaves the case open, it is left out).
"""
import os
import random
import sys

RND = random.Random(20240607)
OUT = []                 # lines of the file being made
COUNTS = {}              # family -> number of cases
FAMILY = ''


def family(name):
    global FAMILY
    FAMILY = name
    COUNTS[name] = 0
    OUT.append(f'# family {name}')


# ------------------------------------------------------------------------------------------- bits and inputs
def mask(n):
    return (1 << n) - 1


def u(x, n):
    return x & mask(n)


def s(x, n):
    x &= mask(n)
    return x - (1 << n) if x >> (n - 1) else x


def rd(t, x):
    """Value of the register bits x read as type t, for example 's32' or 'u16' ('b' reads as unsigned)."""
    n = int(t[1:])
    return s(x, n) if t[0] == 's' else u(x, n)


def clamp(x, t):
    n = int(t[1:])
    lo, hi = (-(1 << (n - 1)), mask(n - 1)) if t[0] == 's' else (0, mask(n))
    return max(lo, min(hi, x))


def halves(x):
    return x & 0xffff, x >> 16 & 0xffff


def join(lo, hi):
    return (lo & 0xffff) | (hi & 0xffff) << 16


def corners(n):
    base = [0, 1, 2, 3, -1, -2, 1 << (n - 1), (1 << (n - 1)) + 1, mask(n - 1), mask(n - 1) - 1, n - 1, n, n + 1,
            127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, -128, -129, -256, -32768, -32769, 0x55 * (mask(n) // 255),
            0xaa * (mask(n) // 255), 1 << (n // 2), (1 << (n // 2)) - 1, mask(n) << (n // 2)]
    if n > 32:
        base += [0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, -0x80000000, -0x80000001]
    if n == 32:
        base += [0x7fffff, 0x800000, 0xffffff, 0x1000000, 0xff800000, 0x80808080, 0x7f7f7f7f, 0x01020304]
    return [x & mask(n) for x in base]


AMOUNTS = [0, 1, 2, 4, 7, 8, 9, 15, 16, 17, 23, 24, 30, 31, 32, 33, 47, 48, 62, 63, 64, 65, 127, 128, 255, 256, 257,
           264, 287, 288, 0x10001, 0x80000000, 0x80000001, 0xffffffff, 0xffffff00, 0xfffffff8, 0x100, 0x7fffffff]


def pick(kind):
    """One input value; kind is a register type, 'x2' (packed halves), 'amt', 'sml' or a list of values."""
    if isinstance(kind, (list, tuple, range)):
        return RND.choice(kind)
    if callable(kind):
        return kind()
    if kind == 'amt':
        return RND.choice(AMOUNTS) if RND.random() < .6 else RND.choice([RND.randrange(70), RND.getrandbits(32)])
    if kind == 'x2':
        return join(pick('b16'), pick('b16'))
    if kind == 'pred':
        return RND.getrandbits(1)
    n = int(kind[1:])
    r = RND.random()
    if r < .55:
        return RND.choice(corners(n))
    if r < .65:
        return u(RND.choice(corners(n)) + RND.randint(-3, 3), n)
    if r < .85:
        return RND.getrandbits(n)
    return u(RND.choice([1, -1]) * RND.getrandbits(RND.randint(1, n)), n)


def form(instr, ins, outs, fn, kinds=None, n=24, make=None, first=()):
    """Writes one form and n different cases; make() gives a whole input tuple, else kinds one by one.
    The inputs in first come before these."""
    types = ins.split()
    decl = ' '.join(f'{v}:{t}' for v, t in zip('abcd', types))
    ws = [{'pred': 1}.get(t) or int(t[1:]) for t in types]
    lines, seen, tries = [], set(), 0
    while len(lines) < n and tries < 40 * n:
        tries += 1
        args = tuple(make()) if make else tuple(pick(k) for k in (kinds or types))
        args = first[tries - 1] if tries <= len(first) else args
        args = tuple(u(x, w) for x, w in zip(args, ws))
        if args in seen:
            continue
        seen.add(args)
        res = fn(*args)
        if res is None:
            continue
        res = res if isinstance(res, tuple) else (res,)
        rts = [d.split(':')[1] for d in outs.split()]
        assert len(res) == len(rts), instr
        res = [u(int(x), 1 if t == 'pred' else int(t[1:])) for x, t in zip(res, rts)]
        lines.append(','.join(f'{x:x}' for x in args) + ' -> ' + ','.join(f'{x:x}' for x in res))
    if not lines:                                          # all of it is open
        return
    OUT.append(f'= {instr} | {decl} -> {outs}')
    OUT.extend(lines)
    COUNTS[FAMILY] += len(lines)


INTS = ['u16', 's16', 'u32', 's32', 'u64', 's64']


def reg(t):
    return 'b' + t[1:]


def simple(op, types, fn, arity=2, n=24, kinds=None):
    """Forms op.T with all operands of type T; fn gets the values read as T."""
    for t in types:
        args = ', '.join('%' + v for v in 'abcd'[:arity])
        k = kinds and [reg(t) if x is None else x for x in kinds]
        form(f'{op}.{t} %r, {args};', ' '.join([reg(t)] * arity), f'r:{reg(t)}',
             lambda *v, t=t: fn(t, *[rd(t, x) for x in v]), kinds=k, n=n)


def packed(fn, t):
    """Applies fn to the halves, read as t."""
    return lambda *v: join(fn(*[rd(t, x & 0xffff) for x in v]), fn(*[rd(t, x >> 16) for x in v]))


# ------------------------------------------------------------------------------------------- integer families
def arithmetic():
    family('add')
    simple('add', INTS, lambda t, a, b: a + b, n=30)
    for t in ('u16', 's16'):
        form(f'add.{t}x2 %r, %a, %b;', 'b32 b32', 'r:b32', packed(lambda a, b: a + b, t), kinds=['x2', 'x2'], n=30)
    simple('add.sat', ['s32'], lambda t, a, b: clamp(a + b, t), n=50)
    family('sub')
    simple('sub', INTS, lambda t, a, b: a - b, n=30)
    simple('sub.sat', ['s32'], lambda t, a, b: clamp(a - b, t), n=50)
    family('mul')
    simple('mul.lo', INTS, lambda t, a, b: a * b)
    simple('mul.hi', INTS, lambda t, a, b: a * b >> int(t[1:]))
    wide('mul.wide', 2)
    family('mad')
    simple('mad.lo', INTS, lambda t, a, b, c: a * b + c, 3)
    simple('mad.hi', INTS, lambda t, a, b, c: (a * b >> int(t[1:])) + c, 3)
    simple('mad.hi.sat', ['s32'], lambda t, a, b, c: clamp((a * b >> 32) + c, t), 3, n=60)
    wide('mad.wide', 3)
    family('mul24/mad24')
    for t in ('u32', 's32'):
        def prod(a, b, t=t):
            return rd(t[0] + '24', a) * rd(t[0] + '24', b)
        form(f'mul24.lo.{t} %r, %a, %b;', 'b32 b32', 'r:b32', lambda a, b, p=prod: p(a, b), n=40)
        form(f'mul24.hi.{t} %r, %a, %b;', 'b32 b32', 'r:b32', lambda a, b, p=prod: p(a, b) >> 16, n=40)
        form(f'mad24.lo.{t} %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', lambda a, b, c, p=prod: p(a, b) + c, n=30)
        form(f'mad24.hi.{t} %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', lambda a, b, c, p=prod: (p(a, b) >> 16) + c, n=30)
    form('mad24.hi.sat.s32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', n=60,
         kinds=['b32', 'b32', lambda: pick([pick('b32'), pick([1, -1]) * (0x7fffffff - RND.getrandbits(30))])],
         # t<47..16> of the 48-bit product as a signed 32-bit number, then the sum is clamped
         fn=lambda a, b, c, p=prod: clamp(s(p(a, b) >> 16, 32) + s(c, 32), 's32'))

    def quotient(a, b):
        q = abs(a) // abs(b)
        return q if (a < 0) == (b < 0) else -q
    extreme = {t: [(1 << (int(t[1:]) - 1), mask(int(t[1:]))), (mask(int(t[1:])), 1 << (int(t[1:]) - 1))] for t in INTS}
    for op, fn in (('div', lambda a, b: quotient(a, b)), ('rem', lambda a, b: a - b * quotient(a, b))):
        family(op)
        for t in INTS:
            pairs = iter(extreme[t] + [(pick(reg(t)), pick(reg(t))) for _ in range(2000)])
            form(f'{op}.{t} %r, %a, %b;', f'{reg(t)} {reg(t)}', f'r:{reg(t)}', n=50, make=lambda p=pairs: next(p),
                 fn=lambda a, b, t=t, fn=fn: fn(rd(t, a), rd(t, b)) if b else None)
    family('abs/neg')
    simple('abs', INTS[1::2], lambda t, a: abs(a), 1, n=50)
    simple('neg', INTS[1::2], lambda t, a: -a, 1, n=50)
    family('sad')
    simple('sad', INTS, lambda t, a, b, c: c + abs(a - b), 3, n=40)
    family('min/max')
    for op, f in (('min', min), ('max', max)):
        simple(op, INTS, lambda t, a, b, f=f: f(a, b), n=20)
        simple(op + '.relu', ['s32'], lambda t, a, b, f=f: max(f(a, b), 0))
        for t in ('u16', 's16'):
            form(f'{op}.{t}x2 %r, %a, %b;', 'b32 b32', 'r:b32', packed(f, t), kinds=['x2', 'x2'])
        form(f'{op}.relu.s16x2 %r, %a, %b;', 'b32 b32', 'r:b32', packed(lambda a, b, f=f: max(f(a, b), 0), 's16'),
             kinds=['x2', 'x2'])


def wide(op, arity):
    for t in ('u16', 's16', 'u32', 's32'):
        n = int(t[1:])
        w = t[0] + str(2 * n)
        args = '%a, %b' if arity == 2 else '%a, %b, %c'
        form(f'{op}.{t} %r, {args};', ' '.join([reg(t)] * 2 + [reg(w)] * (arity - 2)), f'r:{reg(w)}',
             lambda a, b, c=0, t=t: rd(t, a) * rd(t, b) + c)


def bits():
    def sparse(n):
        return lambda: RND.choice([pick(f'b{n}'), 1 << RND.randrange(n), mask(n) >> RND.randrange(n),
                                   mask(n) ^ (1 << RND.randrange(n))])
    family('popc/clz/bfind/brev')
    for n in (32, 64):
        def top(a, t):
            a = rd(t, a)
            return (~a if a < 0 else a).bit_length() - 1        # -1: none, which is 0xffffffff
        form(f'popc.b{n} %r, %a;', f'b{n}', 'r:b32', lambda a: bin(a).count('1'), kinds=[sparse(n)], n=30)
        form(f'clz.b{n} %r, %a;', f'b{n}', 'r:b32', lambda a, n=n: n - a.bit_length(), kinds=[sparse(n)], n=40)
        form(f'brev.b{n} %r, %a;', f'b{n}', f'r:b{n}', lambda a, n=n: int(f'{a:0{n}b}'[::-1], 2), n=30,
             kinds=[sparse(n)])
        for t in (f'u{n}', f's{n}'):
            form(f'bfind.{t} %r, %a;', f'b{n}', 'r:b32', lambda a, t=t: top(a, t), kinds=[sparse(n)], n=40)
            form(f'bfind.shiftamt.{t} %r, %a;', f'b{n}', 'r:b32', kinds=[sparse(n)], n=40,
                 fn=lambda a, t=t, n=n: -1 if top(a, t) < 0 else n - 1 - top(a, t))
    family('fns')

    def fns(m, base, off):
        off = s(off, 32)
        if base > 31:
            return None
        if off == 0:
            return base if m >> base & 1 else -1
        places = range(base, 32) if off > 0 else range(base, -1, -1)
        found = [i for i in places if m >> i & 1]
        return found[abs(off) - 1] if abs(off) <= len(found) else -1
    offs = [0, 1, -1, 2, -2, 3, -3, 5, -7, 16, -16, 31, -31, 32, -32, 33, -33, 0x7fffffff, -0x80000000, 256, -255]
    form('fns.b32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', fns, kinds=[sparse(32), range(32), offs], n=200)
    for base, off in ((0, 1), (0, 3), (31, -1), (31, -2), (16, 0), (7, 4), (20, -3)):
        form(f'fns.b32 %r, %a, {base}, {off};', 'b32', 'r:b32', lambda m, b=base, o=off: fns(m, b, o), n=12)
    family('bfe')
    for t in ('u32', 's32', 'u64', 's64'):
        def bfe(a, b, c, t=t):
            n, pos, length = int(t[1:]), b & 255, c & 255
            fill = 0 if t[0] == 'u' or length == 0 else a >> min(pos + length - 1, n - 1) & 1
            return sum((a >> (pos + i) & 1 if i < length and pos + i < n else fill) << i for i in range(n))
        form(f'bfe.{t} %r, %a, %b, %c;', f'{reg(t)} b32 b32', f'r:{reg(t)}', bfe, kinds=[reg(t), 'amt', 'amt'], n=120)
    family('bfi')
    for n in (32, 64):
        def bfi(a, b, c, d, n=n):
            field = sum(1 << (c & 255) + i for i in range(d & 255)) & mask(n)
            return (b & ~field) | (a << (c & 255) & field)
        form(f'bfi.b{n} %r, %a, %b, %c, %d;', f'b{n} b{n} b32 b32', f'r:b{n}', bfi, n=150,
             kinds=[f'b{n}', f'b{n}', 'amt', 'amt'])
    family('szext')
    for mode in ('clamp', 'wrap'):
        for t in ('u32', 's32'):
            def szext(a, b, mode=mode, t=t):
                k = b & 31 if mode == 'wrap' else min(b, 32)
                return rd(t[0] + str(k), a) if k else 0
            form(f'szext.{mode}.{t} %r, %a, %b;', 'b32 b32', 'r:b32', szext, kinds=['b32', 'amt'], n=70)
    family('bmsk')
    for mode in ('clamp', 'wrap'):
        def bmsk(a, b, mode=mode):
            pos, width = (a & 31, b & 31) if mode == 'wrap' else (min(a, 32), min(b, 32))
            return mask(width) << pos
        form(f'bmsk.{mode}.b32 %r, %a, %b;', 'b32 b32', 'r:b32', bmsk, kinds=['amt', 'amt'], n=120)
    family('dp4a')
    octets = lambda: RND.choice([pick('b32'), sum(RND.choice([0, 1, 127, 128, 129, 255]) << 8 * i for i in range(4))])
    for x in 'us':
        for y in 'us':
            form(f'dp4a.{x}32.{y}32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', kinds=[octets, octets, 'b32'], n=60,
                 fn=lambda a, b, c, x=x, y=y: c + sum(rd(f'{x}8', a >> 8 * i) * rd(f'{y}8', b >> 8 * i)
                                                      for i in range(4)))
    family('dp2a')
    for x in 'us':
        for y in 'us':
            for part, k in (('lo', 0), ('hi', 2)):
                form(f'dp2a.{part}.{x}32.{y}32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', n=40,
                     kinds=['x2', octets, 'b32'],
                     fn=lambda a, b, c, x=x, y=y, k=k: c + sum(rd(f'{x}16', a >> 16 * i) * rd(f'{y}8', b >> 8 * (k + i))
                                                               for i in range(2)))
    family('shl/shr')
    for n in (16, 32, 64):
        form(f'shl.b{n} %r, %a, %b;', f'b{n} b32', f'r:b{n}', lambda a, b: a << min(b, 64), n=40,
             kinds=[f'b{n}', 'amt'])
        for t in 'bus':
            form(f'shr.{t}{n} %r, %a, %b;', f'b{n} b32', f'r:b{n}', lambda a, b, t=f'{t}{n}': rd(t, a) >> min(b, 64),
                 kinds=[f'b{n}', 'amt'], n=40)
    family('shf')
    for mode in ('clamp', 'wrap'):
        for way in 'lr':
            def shf(a, b, c, mode=mode, way=way):
                m, v = min(c, 32) if mode == 'clamp' else c & 31, b << 32 | a
                return v << m >> 32 if way == 'l' else v >> m
            form(f'shf.{way}.{mode}.b32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', shf, n=60,
                 kinds=['b32', 'b32', 'amt'])


def logic():
    def lop3(a, b, c, table):
        return sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32))
    family('lop3')
    for L in (0, 0xff, 0xf0, 0xcc, 0xaa, 0x80, 0xfe, 0x96, 0xca, 0xe8, 0x01, 0x3c, 0x1b, 0xd2, 0x40):
        form(f'lop3.b32 %r, %a, %b, %c, 0x{L:02x};', 'b32 b32 b32', 'r:b32', n=14,
             fn=lambda a, b, c, L=L: lop3(a, b, c, L))
    zeros = [0, 0, mask(32), 0x55555555, 0xaaaaaaaa, 1, 0x80000000]
    for L in (0xc0, 0x80, 0x96, 0xe2, 0):
        for op in ('or', 'and'):
            def fn(a, b, c, q, L=L, op=op):
                d = lop3(a, b, c, L)
                return d, (d != 0 or q == 1) if op == 'or' else (d != 0 and q == 1)
            k = [zeros, zeros, 'b32', 'pred']
            form(f'lop3.{op}.b32 %r|%p, %a, %b, %c, 0x{L:02x}, %d;', 'b32 b32 b32 pred', 'r:b32 p:pred', fn, k, 12)
            form(f'lop3.{op}.b32 _|%p, %a, %b, %c, 0x{L:02x}, %d;', 'b32 b32 b32 pred', 'p:pred',
                 lambda *v, f=fn: f(*v)[1], k, 6)
        form(f'lop3.or.b32 %r|%p, %a, %b, %c, 0x{L:02x}, !%d;', 'b32 b32 b32 pred', 'r:b32 p:pred', n=8, kinds=k,
             fn=lambda a, b, c, q, L=L: (lop3(a, b, c, L), lop3(a, b, c, L) != 0 or q == 0))
    family('and/or/xor/not/cnot')
    for n in (16, 32, 64):
        simple('and', [f'b{n}'], lambda t, a, b: a & b, n=20)
        simple('or', [f'b{n}'], lambda t, a, b: a | b, n=20)
        simple('xor', [f'b{n}'], lambda t, a, b: a ^ b, n=20)
        simple('not', [f'b{n}'], lambda t, a: ~a, 1, n=16)
        form(f'cnot.b{n} %r, %a;', f'b{n}', f'r:b{n}', lambda a: a == 0, n=16)
    for op, f in (('and', lambda a, b: a & b), ('or', lambda a, b: a | b), ('xor', lambda a, b: a ^ b)):
        form(f'{op}.pred %p, %a, %b;', 'pred pred', 'p:pred', f, n=4)
    form('not.pred %p, %a;', 'pred', 'p:pred', lambda a: 1 - a, n=2)
    family('slct')
    data = ['b16', 'u16', 's16', 'b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64']
    for t in data:
        k = t if t[0] == 'f' else reg(t)
        form(f'slct.{t}.s32 %r, %a, %b, %c;', f'{k} {k} b32', f'r:{k}', n=24,
             fn=lambda a, b, c: a if s(c, 32) >= 0 else b)
    family('selp')
    for t in data:
        k = t if t[0] == 'f' else reg(t)
        form(f'selp.{t} %r, %a, %b, %c;', f'{k} {k} pred', f'r:{k}', lambda a, b, c: a if c else b, n=20)
    family('prmt')
    def prmt(a, b, c):
        v, r = b << 32 | a, 0
        for i in range(4):
            nib = c >> 4 * i & 15
            byte = v >> 8 * (nib & 7) & 255
            r |= (255 * (byte >> 7) if nib & 8 else byte) << 8 * i
        return r
    form('prmt.b32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', prmt, n=120)
    for sel in (0x3210, 0x5410, 0x7632, 0x0123, 0xba98, 0xfedc, 0x4321, 0xc480):
        form(f'prmt.b32 %r, %a, %b, 0x{sel:x};', 'b32 b32', 'r:b32', lambda a, b, c=sel: prmt(a, b, c), n=8)
    modes = {'f4e': '3210 4321 5432 6543', 'b4e': '5670 6701 7012 0123', 'rc8': '0000 1111 2222 3333',
             'ecl': '3210 3211 3222 3333', 'ecr': '0000 1110 2210 3210', 'rc16': '1010 3232 1010 3232'}
    for mode, table in modes.items():
        form(f'prmt.b32.{mode} %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', kinds=['b32', 'b32', 'amt'], n=24,
             fn=lambda a, b, c, table=table.split(): prmt(a, b, int(table[c & 3], 16)))


COMPARE = {'eq': lambda a, b: a == b, 'ne': lambda a, b: a != b, 'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b,
           'gt': lambda a, b: a > b, 'ge': lambda a, b: a >= b}
COMPARE.update(lo=COMPARE['lt'], ls=COMPARE['le'], hi=COMPARE['gt'], hs=COMPARE['ge'])
BOOL = {'and': lambda t, c: t and c, 'or': lambda t, c: t or c, 'xor': lambda t, c: t != c}


def comparisons(types, compare, near):
    """(type, comparison name, function on register bits, register type, input tuple maker) of all comparisons."""
    for t in types:
        names = [x for x in COMPARE if x in ('eq', 'ne') or t[0] == 'u' or t[0] == 's' and len(x) == 2 and x[0] in 'lg']
        for x in names:
            if not (t[0] == 's' and x in ('lo', 'ls')):
                yield t, x, (lambda a, b, t=t, x=x: compare(t, x, a, b)), reg(t), near(t)


def set_and_setp():
    def near(t):                                       # pairs that are equal or nearly equal fairly often
        def make():
            a = pick(reg(t))
            return a, RND.choice([pick(reg(t)), pick(reg(t)), a, a + 1, a - 1]), RND.getrandbits(1)
        return make
    types = ['b16', 'b32', 'b64'] + INTS
    every = list(comparisons(types, lambda t, x, a, b: COMPARE[x](rd(t, a), rd(t, b)), near))
    family('set')
    emit_set(every, ('u32', 's32', 'f32'), 6)
    family('setp')
    emit_setp(every, 8)


def emit_set(every, dests, n, mod=''):
    for k, (t, x, f, r, make) in enumerate(every):
        for d in dests:
            one = 0x3f800000 if d == 'f32' else mask(32)
            dr = 'f32' if d == 'f32' else 'b32'
            form(f'set.{x}{mod}.{d}.{t} %r, %a, %b;', f'{r} {r}', f'r:{dr}', n=n, make=make,
                 fn=lambda a, b, one=one, f=f: one if f(a, b) else 0)
        d = dests[k % len(dests)]                      # combinations: op, destination, negation vary along the list
        one, dr = (0x3f800000, 'f32') if d == 'f32' else (mask(32), 'b32')
        for j, op in enumerate(BOOL):
            neg = (j + k) % 2
            form(f'set.{x}.{op}{mod}.{d}.{t} %r, %a, %b, {"!" * neg}%c;', f'{r} {r} pred', f'r:{dr}', n=n, make=make,
                 fn=lambda a, b, c, one=one, op=op, neg=neg, f=f: one if BOOL[op](f(a, b), bool(c ^ neg)) else 0)


def emit_setp(every, n, mod='', pair=True):
    for k, (t, x, f, r, make) in enumerate(every):
        form(f'setp.{x}{mod}.{t} %p, %a, %b;', f'{r} {r}', 'p:pred', lambda a, b, f=f: f(a, b), n=n, make=make)
        out = '%p|%q' if pair else '%p'
        both = (lambda p, q: (p, q)) if pair else lambda p, q: p        # p = cmp op c, q = !cmp op c
        if pair:
            form(f'setp.{x}{mod}.{t} %p|%q, %a, %b;', f'{r} {r}', 'p:pred q:pred', n=n, make=make,
                 fn=lambda a, b, f=f: (f(a, b), not f(a, b)))
        op = list(BOOL)[k % 3]
        for neg in (0, 1):
            form(f'setp.{x}.{op}{mod}.{t} {out}, %a, %b, {"!" * neg}%c;', f'{r} {r} pred', n=n, make=make,
                 outs='p:pred q:pred' if pair else 'p:pred',
                 fn=lambda a, b, c, op=op, neg=neg, f=f, both=both: both(BOOL[op](f(a, b), bool(c ^ neg)),
                                                                        BOOL[op](not f(a, b), bool(c ^ neg))))


def conversions():
    def edge(n):                                       # near the borders of n bits, with and without a sign
        return pick([0, -1, 1 << n, 1 << (n - 1), -(1 << (n - 1)), RND.getrandbits(n - 1)]) + RND.randint(-2, 2)
    types = ['u8', 's8'] + INTS
    family('cvt integer')
    for d in types:
        for t in types:
            dn, tn = int(d[1:]), int(t[1:])
            for sat in ('', '.sat'):
                if sat and all(clamp(v, d) == v for v in (clamp(-1 << 99, t), clamp(1 << 99, t))):
                    continue                           # ptxas refuses .sat where D holds every value of S
                dregs = [w for w in (16, 32, 64) if w >= dn][:2]
                sregs = [w for w in (16, 32, 64) if w >= tn][:2]
                for k in range(2):                     # natural registers, then wider ones
                    dw, sw = dregs[k % len(dregs)], sregs[k % len(sregs)]

                    def cvt(a, d=d, t=t, sat=sat):     # K7: the source is truncated, rd() of the destination extends
                        v = rd(t, a)
                        return rd(d, clamp(v, d) if sat else v)
                    form(f'cvt{sat}.{d}.{t} %r, %a;', f'b{sw}', f'r:b{dw}', cvt, n=12,
                         kinds=[lambda b=f'b{sw}', d=dn, t=tn: pick([pick(b), edge(min(d, t)), edge(d), edge(t),
                                                                     edge(d) & mask(t) | pick(b) << t])])


def moves():
    family('mov pack/unpack')
    def pack(w):
        return lambda *v: sum(x << w * i for i, x in enumerate(v))

    def unpack(w, k):
        return lambda x: tuple(x >> w * i & mask(w) for i in range(k))
    form('mov.b32 %r, {%a, %b};', 'b16 b16', 'r:b32', pack(16), n=30)
    form('mov.b64 %r, {%a, %b};', 'b32 b32', 'r:b64', pack(32), n=30)
    form('mov.b64 %r, {%a, %b, %c, %d};', 'b16 b16 b16 b16', 'r:b64', pack(16), n=30)
    form('mov.b64 %r, {%a, %b};', 'f32 f32', 'r:b64', pack(32), n=20)
    form('mov.b32 {%r, %s}, %a;', 'b32', 'r:b16 s:b16', unpack(16, 2), n=30)
    form('mov.b64 {%r, %s}, %a;', 'b64', 'r:b32 s:b32', unpack(32, 2), n=30)
    form('mov.b64 {%r, %s, %p, %q}, %a;', 'b64', 'r:b16 s:b16 p:b16 q:b16', unpack(16, 4), n=30)
    form('mov.b64 {%r, %s}, %a;', 'b64', 'r:f32 s:f32', unpack(32, 2), n=20)
    form('mov.b32 {_, %s}, %a;', 'b32', 's:b16', lambda x: x >> 16, n=12)
    form('mov.b64 {%r, _}, %a;', 'b64', 'r:b32', lambda x: x, n=12)
    form('mov.b64 {_, %s, _, %q}, %a;', 'b64', 's:b16 q:b16', lambda x: (x >> 16, x >> 48), n=12)


def chain(code, n):
    """Function that runs a carry chain: each instruction is `op d, x, y{, z};`, CC.CF is the last flag."""
    steps = []
    for ins in code.split(';'):
        if ins.strip():
            op, rest = ins.split(None, 1)
            steps.append((op.split('.'), [x.strip() for x in rest.split(',')]))

    def run(*args):
        regs, cf, outs = dict(zip(['%a', '%b', '%c', '%d'], args)), None, []
        for op, (dst, *src) in steps:
            signed = op[-1][0] == 's'
            v = [regs[x] if x in regs else u(int(x), n) for x in src]
            if op[0] in ('mad', 'madc'):
                p = (s(v[0], n) * s(v[1], n)) if signed else v[0] * v[1]
                v = [u(p >> n if 'hi' in op else p, n), v[2]]
            carry_in = cf if op[0].endswith('c') and op[0] != 'sub' else 0
            assert carry_in is not None
            r = v[0] - v[1] - carry_in if op[0] in ('sub', 'subc') else v[0] + v[1] + carry_in
            if 'cc' in op:
                cf = int(r < 0 or r > mask(n))
            regs[dst] = u(r, n)
            outs.append(regs[dst])
        return tuple(outs)
    return run


def carries():
    family('carry')
    chains = ['add.cc.T %r, %a, %b; addc.T %s, %c, %d;', 'add.cc.T %r, %a, %b; addc.cc.T %s, %c, %d; addc.T %p, 0, 0;',
              'add.cc.T %r, %a, %b; addc.T %s, 0, 0;', 'sub.cc.T %r, %a, %b; subc.T %s, %c, %d;',
              'sub.cc.T %r, %a, %b; subc.cc.T %s, %c, %d; subc.T %p, 0, 0;', 'sub.cc.T %r, %a, %b; subc.T %s, 0, 0;',
              'mad.lo.cc.T %r, %a, %b, %c; madc.hi.T %s, %a, %b, %d;', 'mad.lo.cc.T %r, %a, %b, %c; addc.T %s, 0, 0;',
              'mad.lo.cc.T %r, %a, %b, %c; madc.hi.cc.T %s, %a, %b, %d; addc.T %p, 0, 0;',
              'mad.hi.cc.T %r, %a, %b, %c; madc.lo.cc.T %s, %a, %b, %d; addc.T %p, 0, 0;',
              'mad.hi.cc.T %r, %a, %b, %c; madc.lo.T %s, %a, %b, %d;',
              'mad.hi.cc.T %r, %a, %b, %c; addc.cc.T %s, %c, %d; addc.T %p, 0, 0;',
              'add.cc.T %r, %a, %b; madc.lo.cc.T %s, %a, %c, %d; madc.hi.cc.T %p, %a, %c, %d; addc.T %q, 0, 0;']
    for t in INTS[2:]:
        for c in chains:
            code, r = c.replace('T ', t + ' '), reg(t)
            k = 4 if '%d' in c else 3 if '%c' in c else 2
            outs = [x.split()[1][1] for x in code.split(';') if x.strip()]
            form(code, ' '.join([r] * k), ' '.join(f'{o}:{r}' for o in outs), chain(code, int(t[1:])), n=14)

# ------------------------------------------------------------------------------------------- video instructions
COMPARE_VIDEO = ('eq', 'ne', 'lt', 'le', 'gt', 'ge')


def piece(x, t, selector):
    """The byte or half-word of a register that .b0 … .b3, .h0, .h1 mean, extended by its type; all of it without."""
    if not selector:
        return rd(t[0] + '32', x)
    n = 8 if selector[0] == 'b' else 16
    return rd(f'{t[0]}{n}', x >> n * int(selector[1]))


def scalar_end(tmp, dtype, sat, dsel, op2, c, whole=False):
    """optSaturate, optSecOp and optMerge of the page; None where a number of more than 32 bits is compared, and where
    an H200 was seen to do otherwise: in what is merged elsewhere than at bit 0, in sums of whole .u32 (whole) that are
    clamped, and where a .u32 of 2^31 or more is compared."""
    n = 32 if not dsel else 8 if dsel[0] == 'b' else 16
    if dsel and (sat or dsel[1] != '0'):
        return None
    if sat:
        if whole and clamp(tmp, dtype) != tmp:
            return None
        tmp = clamp(tmp, f'{dtype[0]}{n}')
    if op2 == 'add':
        return tmp + rd(dtype, c)
    if op2:
        if clamp(tmp, dtype) != tmp or dtype == 'u32' and c >> 31:
            return None
        return (min if op2 == 'min' else max)(tmp, rd(dtype, c))
    if dsel:
        low = n * int(dsel[1])
        return (c & ~(mask(n) << low)) | (tmp & mask(n)) << low
    return tmp


SUM_OF = {'vadd': lambda a, b: a + b, 'vsub': lambda a, b: a - b, 'vabsdiff': lambda a, b: abs(a - b), 'vmin': min,
          'vmax': max}
SELECTORS = ['', '.b0', '.b1', '.b2', '.b3', '.h0', '.h1']


def scalar_forms():
    """(name, qualifiers, dsel, asel, bsel, function of a, b, c) of scalar video instructions, each a few."""
    t = lambda: RND.choice(['u32', 's32'])
    def ends():
        merges = ('', RND.choice(SELECTORS[1:]))
        return RND.choice([('', ''), ('', ''), ('.add', ''), ('.min', ''), ('.max', ''), merges, merges])
    for name, f in SUM_OF.items():
        for sat in ('', '.sat'):
            for _ in range(16):
                d, at, bt, (op2, dsel), asel, bsel = t(), t(), t(), ends(), RND.choice(SELECTORS), RND.choice(SELECTORS)
                yield (name, f'.{d}.{at}.{bt}{sat}{op2}', dsel, asel, bsel,
                       lambda a, b, c, d=d, at=at, bt=bt, sat=sat, op2=op2, dsel=dsel, asel=asel, bsel=bsel, f=f:
                       scalar_end(f(piece(a, at, asel[1:]), piece(b, bt, bsel[1:])), d, sat, dsel[1:], op2[1:], c,
                                  at == 'u32' and not asel or bt == 'u32' and not bsel))
    for name in ('vshl', 'vshr'):
        for sat in ('', '.sat'):
            for mode in ('clamp', 'wrap'):
                for _ in range(8):
                    d, at, (op2, dsel), asel, bsel = t(), t(), ends(), RND.choice(SELECTORS), RND.choice(SELECTORS)

                    def fn(a, b, c, d=d, at=at, sat=sat, mode=mode, op2=op2, dsel=dsel, asel=asel, bsel=bsel,
                           name=name):
                        ta, tb = piece(a, at, asel[1:]), piece(b, 'u32', bsel[1:])
                        tb = min(tb, 32) if mode == 'clamp' else tb & 31
                        tmp = ta << tb if name == 'vshl' else ta >> tb
                        if sat and clamp(tmp, 's34') != tmp:
                            return None                    # no number of 34 bits: what is clamped the page does not say
                        return scalar_end(tmp, d, sat, dsel[1:], op2[1:], c, at == 'u32' and not asel or not bsel)
                    yield name, f'.{d}.{at}.u32{sat}.{mode}{op2}', dsel, asel, bsel, fn
    for cmp in COMPARE_VIDEO:
        for _ in range(6):
            at, bt, (op2, dsel), asel, bsel = t(), t(), ends(), RND.choice(SELECTORS), RND.choice(SELECTORS)
            yield ('vset', f'.{at}.{bt}.{cmp}{op2}', dsel, asel, bsel,
                   lambda a, b, c, at=at, bt=bt, cmp=cmp, op2=op2, dsel=dsel, asel=asel, bsel=bsel:
                   scalar_end(int(COMPARE[cmp](piece(a, at, asel[1:]), piece(b, bt, bsel[1:]))), 'u32', '', dsel[1:],
                              op2[1:], c))


def vmad(a, b, c, at, bt, na, nb, nc, po, sat, scale):
    signed = at[0] == 's' or bt[0] == 's' or na != nb or nc
    tmp, lsb = a * b, 0
    if po:
        lsb = 1
    elif na != nb:
        tmp, lsb = ~tmp, 1
    elif nc:
        c, lsb = u(~c, 32), 1
    tmp = (tmp + rd('s32' if signed else 'u32', c) + lsb) >> scale
    if (sat or scale) and (at[0] == 'u' or bt[0] == 'u'):
        return None                                        # an H200 multiplies as if they were .s32
    return clamp(tmp, 's32') if sat else tmp


def vmad_forms():
    for at in ('u32', 's32'):
        for bt in ('u32', 's32'):
            for sign in ('', 'a', 'b', 'ab', 'c', 'abc', 'po'):
                for sat in ('', '.sat'):
                    scale = RND.choice([0, 7, 15])
                    asel, bsel = RND.choice(SELECTORS + ['', '']), RND.choice(SELECTORS + ['', ''])
                    po = sign == 'po'
                    na, nb, nc = [x in sign and not po for x in 'abc']
                    q = f'.{RND.choice(["u32", "s32"])}.{at}.{bt}{".po" * po}{sat}' + (f'.shr{scale}' if scale else '')
                    minus = tuple('-' * x for x in (na, nb, nc))
                    yield (q, asel, bsel, minus,
                           lambda a, b, c, at=at, bt=bt, n=(na, nb, nc), po=po, sat=sat, scale=scale, asel=asel,
                           bsel=bsel:
                           vmad(piece(a, at, asel[1:]), piece(b, bt, bsel[1:]), c, at, bt, *n, po, sat, scale))


VECTOR_OF = dict(SUM_OF, vavrg=lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1)


def simd_forms():
    """(name, qualifiers, mask, asel, bsel, function of a, b, c) of SIMD video instructions."""
    for count, letter in ((2, 'h'), (4, 'b')):
        n = 32 // count
        masks = ['', '.h0', '.h1', '.h10'] if count == 2 else \
            [''] + ['.b' + ''.join(str(i) for i in (3, 2, 1, 0) if m >> i & 1) for m in range(1, 16)]

        def pick_selector(count=count, letter=letter):
            if RND.random() < .4:
                return ''
            return f'.{letter}' + ''.join(str(RND.randrange(2 * count)) for _ in range(count))

        def elements(a, b, t, selector, default, count=count, n=n):
            pool = [x >> n * i & mask(n) for x in (a, b) for i in range(count)]
            which = [int(x) for x in selector[2:][::-1]] or [default + i for i in range(count)]
            return [rd(f'{t[0]}{n}', pool[i]) for i in which]

        def end(t, d, sat, add, taken, c, count=count, n=n):
            if sat:
                t = [clamp(x, f'{d[0]}{n}') for x in t]
            on = [not taken or str(i) in taken[2:] for i in range(count)]
            if add:
                return c + sum(x for x, m in zip(t, on) if m)
            return sum((x & mask(n) if m else c >> n * i & mask(n)) << n * i for i, (x, m) in enumerate(zip(t, on)))

        for base, f in list(VECTOR_OF.items()) + [('vset', None)]:
            for tail in ('', '', '', '.sat', '.sat', '.add', '.add'):
                for _ in range(3):
                    cmp = RND.choice(COMPARE_VIDEO)
                    if base == 'vset' and tail == '.sat':
                        continue
                    d, at, bt = [RND.choice(['u32', 's32']) for _ in range(3)]
                    m, asel, bsel = RND.choice(masks), pick_selector(), pick_selector()
                    q = f'.{at}.{bt}.{cmp}{tail}' if base == 'vset' else f'.{d}.{at}.{bt}{tail}'
                    op = f or (lambda x, y, cmp=cmp: int(COMPARE[cmp](x, y)))
                    yield (f'{base}{count}', q, m, asel, bsel,
                           lambda a, b, c, op=op, d='u32' if base == 'vset' else d, at=at, bt=bt, tail=tail, m=m,
                           asel=asel, bsel=bsel, elements=elements, end=end, count=count:
                           end([op(x, y) for x, y in zip(elements(a, b, at, asel, 0), elements(a, b, bt, bsel, count))],
                               d, tail == '.sat', tail == '.add', m, c))


def video():
    octets = lambda: RND.choice([pick('b32'), pick('x2'),
                                 sum(RND.choice([0, 1, 127, 128, 129, 255]) << 8 * i for i in range(4))])
    family('scalar video')
    for name, q, dsel, asel, bsel, fn in scalar_forms():
        kinds = [octets, 'amt' if name in ('vshl', 'vshr') else octets, octets]
        if '.add' in q or '.min' in q or '.max' in q or dsel:
            form(f'{name}{q} %r{dsel}, %a{asel}, %b{bsel}, %c;', 'b32 b32 b32', 'r:b32', fn, kinds=kinds, n=6)
        else:
            form(f'{name}{q} %r, %a{asel}, %b{bsel};', 'b32 b32', 'r:b32', lambda a, b, f=fn: f(a, b, 0),
                 kinds=kinds[:2], n=6)
    family('vmad')
    for q, asel, bsel, (na, nb, nc), fn in vmad_forms():
        form(f'vmad{q} %r, {na}%a{asel}, {nb}%b{bsel}, {nc}%c;', 'b32 b32 b32', 'r:b32', fn, kinds=[octets] * 3, n=14)
    family('SIMD video')
    for name, q, m, asel, bsel, fn in simd_forms():
        form(f'{name}{q} %r{m}, %a{asel}, %b{bsel}, %c;', 'b32 b32 b32', 'r:b32', fn, kinds=[octets] * 3, n=6)

    family('cvt.pack')
    for t in ('u8', 's8'):
        form(f'cvt.pack.sat.{t}.s32.b32 %r, %a, %b, %c;', 'b32 b32 b32', 'r:b32', n=100,
             fn=lambda a, b, c, t=t: u(c, 16) << 16 | u(clamp(s(a, 32), t), 8) << 8 | u(clamp(s(b, 32), t), 8))
    for t in ('u16', 's16'):
        form(f'cvt.pack.sat.{t}.s32 %r, %a, %b;', 'b32 b32', 'r:b32', n=60,
             fn=lambda a, b, t=t: join(clamp(s(b, 32), t), clamp(s(a, 32), t)))


def integers():
    arithmetic()
    bits()
    logic()
    set_and_setp()
    conversions()
    moves()
    carries()
    state = RND.getstate()
    video()
    RND.setstate(state)


def thinned(lines):
    """Of families with 900 cases and more every third one."""
    large = {k for k, v in COUNTS.items() if v >= 900}
    kept, inside, n = [], False, 0
    for line in lines:
        if line.startswith('# '):
            inside = line[len('# family '):] in large
        if '->' not in line or line.startswith('=') or not inside or n % 3 == 0:
            kept.append(line)
        n += not line.startswith(('#', '='))
    return kept


def write(name, part):
    where = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    OUT.clear()
    COUNTS.clear()
    part()
    with open(os.path.join(where, name), 'w') as f:
        f.write('\n'.join(thinned(OUT)) + '\n')
    print(name, ', '.join(f'{k} {v}' for k, v in COUNTS.items()))


if __name__ == '__main__':
    write('integer-cases.txt', integers)
    import make_float_cases
    make_float_cases.main()
