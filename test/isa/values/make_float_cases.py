#!/usr/bin/env python3
"""Floating point half of make_cases.py: exact rational arithmetic, one rounding function for all formats and modes."""
from fractions import Fraction
from math import isqrt

from make_cases import (COMPARE, INTS, RND, clamp, emit_set, emit_setp, family, form, join, mask, pick, rd, reg, u,
                        write)


# ------------------------------------------------------------------------------------------- floating point
# A number is ('nan',), ('inf', sign) or (sign, Fraction): the sign is that of a zero too.
FORMATS = {'f16': (5, 10), 'bf16': (8, 7), 'f32': (8, 23), 'f64': (11, 52)}
CANON = {'f16': 0x7fff, 'bf16': 0x7fff, 'f32': 0x7fffffff}        # none for f64: such cases are left out
ROUND = ('rn', 'rz', 'rm', 'rp')


def width(f):
    return 1 + sum(FORMATS[f])


def bias(f):
    return (1 << (FORMATS[f][0] - 1)) - 1


def infinity(f):
    return mask(FORMATS[f][0]) << FORMATS[f][1]


def decode(f, x):
    e, m = FORMATS[f]
    sign, ex, frac = x >> (e + m) & 1, x >> m & mask(e), x & mask(m)
    if ex == mask(e):
        return ('nan',) if frac else ('inf', sign)
    mant, power = (frac | 1 << m, ex - bias(f) - m) if ex else (frac, 1 - bias(f) - m)
    return sign, (-1 if sign else 1) * Fraction(mant) * Fraction(2) ** power


def to_integer(q, mode):
    """The Fraction q >= 0 or < 0 rounded to an integer; mode rn (ties to even), rz, rm, rp."""
    low = q.numerator // q.denominator
    rest = q - low
    if not rest:
        return low
    up = {'rn': rest > Fraction(1, 2) or rest == Fraction(1, 2) and low & 1, 'rz': q < 0, 'rm': False, 'rp': True}[mode]
    return low + 1 if up else low


def encode(f, v, mode='rn'):
    """Bits of the number v, rounded into format f; None for a NaN in f64."""
    e, m = FORMATS[f]
    if v[0] == 'nan':
        return CANON.get(f)
    if v[0] == 'inf':
        return v[1] << (e + m) | infinity(f)
    sign, q = v
    if q == 0:
        return sign << (e + m)
    sign, a = int(q < 0), abs(q)
    ex = a.numerator.bit_length() - a.denominator.bit_length()
    if a < Fraction(2) ** ex:
        ex -= 1                                                   # 2**ex <= a < 2**(ex+1)
    ex = max(ex, 1 - bias(f))
    k = abs(to_integer(q / Fraction(2) ** (ex - m), mode))        # in units of the last place
    bits_ = ((ex + bias(f) - 1) << m) + k                         # a carry moves into the exponent by itself
    if bits_ >= infinity(f):
        away = mode == 'rn' or mode == ('rm' if sign else 'rp')
        bits_ = infinity(f) if away else infinity(f) - 1
    return sign << (e + m) | bits_


def subnormal(f, x):
    return 0 < x & mask(width(f) - 1) < 1 << FORMATS[f][1]


def flush(f, x):
    return x & 1 << (width(f) - 1) if subnormal(f, x) else x


def is_nan(f, x):
    return x & mask(width(f) - 1) > infinity(f)


def negate(v):
    return v if v[0] == 'nan' else ('inf', 1 - v[1]) if v[0] == 'inf' else (1 - v[0], -v[1])


def sign_of(v):
    return v[1] if v[0] == 'inf' else v[0]


def f_add(x, y, mode):
    if 'nan' in (x[0], y[0]):
        return ('nan',)
    if 'inf' in (x[0], y[0]):
        if x[0] == y[0] and x[1] != y[1]:
            return ('nan',)
        return x if x[0] == 'inf' else y
    q = x[1] + y[1]
    if q == 0:                                                    # also of two zeros
        return (x[0] if x[0] == y[0] else int(mode == 'rm')), q
    return int(q < 0), q


def f_mul(x, y, mode=None):
    if 'nan' in (x[0], y[0]):
        return ('nan',)
    sign = sign_of(x) ^ sign_of(y)
    if 'inf' in (x[0], y[0]):
        return ('nan',) if x[1] == 0 and x[0] != 'inf' or y[1] == 0 and y[0] != 'inf' else ('inf', sign)
    return sign, x[1] * y[1]


