/**
 * Deliberate mistakes in which values are taken as alike (see places.mjs for how they are located). The kernels of
 * kernels.ts, or generated ones, must show each. `survives`: why it cannot be noticed.
 */
export const RANGE_MUTANTS = [
  // Intervals.
  { what: 'an interval is one too long', in: 'Interval.keep', from: 'a / -b', to: 'a / -b + 1n' },
  { what: 'an interval has no end', in: 'Interval.keep', from: 'least(this.high, a / -b)', to: 'this.high' },
  { what: 'the last of two bounds holds', in: 'ranges/least', from: 'b < a', to: 'true' },
  { what: 'equal numbers may part', in: 'Interval.keepSign', from: 'else if (b !== 0n) this.none();', to: '' },
  { what: 'numbers below may meet', in: 'Interval.keepSign', from: 'keep(-a - 1n, -b)', to: 'keep(-a, -b)' },
  { what: 'numbers above may meet', in: 'Interval.keepSign', from: 'keep(a - 1n, b)', to: 'keep(a, b)' },
  {
    what: 'what is not so at the second value is kept',
    in: 'Interval.keep',
    from: '|| a + b < 0n',
    to: '',
    survives: 'no value behind the second is kept then',
  },
  // Comparisons.
  { what: 'what is less may be equal', in: 'keepComparison', from: '? -1n : 0n', to: '? 0n : 0n' },
  { what: 'what is less or equal may not be equal', in: 'keepComparison', from: '? -1n : 0n', to: '? -1n : -1n' },
  { what: 'comparisons may change', in: 'keepStep', from: 'keepComparison(interval, comparison, at, by);', to: '' },
  {
    what: 'another operand may be taken',
    in: 'keepStep',
    from: "if (rule === 'choose')",
    to: 'if (false)',
    survives: 'it is compared then, which keeps fewer values',
  },
  { what: 'numbers may wrap around at the top', in: 'keepStep', from: 'interval.keep(most - at, -by);', to: '' },
  { what: 'numbers may wrap around at the bottom', in: 'keepStep', from: 'interval.keep(at - least, by);', to: '' },
  {
    what: 'all numbers are signed',
    in: 'lineThrough',
    from: 'signed ? BigInt.asIntN',
    to: 'true ? BigInt.asIntN',
    survives: 'what is read so is outside of its type, and no value is kept',
  },
  {
    what: 'no number is signed',
    in: 'lineThrough',
    from: 'signed ? BigInt.asIntN',
    to: 'false ? BigInt.asIntN',
    survives: 'what is read so is outside of its type, and no value is kept',
  },
  // Accesses.
  { what: 'accesses may leave memory at its end', in: 'keepInside', from: 'bytes - size - at', to: 'bytes - at' },
  { what: 'accesses may leave memory at its beginning', in: 'keepInside', from: 'interval.keep(at, by);', to: '' },
  { what: 'accesses may come to meet from above', in: 'keepPair', from: 'at - other.size', to: 'at' },
  { what: 'accesses may come to meet from below', in: 'keepPair', from: '-at - one.size', to: '-at' },
  { what: 'accesses may part', in: 'keepPair', from: 'else if (by !== 0n) interval.none();', to: '' },
  { what: 'loads are apart', in: 'keepPair', from: '!one.writes && !other.writes', to: '!one.writes || !other.writes' },
  {
    what: 'only what moves meets',
    in: 'keepApart',
    from: '[...moving.slice(i + 1), ...still]',
    to: 'moving.slice(i + 1)',
  },
  // What depends on what.
  { what: 'products of even numbers are even', in: 'Levels.computed', from: 'isModular && isOne', to: 'isModular' },
  {
    what: 'whatever is made is even',
    in: 'Levels.computed',
    from: "default: return 'any';",
    to: "default: return 'even';",
  },
  {
    what: 'so is what is shifted by an even number',
    in: 'Levels.computed',
    from: "isModular && levels[0] === 'even' && isOne",
    to: 'isModular',
  },
  { what: 'what moving loads find is fixed', in: 'Levels.resultOf', from: "!== 'fixed' ||", to: "=== 'any' ||" },
  {
    what: 'what loads of dependent data find is fixed',
    in: 'Levels.resultOf',
    from: '|| this.dependentLoads.has(at)',
    to: '',
  },
  { what: 'any guard will do', in: 'Levels.refusedAt', from: 'guard !== undefined &&', to: 'false &&' },
  {
    what: 'any address will do',
    in: 'Levels.refusedAt',
    from: "this.of(operation.address.base) === 'any'",
    to: 'false',
  },
  {
    what: 'whatever takes what depends on values will do',
    in: 'Levels.refusedAt',
    from: "registersRead(operation).some((name) => this.ofRegister(name) !== 'fixed')",
    to: 'registersRead(operation).length > 999',
  },
  {
    what: 'what is widened may wrap around',
    in: 'Levels.watchedAt',
    from: 'if (resultWidth > width) return',
    to: 'if (false) return',
  },
  {
    what: 'what is multiplied and widened may wrap around',
    in: 'Levels.watchedAt',
    from: "case 'multiply-wide': return { rule: 'extend', operands: even, signed };",
    to: '',
  },
  {
    what: 'who reads dependent data does not count',
    in: 'RunLog.checkRows',
    from: 'this.depends(kind)',
    to: 'undefined',
  },
  { what: 'parameters read by address do not count', in: 'RunLog.checkRows', from: 'isVaried && ', to: 'false && ' },
  { what: 'a half of a number is even', in: 'RunLog.levelAt', from: "? 'even' : 'any'", to: "? 'even' : 'even'" },
  // What is asked.
  {
    what: 'what is in memory may be asked, which moves',
    in: 'RunLog.checkRows',
    from: 'kind.writes && this.isContentAsked',
    to: 'false',
  },
  {
    what: 'what is in memory may be asked, which depends',
    in: 'RunLog.dependentBytes',
    from: 'if (this.isContentAsked)',
    to: 'if (false)',
  },
  {
    what: 'values may be asked for',
    in: 'numberIn',
    from: "term.kind !== 'location' ||",
    to: "term.kind !== 'location' || true ||",
  },
  // Which values are meant.
  {
    what: 'one more value is alike',
    in: 'Likeness.alikeTo',
    from: 'BigInt(t) > bounds.high',
    to: 'BigInt(t) > bounds.high + 1n',
  },
  {
    what: 'values behind a gap are alike',
    in: 'Likeness.alikeTo',
    from: 'values[position - 1 + t] === at + BigInt(t) * (next - at)',
    to: 'position - 1 + t < values.length',
  },
];
