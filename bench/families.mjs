/** MP, SB, LB and IRIW with n threads, as litmus tests in the native format. */
const thread = (i, body) => `P${i} @ cta ${i}, gpu 0 { ${body} }`;
const test = (name, locations, threads, condition) =>
  `PTX ${name}\n{ ${locations.map((x) => `.global .u32 ${x} = 0;`).join(' ')} ` +
  `}\n${threads.map((body, i) => thread(i, body)).join('\n')}\nforbid (${condition}) as weak\n`;
const range = (n) => Array.from({ length: n }, (_, i) => i);

export const FAMILIES = {
  /** A chain of hand-overs: every thread acquires a flag and releases the next one. */
  MP: (n) =>
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
      `${range(n - 1)
        .map((i) => `P${i + 1}:r0 == 1`)
        .join(' /\\ ')} /\\ P${n - 1}:r1 == 0`,
    ),
  /** A ring of store buffering with fence.sc. */
  SB: (n) =>
    test(
      `SB${n}`,
      range(n).map((i) => `x${i}`),
      range(n).map((i) => `st.weak.global.u32 [x${i}], 1; fence.sc.gpu; ld.weak.global.u32 r0, [x${(i + 1) % n}];`),
      range(n)
        .map((i) => `P${i}:r0 == 0`)
        .join(' /\\ '),
    ),
  /** A ring of load buffering with data dependencies. */
  LB: (n) =>
    test(
      `LB${n}`,
      range(n).map((i) => `x${i}`),
      range(n).map(
        (i) =>
          `ld.relaxed.gpu.global.u32 r0, [x${i}]; ` +
          `${i === 0 ? 'st.release.gpu.global.u32 [x1], 1;' : `st.release.gpu.global.u32 [x${(i + 1) % n}], r0;`}`,
      ),
      range(n)
        .map((i) => `P${i}:r0 == 1`)
        .join(' /\\ '),
    ),
  /** Half of the threads write one location each, the others read two neighboring ones with a fence.sc between. */
  IRIW: (n) => {
    const half = n / 2;
    return test(
      `IRIW${n}`,
      range(half).map((i) => `x${i}`),
      [
        ...range(half).map((i) => `st.relaxed.gpu.global.u32 [x${i}], 1;`),
        ...range(half).map(
          (i) =>
            `ld.relaxed.gpu.global.u32 r0, [x${i}]; fence.sc.gpu; ld.relaxed.gpu.global.u32 r1, [x${(i + 1) % half}];`,
        ),
      ],
      range(half)
        .map((i) => `P${half + i}:r0 == 1 /\\ P${half + i}:r1 == 0`)
        .join(' /\\ '),
    );
  },
};
