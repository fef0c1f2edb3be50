/** Families of tests of n threads, in the native format: what each asks, and of how many threads. */
const thread = (i, body) => `P${i} @ cta ${i}, gpu 0 { ${body} }`;
const test = (name, locations, threads, condition) =>
  `PTX ${name}\n{ ${locations.map((x) => `.global .u32 ${x} = 0;`).join(' ')} ` +
  `}\n${threads.map((body, i) => thread(i, body)).join('\n')}\n${condition}\n`;
const range = (n) => Array.from({ length: n }, (_, i) => i);
const all = (n, atom) => range(n).map(atom).join(' /\\ ');

export const THREADS = {
  'SB ring, fence.sc between': (n) =>
    test(
      `SB${n}`,
      range(n).map((i) => `x${i}`),
      range(n).map((i) => `st.weak.global.u32 [x${i}], 1; fence.sc.gpu; ld.weak.global.u32 r0, [x${(i + 1) % n}];`),
      `forbid (${all(n, (i) => `P${i}:r0 == 0`)})`,
    ),
  'MP chain of release and acquire': (n) =>
    test(
      `MP${n}`,
      ['data', ...range(n - 1).map((i) => `f${i}`)],
      range(n).map((i) =>
        i === 0
          ? 'st.weak.global.u32 [data], 1; st.release.gpu.global.u32 [f0], 1;'
          : i < n - 1
            ? `ld.acquire.gpu.global.u32 r0, [f${i - 1}]; st.release.gpu.global.u32 [f${i}], 1;`
            : `ld.acquire.gpu.global.u32 r0, [f${i - 1}]; ld.weak.global.u32 r1, [data];`,
      ),
      `forbid (${all(n - 1, (i) => `P${i + 1}:r0 == 1`)} /\\ P${n - 1}:r1 == 0)`,
    ),
  'LB ring, no dependencies': (n) =>
    test(
      `LB${n}`,
      range(n).map((i) => `x${i}`),
      range(n).map((i) => `ld.relaxed.gpu.global.u32 r0, [x${i}]; st.relaxed.gpu.global.u32 [x${(i + 1) % n}], 1;`),
      `permit (${all(n, (i) => `P${i}:r0 == 1`)})`,
    ),
  'IRIW, two writers and n readers': (n) =>
    test(
      `IRIW${n}`,
      ['x', 'y'],
      [
        ...['x', 'y'].map((x) => `st.relaxed.gpu.global.u32 [${x}], 1;`),
        ...range(n).map((i) => {
          const [first, second] = i % 2 === 0 ? ['x', 'y'] : ['y', 'x'];
          return `ld.relaxed.gpu.global.u32 r0, [${first}]; fence.sc.gpu; ld.relaxed.gpu.global.u32 r1, [${second}];`;
        }),
      ],
      `forbid (${all(n, (i) => `P${i + 2}:r0 == 1 /\\ P${i + 2}:r1 == 0`)})`,
    ),
  'increments of one location': (n) =>
    test(
      `increments${n}`,
      ['x'],
      range(n).map(() => 'atom.relaxed.gpu.global.add.u32 r0, [x], 1;'),
      `forall (x == ${n})`,
    ),
  'release chain through atomics': (n) =>
    test(
      `RMW${n}`,
      ['data', 'f'],
      range(n).map((i) =>
        i === 0
          ? 'st.weak.global.u32 [data], 1; st.release.gpu.global.u32 [f], 1;'
          : i < n - 1
            ? 'atom.relaxed.gpu.global.add.u32 r0, [f], 1;'
            : 'ld.acquire.gpu.global.u32 r0, [f]; ld.weak.global.u32 r1, [data];',
      ),
      `forbid (P${n - 1}:r0 == ${n - 1} /\\ ${all(n - 2, (i) => `P${i + 1}:r0 == ${i + 1}`)} /\\ P${n - 1}:r1 == 0)`,
    ),
  'ticket lock around a weak section': (n) =>
    test(
      `ticket${n}`,
      ['next', 'serving', 'x'],
      range(n).map(
        () =>
          'atom.relaxed.gpu.global.add.u32 r0, [next], 1;\nWAIT: ld.acquire.gpu.global.u32 r1, [serving];\n' +
          'setp.ne.u32 p0, r1, r0;\n@p0 bra WAIT;\nld.weak.global.u32 r2, [x];\nadd.u32 r2, r2, 1;\n' +
          'st.weak.global.u32 [x], r2;\nadd.u32 r3, r0, 1;\nst.release.gpu.global.u32 [serving], r3;',
      ),
      `forall (x == ${n})`,
    ),
  'one writer, one reader, n accesses each': (n) =>
    test(
      `accesses${n}`,
      ['x'],
      [
        range(n)
          .map((i) => `st.relaxed.gpu.global.u32 [x], ${i + 1};`)
          .join(' '),
        range(n)
          .map((i) => `ld.relaxed.gpu.global.u32 r${i}, [x];`)
          .join(' '),
      ],
      'forbid (P1:r0 == 2 /\\ P1:r1 == 1)',
    ),
};