def f_div(x, y, mode=None):
    if 'nan' in (x[0], y[0]) or x[0] == y[0] == 'inf':
        return ('nan',)
    sign = sign_of(x) ^ sign_of(y)
    if x[0] == 'inf' or y[0] != 'inf' and y[1] == 0:
        return ('nan',) if x[0] != 'inf' and x[1] == 0 else ('inf', sign)
    return sign, Fraction(0) if y[0] == 'inf' else x[1] / y[1]


def f_sqrt(x, mode=None):
    if x[0] == 'nan' or x[0] != 'inf' and x[1] == 0 or x == ('inf', 0):
        return x
    if sign_of(x):
        return ('nan',)
    k = 1300                                 # floor(sqrt(q) * 2**k); an inexact root is moved off the floor by half
    square = x[1] * (1 << 2 * k)
    root = isqrt(square.numerator // square.denominator)
    return 0, Fraction(2 * root + (root * root != square), 1 << (k + 1))


ARITH = {'add': f_add, 'sub': lambda x, y, m: f_add(x, negate(y), m), 'mul': f_mul, 'div': f_div, 'sqrt': f_sqrt,
         'fma': lambda x, y, z, m: f_add(f_mul(x, y), z, m), 'rcp': lambda x, m: f_div((0, Fraction(1)), x)}
ARITH['mad'] = ARITH['fma']


def compute(f, op, mode='rn', mods=''):
    """Function from input bits to result bits; open cases give None."""
    def fn(*args):
        if 'ftz' in mods:
            args = [flush(f, x) for x in args]
        v = ARITH[op](*[decode(f, x) for x in args], mode)
        return finish(f, v, mode, mods)
    return fn


def finish(f, v, mode, mods):
    r = encode(f, v, mode)
    if r is None:
        return None
    if 'ftz' in mods:
        least = Fraction(2) ** (1 - bias(f))
        if v[0] in (0, 1) and 0 < abs(v[1]) < least and not subnormal(f, r) and r & mask(width(f) - 1):
            return None                      # tiny before rounding, normal after it: the text does not say
        r = flush(f, r)
    neg = r >> (width(f) - 1)
    if 'sat' in mods or 'relu' in mods:
        if r == 1 << (width(f) - 1):
            return None                      # -0 through a clamp: sign not settled
        if is_nan(f, r):
            return 0 if 'sat' in mods else r
        if neg:
            return 0
        if 'sat' in mods:
            return min(r, bias(f) << FORMATS[f][1])               # 1.0
    return r


def fcorners(f):
    e, m = FORMATS[f]
    one, inf = bias(f) << m, infinity(f)
    low = 1 << m
    pos = [0, 1, 2, 3, low >> 1, low - 1, low, low + 1, 2 * low, 2 * low - 1, one, one + 1, one - 1, one + low,
           one - low, inf - 1, inf - 2, inf - low, inf, inf + low - 1, inf + low // 2, inf + 1,
           one + low + low // 2, one + low // 2, one + 3]
    return pos + [x | 1 << (e + m) for x in pos]


def special(f):
    """Zeros, infinities, NaNs, ones, the least and the greatest numbers, least normal and greatest subnormal."""
    m, inf = FORMATS[f][1], infinity(f)
    x = RND.choice([0, 0, inf, inf + 1, inf + mask(m), bias(f) << m, inf - 1, 1, mask(m), 1 << m])
    return x | RND.getrandbits(1) << (width(f) - 1)


def fpick(f):
    e, m = FORMATS[f]
    r = RND.random()
    if r < .3:
        return RND.choice(fcorners(f))
    if r < .45:
        return RND.getrandbits(1 + e + m)
    ex = max(0, min(mask(e) - 1, bias(f) + RND.randint(-m - 3, m + 3)))
    frac = RND.getrandbits(m)
    if r < .75:                              # few bits at the ends: ties and exact results
        frac = (RND.getrandbits(3) << (m - 3) | RND.choice([0, 0, 1, 2, 3])) & mask(m)
    return RND.getrandbits(1) << (e + m) | ex << m | frac


def fargs(f, k):
    """Maker of k inputs; the later ones are often near the earlier ones, or near half a last place of them."""
    e, m = FORMATS[f]

    def near(x):
        r = RND.random()
        if r < .5:
            return fpick(f)
        if r < .65:
            return u(x + RND.randint(-1, 1), 1 + e + m) ^ RND.getrandbits(1) << (e + m)
        ex = x >> m & mask(e)
        if r < .75:                          # product or quotient near the ends of the range
            goal = RND.choice([RND.randint(-m - 2, 2), mask(e) - 1, mask(e)])
            ex = RND.choice([goal + bias(f) - ex, ex + bias(f) - goal])
            return RND.getrandbits(1) << (e + m) | max(0, min(mask(e) - 1, ex)) << m | RND.getrandbits(m)
        ex = max(0, min(mask(e) - 1, (x >> m & mask(e)) - RND.choice([0, 1, m - 1, m, m + 1, m + 1, m + 1, m + 2])))
        return RND.getrandbits(1) << (e + m) | ex << m | RND.choice([0, 0, 0, 1, mask(m), RND.getrandbits(m)])

    def make():
        a = fpick(f)
        if RND.random() < .15 and k > 1:
            return [special(f) for _ in range(k)]
        if RND.random() < .08 and k == 2:    # a and -a, often +0 and -0
            a = RND.choice([a, a & 1 << (e + m)])
            return [a, a ^ 1 << (e + m)]
        args = [a, near(a)][:k]
        if k == 3:
            p = encode(f, f_mul(decode(f, a), decode(f, args[1])))
            args.append(near(p) if p is not None and RND.random() < .7 else near(a))
        return args
    return make


def freg(f):
    return {'f16': 'b16', 'bf16': 'b16'}.get(f, f)


def fform(instr, f, arity, fn, n=30, first=()):
    args = ', '.join('%' + v for v in 'abcd'[:arity])
    form(f'{instr} %r, {args};', ' '.join([freg(f)] * arity), f'r:{freg(f)}', fn, n=n,
         make=fargs(f, arity), first=first)


def fpacked(instr, f, arity, fn, n=30):
    make = fargs(f, arity)

    def both(*v):
        lo, hi = fn(*[x & 0xffff for x in v]), fn(*[x >> 16 for x in v])
        return None if lo is None or hi is None else join(lo, hi)
    args = ', '.join('%' + v for v in 'abcd'[:arity])
    form(f'{instr} %r, {args};', ' '.join(['b32'] * arity), 'r:b32', both, n=n,
         make=lambda: [join(x, y) for x, y in zip(make(), make())])


def float_arithmetic():
    for op in ('add', 'sub', 'mul', 'fma'):
        family(op + ' float')
        k = 3 if op == 'fma' else 2
        for mode in ROUND:
            for mods in ('', '.ftz', '.sat', '.ftz.sat'):
                fform(f'{op}.{mode}{mods}.f32', 'f32', k, compute('f32', op, mode, mods), 30 if mods else 60)
            fform(f'{op}.{mode}.f64', 'f64', k, compute('f64', op, mode), 60)
        for mods in ('', '.ftz', '.sat', '.ftz.sat') + (('.relu', '.ftz.relu') if k == 3 else ()):
            fform(f'{op}.rn{mods}.f16', 'f16', k, compute('f16', op, 'rn', mods), 30 if mods else 80)
            fpacked(f'{op}.rn{mods}.f16x2', 'f16', k, compute('f16', op, 'rn', mods), 20 if mods else 50)
        for mods in ('', '.relu') if k == 3 else ('',):
            fform(f'{op}.rn{mods}.bf16', 'bf16', k, compute('bf16', op, 'rn', mods), 30 if mods else 80)
            fpacked(f'{op}.rn{mods}.bf16x2', 'bf16', k, compute('bf16', op, 'rn', mods), 20 if mods else 50)
    family('mad float')
    for mode in ROUND:
        for f in ('f32', 'f64'):
            fform(f'mad.{mode}.{f}', f, 3, compute(f, 'mad', mode), 40)
    for op, k in (('div', 2), ('sqrt', 1), ('rcp', 1)):
        family(op + ' float')
        for mode in ROUND:
            for f, mods in (('f32', ''), ('f32', '.ftz'), ('f64', '')):
                pair = fargs(f, k)
                make = (lambda p=pair, f=f: [p()[0] & mask(width(f) - (RND.random() < .8))]) if op == 'sqrt' else pair
                args = ', '.join('%' + v for v in 'ab'[:k])
                form(f'{op}.{mode}{mods}.{f} %r, {args};', ' '.join([f] * k), f'r:{f}', compute(f, op, mode, mods),
                     make=make, n=60)


def float_signs():
    def minmax(f, op, mods):
        def fn(a, b):
            if 'ftz' in mods:
                a, b = flush(f, a), flush(f, b)
            if is_nan(f, a) or is_nan(f, b):
                if 'NaN' in mods or is_nan(f, a) and is_nan(f, b):
                    return CANON.get(f)
                return b if is_nan(f, a) else a
            key = {x: (decode(f, x)[0] == 'inf', decode(f, x)) for x in (a, b)}
            rank = {x: (1 - 2 * v[1]) * Fraction(2) ** 2000 if i else v[1] for x, (i, v) in key.items()}
            low, high = sorted((a, b), key=lambda x: (rank[x], -(x >> (width(f) - 1))))       # -0 < +0
            return low if op == 'min' else high
        return fn
    family('min/max float')
    for op in ('min', 'max'):
        for mods in ('', '.ftz', '.NaN', '.ftz.NaN'):
            fform(f'{op}{mods}.f32', 'f32', 2, minmax('f32', op, mods), 40, [(0, 1 << 31), (1 << 31, 0)])
            fform(f'{op}{mods}.f16', 'f16', 2, minmax('f16', op, mods), 30, [(0, 1 << 15), (1 << 15, 0)])
            fpacked(f'{op}{mods}.f16x2', 'f16', 2, minmax('f16', op, mods), 20)
        for mods in ('', '.NaN'):
            fform(f'{op}{mods}.bf16', 'bf16', 2, minmax('bf16', op, mods), 30, [(0, 1 << 15), (1 << 15, 0)])
            fpacked(f'{op}{mods}.bf16x2', 'bf16', 2, minmax('bf16', op, mods), 20)
        fform(f'{op}.f64', 'f64', 2, minmax('f64', op, ''), 40)
    family('neg/abs float')
    for op in ('neg', 'abs'):
        for f, mods in (('f32', ''), ('f32', '.ftz'), ('f64', ''), ('f16', ''), ('f16', '.ftz'), ('bf16', '')):
            def fn(a, f=f, mods=mods, op=op):
                top = 1 << (width(f) - 1)
                a = flush(f, a) if mods else a
                return None if is_nan(f, a) else a ^ top if op == 'neg' else a & ~top
            fform(f'{op}{mods}.{f}', f, 1, fn, 40)
            if width(f) == 16:
                fpacked(f'{op}{mods}.{f}x2', f, 1, fn, 25)
    family('copysign')
    for f in ('f32', 'f64'):                                      # d: b with the sign of a
        top = 1 << (width(f) - 1)
        fform(f'copysign.{f}', f, 2, lambda a, b, f=f, top=top: None if is_nan(f, a) or is_nan(f, b) else
              a & top | b & ~top, 100)
    family('testp')
    for f in ('f32', 'f64'):
        low, inf, m = 1 << FORMATS[f][1], infinity(f), mask(width(f) - 1)
        tests = {'finite': lambda x, i: x < i, 'infinite': lambda x, i: x == i, 'number': lambda x, i: x <= i,
                 'notanumber': lambda x, i: x > i, 'subnormal': lambda x, i, low=low: 0 < x < low,
                 'normal': lambda x, i, low=low: x == 0 or low <= x < i}       # zeros count as normal
        for name, fn in tests.items():
            form(f'testp.{name}.{f} %p, %a;', f, 'p:pred', make=fargs(f, 1), n=40,
                 fn=lambda a, fn=fn, m=m, inf=inf: fn(a & m, inf))
    family('selp/slct float')
    for t in ('f32', 'f64', 'b32', 'b64', 'b16', 'u32', 's64'):
        k = t if t[0] == 'f' else reg(t)
        one = (lambda k=k: fpick(k)) if t[0] == 'f' else k
        for ftz in ('', '.ftz'):
            form(f'slct{ftz}.{t}.f32 %r, %a, %b, %c;', f'{k} {k} f32', f'r:{k}',
                 kinds=[one, one, lambda: RND.choice([fpick, special])('f32')],
                 fn=lambda a, b, c, z=ftz: a if not is_nan('f32', c) and (z and subnormal('f32', c) or c < 1 << 31 or
                                                                         c == 1 << 31) else b, n=30)
        if t[0] == 'f':
            form(f'selp.{t} %r, %a, %b, %c;', f'{t} {t} pred', f'r:{t}', lambda a, b, c: a if c else b, n=20,
                 kinds=[one, one, 'pred'])


def float_comparisons():
    def compare(f, ftz, x, a, b):
        if ftz:
            a, b = flush(f, a), flush(f, b)
        un = is_nan(f, a) or is_nan(f, b)
        if x in ('num', 'nan'):
            return un == (x == 'nan')
        if un:
            return x.endswith('u')
        key = [(1 - 2 * v[1]) * Fraction(2) ** 2000 if v[0] == 'inf' else v[1] for v in (decode(f, a), decode(f, b))]
        return COMPARE[x.rstrip('u')](*key)
    names = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']

    def every(types):
        for f, ftz in types:
            for x in names:
                def make(pair=fargs(f, 2), f=f):
                    a, b = pair()
                    r = RND.random()
                    b = a if r < .15 else a ^ 1 << (width(f) - 1) if r < .2 else b
                    return (b, a, RND.getrandbits(1)) if RND.random() < .3 else (a, b, RND.getrandbits(1))
                yield f, x, (lambda a, b, f=f, x=x, ftz=ftz: compare(f, ftz, x, a, b)), freg(f), make
    family('set float')
    emit_set(list(every([('f32', 0), ('f64', 0)])), ('u32', 's32', 'f32'), 8)
    emit_set(list(every([('f32', 1)])), ('u32', 's32', 'f32'), 8, '.ftz')
    emit_set(list(every([('f16', 0), ('bf16', 0)])), ('u32', 's32'), 8)
    family('setp float')
    emit_setp(list(every([('f32', 0), ('f64', 0)])), 12)
    emit_setp(list(every([('f32', 1)])), 12, '.ftz')
    emit_setp(list(every([('f16', 0), ('bf16', 0)])), 12, '', False)           # ptxas: no %p|%q with 16 bits
    emit_setp(list(every([('f16', 1)])), 12, '.ftz', False)


def float_conversions():
    def convert(d, src, mode='rn', mods=''):
        def fn(a):
            if 'ftz' in mods and src == 'f32':
                a = flush(src, a)
            if is_nan(src, a) and 'sat' not in mods:
                return None                                       # payload or canonical NaN: not settled for cvt
            m = mods if d == 'f32' or 'ftz' not in mods else mods.replace('.ftz', '')
            return finish(d, decode(src, a), mode, m)
        return fn

    def border(d, src):                                           # values near those of the narrower format
        def make():
            if RND.random() < .4 or width(src) <= width(d):
                return [fpick(src)]
            x = fpick(d)
            a, b = decode(d, x), decode(d, u(x + 1, width(d)))
            if a[0] in ('nan', 'inf') or b[0] in ('nan', 'inf'):
                return [fpick(src)]
            q = RND.choice([a[1], (a[1] + b[1]) / 2, b[1]])
            return [u(encode(src, (a[0], q)) + RND.choice([0, 0, 1, -1]), width(src))]
        return make

    def cform(instr, d, src, fn, n=30):
        form(f'{instr} %r, %a;', freg(src), f'r:{freg(d)}', fn, make=border(d, src), n=n)
    family('cvt float to float')
    for mods in ('', '.ftz', '.sat', '.ftz.sat'):
        cform(f'cvt{mods}.f64.f32', 'f64', 'f32', convert('f64', 'f32', 'rn', mods))
        cform(f'cvt{mods}.f32.f16', 'f32', 'f16', convert('f32', 'f16', 'rn', mods))
        for mode in ROUND:
            cform(f'cvt.{mode}{mods}.f32.f64', 'f32', 'f64', convert('f32', 'f64', mode, mods), 50)
            cform(f'cvt.{mode}{mods}.f16.f32', 'f16', 'f32', convert('f16', 'f32', mode, mods), 50)
            if 'ftz' not in mods:
                cform(f'cvt.{mode}{mods}.f16.f64', 'f16', 'f64', convert('f16', 'f64', mode, mods))
    cform('cvt.f64.f16', 'f64', 'f16', convert('f64', 'f16'))
    cform('cvt.f32.bf16', 'f32', 'bf16', convert('f32', 'bf16'))
    cform('cvt.f64.bf16', 'f64', 'bf16', convert('f64', 'bf16'))
    for mode in ROUND:
        cform(f'cvt.{mode}.bf16.f32', 'bf16', 'f32', convert('bf16', 'f32', mode), 60)
        cform(f'cvt.{mode}.bf16.f64', 'bf16', 'f64', convert('bf16', 'f64', mode))
        cform(f'cvt.{mode}.bf16.f16', 'bf16', 'f16', convert('bf16', 'f16', mode))
        cform(f'cvt.{mode}.f16.bf16', 'f16', 'bf16', convert('f16', 'bf16', mode))
    for mode in ('rn', 'rz'):
        cform(f'cvt.{mode}.relu.f16.f32', 'f16', 'f32', convert('f16', 'f32', mode, '.relu'))
        cform(f'cvt.{mode}.relu.bf16.f32', 'bf16', 'f32', convert('bf16', 'f32', mode, '.relu'))
    family('cvt packed')                                          # a goes to the upper half, b to the lower
    for d in ('f16', 'bf16'):
        for mode in ('rn', 'rz'):
            for mods in ('', '.relu'):
                def fn(a, b, c=convert(d, 'f32', mode, mods)):
                    return None if c(a) is None or c(b) is None else join(c(b), c(a))
                form(f'cvt.{mode}{mods}.{d}x2.f32 %r, %a, %b;', 'f32 f32', 'r:b32', fn, n=50,
                     make=lambda m=border(d, 'f32'): m() + m())
    integral = {'rni': 'rn', 'rzi': 'rz', 'rmi': 'rm', 'rpi': 'rp'}

    def rounding(f, mode, mods):
        def fn(a):
            a = flush(f, a) if 'ftz' in mods else a
            v = decode(f, a)
            if is_nan(f, a) and 'sat' not in mods:
                return None
            if v[0] not in ('nan', 'inf'):
                v = v[0], Fraction(to_integer(v[1], integral[mode]))          # a zero keeps the sign of a
            return finish(f, v, 'rn', mods)
        return fn

    def ints(f):                                                  # values near integers and halves, and borders
        e, m = FORMATS[f]

        def make():
            r = RND.random()
            if r < .3:
                return [fpick(f)]
            k = RND.choice([0, 1, 2, 3, 100, 126, 127, 128, 254, 255, 256, 32767, 32768, 65535, 65536, 1 << 23, 1 << 24,
                            mask(31), 1 << 31, mask(32), 1 << 32, mask(63), 1 << 63, mask(64), 1 << 64,
                            RND.getrandbits(20)])
            q = RND.choice([1, -1]) * (k + Fraction(RND.choice([0, 0, 1, 2, 2, 3]), 4))
            return [u(encode(f, (int(q < 0), q)) + RND.choice([0, 0, 0, 1, -1]), width(f))]
        return make
    family('cvt to integral float')
    for mode in integral:
        for mods in ('', '.ftz', '.sat', '.ftz.sat'):
            form(f'cvt.{mode}{mods}.f32.f32 %r, %a;', 'f32', 'r:f32', rounding('f32', mode, mods), n=40,
                 make=ints('f32'))
        form(f'cvt.{mode}.f64.f64 %r, %a;', 'f64', 'r:f64', rounding('f64', mode, ''), make=ints('f64'), n=40)
        for f in ('f16', 'bf16'):
            form(f'cvt.{mode}.{f}.{f} %r, %a;', 'b16', 'r:b16', rounding(f, mode, ''), make=ints(f), n=40)
    for mods in ('.sat', '.ftz', '.ftz.sat'):
        cform(f'cvt{mods}.f32.f32', 'f32', 'f32', convert('f32', 'f32', 'rn', mods))
    family('cvt float to int')
    for f in ('f32', 'f64', 'f16', 'bf16'):
        for d in ([] if f == 'bf16' else ['u8', 's8']) + INTS:                  # ptxas: no bf16 with 8 bits
            for mode in integral:
                for mods in ('', '.ftz') if f == 'f32' else ('',):
                    def fn(a, f=f, d=d, mode=mode, mods=mods):
                        a = flush(f, a) if mods else a
                        v = decode(f, a)
                        if v[0] == 'nan':
                            return 0 if f == 'f32' and d[1:] == '32' else None
                        q = Fraction(1 - 2 * v[1]) * 2 ** 100 if v[0] == 'inf' else v[1]
                        return clamp(to_integer(q, integral[mode]), d)
                    r = 'b32' if d[1:] == '8' else reg(d)
                    form(f'cvt.{mode}{mods}.{d}.{f} %r, %a;', freg(f), f'r:{r}', fn, make=ints(f), n=10 if mods else 20)
    family('cvt int to float')
    for f in ('f32', 'f64', 'f16', 'bf16'):
        for t in ([] if f == 'bf16' else ['u8', 's8']) + INTS:
            r = 'b32' if t[1:] == '8' else reg(t)

            def integer(r=r, m=FORMATS[f][1] + 2):                # ties: m bits wide, shifted
                x = RND.getrandbits(m) << RND.randrange(64)
                x = RND.choice([pick(r), x, x + 1, RND.getrandbits(RND.randint(1, 18)), 0xffef + RND.randrange(34)])
                return [RND.choice([x, -x])]
            for mode in ROUND:
                form(f'cvt.{mode}.{f}.{t} %r, %a;', r, f'r:{freg(f)}', n=20, make=integer,
                     fn=lambda a, f=f, t=t, mode=mode: encode(f, (0, Fraction(rd(t, a))), mode))
                if f == 'f32' and t in ('s32', 'u64'):
                    form(f'cvt.{mode}.sat.{f}.{t} %r, %a;', r, f'r:{freg(f)}', n=20, make=integer,
                         fn=lambda a, f=f, t=t, mode=mode: finish(f, (0, Fraction(rd(t, a))), mode, '.sat'))


def float_limits():
    """What is too large with .satfinite, and the sign of both operands with .xorsign.abs, a NaN's as well."""
    def both_signs(f, op, mods):
        top = 1 << (width(f) - 1)

        def fn(a, b):
            if 'ftz' in mods:
                a, b = flush(f, a), flush(f, b)
            x, y = a & ~top, b & ~top
            if is_nan(f, a) or is_nan(f, b):
                if 'NaN' in mods or is_nan(f, a) and is_nan(f, b):
                    return CANON[f]
                least = y if is_nan(f, a) else x
            else:
                least = min(x, y) if op == 'min' else max(x, y)      # of positive numbers the bits are in order
            return least | (a ^ b) & top
        return fn
    family('min/max of magnitudes')
    for op in ('min', 'max'):
        for mods in ('', '.ftz', '.NaN', '.ftz.NaN'):
            for f in ('f32', 'f16', 'bf16'):
                if f == 'bf16' and 'ftz' in mods:
                    continue
                name = f'{op}{mods}.xorsign.abs'
                fform(f'{name}.{f}', f, 2, both_signs(f, op, mods), 40, [(0, 1 << (width(f) - 1))])
                if f != 'f32':
                    fpacked(f'{name}.{f}x2', f, 2, both_signs(f, op, mods), 25)

    def finite(f, mode, relu):
        top, greatest = 1 << (width(f) - 1), infinity(f) - 1

        def fn(a):
            v = decode('f32', a)
            if v[0] == 'nan':
                return CANON[f] if relu else None                 # PTX says a NaN, not which
            if relu and v[0] == 'inf' and v[1]:
                return 0
            r = finish(f, v, mode, '.relu' if relu else '')
            if r is None:
                return None
            return r & top | greatest if r & ~top == infinity(f) else r
        return fn

    def large(f):
        def make():
            q = Fraction(2) ** RND.randrange(10, 18) if f == 'f16' else Fraction(2) ** RND.randrange(120, 128)
            x = encode('f32', (0, q * (1 + Fraction(RND.getrandbits(23), 1 << 23))))
            greatest = encode('f32', decode(f, infinity(f) - 1))
            return [RND.choice([x, x | 1 << 31, fpick('f32'), greatest + RND.randrange(9999)])]
        return make
    family('cvt to what is finite')
    for f in ('f16', 'bf16'):
        for mode in ('rn', 'rz'):
            for relu in ('', '.relu'):
                name, fn = f'cvt.{mode}{relu}.satfinite', finite(f, mode, relu != '')
                form(f'{name}.{f}.f32 %r, %a;', 'f32', f'r:{freg(f)}', fn, make=large(f), n=40)

                def both(a, b, fn=fn):
                    return None if fn(a) is None or fn(b) is None else join(fn(b), fn(a))
                form(f'{name}.{f}x2.f32 %r, %a, %b;', 'f32 f32', 'r:b32', both, n=40,
                     make=lambda m=large(f): m() + m())


def floats():
    float_arithmetic()
    float_signs()
    float_comparisons()
    float_conversions()
    float_limits()


def main():
    write('float-cases.txt', floats)


if __name__ == '__main__':
    main()
