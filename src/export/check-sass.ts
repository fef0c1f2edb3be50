/**
 * What must stand in SASS for instructions of PTX that access memory, wait, or carry a dependency: the first that fits
 * (NVIDIA CUDA Binary Utilities, Instruction Set Reference; docs/hardware.md). Others may leave nothing, such as
 * `fence.acquire.cta`.
 */
const SASS_OF: readonly (readonly [ptx: RegExp, sass: RegExp])[] = [
  [/^(ld|ldu)\.param|^st\.param/, /./],
  [/^(ld|ldu|ldmatrix)\b/, /^(LD|LDG|LDS|LDL|LDSM|LDC|ULDC)\b/],
  [/^st\.(async|bulk)/, /^(STAS|ST|STG|STS|UBLK)/],
  [/^(st|stmatrix)\b/, /^(ST|STG|STS|STL|STSM)\b/],
  [/^red\.async/, /^(REDAS|RED|ATOM)/],
  [/^(atom|red|multimem)\b/, /^(ATOM|ATOMG|ATOMS|RED|REDG|REDS|SYNCS)\b/],
  [/^mbarrier\.(init|inval)/, /^(SYNCS|STS|ST)\b/],
  [/^mbarrier\.(arrive|complete|expect|test_wait|try_wait)/, /^(SYNCS|ATOM|ATOMS|RED)\b/],
  [/^cp\.async\.mbarrier/, /^ARRIVES/],
  [/^cp\.async\.bulk\.(commit_group|wait_group)/, /^(UTMACMDFLUSH|DEPBAR)/],
  [/^cp\.async\.(commit_group|wait_group|wait_all)/, /^(LDGDEPBAR|DEPBAR)/],
  [/^cp\.(reduce\.)?async\.bulk\.(prefetch\.)?tensor/, /^UTMA/],
  [/^cp\.(reduce\.)?async\.bulk/, /^UBLK/],
  [/^cp\.async/, /^LDGSTS/],
  [/^fence\.(sc|acq_rel|release)\b(?!.*sync_restrict)/, /^MEMBAR/],
  [/^membar\./, /^MEMBAR/],
  // What is computed for a dependency alone: ptxas knows that `xor r, r` is 0, or that both ways of a branch store the
  // same, and then nothing depends on r.
  [/^(xor|and|or|not|sub|mul|mad|setp)\./, /^[A-Z]/],
];

/** An instruction of a test, by the line that the exported module gives it. */
interface Asked {
  readonly line: number;
  readonly text: string;
  readonly sass: RegExp;
}

/** An instruction of SASS, at its place, and the line of the module that it is from. */
interface Made {
  readonly line: number;
  readonly place: number;
  readonly opcode: string;
}

/**
 * What ptxas made of the instructions of a test that access memory, where it is not each of them in their order: by the
 * exported module and its SASS as `nvdisasm -g` prints it. What was merged, dropped or moved is no doing of the GPU.
 */
export function checkSass(module: string, sass: string): readonly string[] {
  const asked = instructionsOf(module);
  const made = madeFrom(sass);
  if (made.length === 0) return ['no SASS of it can be read'];
  const first = new Map(
    asked.map((one) => [one, made.find(({ line, opcode }) => line === one.line && one.sass.test(opcode))?.place]),
  );
  const found: string[] = [];
  for (const [i, one] of asked.entries()) {
    const place = first.get(one);
    if (place === undefined) {
      found.push(`ptxas has left no instruction for ${one.text}`);
      continue;
    }
    const passed = asked
      .slice(0, i)
      .filter((other) => isAccess(one) && isAccess(other) && threadOf(other) === threadOf(one))
      .filter((other) => (first.get(other) ?? -1) > place)
      .map(({ text }) => text);
    if (passed.length > 0) found.push(`ptxas has moved ${one.text} before ${passed.join(' and ')}`);
  }
  return found;
}

/** Threads have lines of their own (instance-frame.ts). */
const threadOf = ({ line }: Asked): number => Math.floor(line / 1000);

/** Only of accesses and fences does the order matter: what is computed goes with what needs it. */
const isAccess = ({ sass }: Asked): boolean => sass !== SASS_OF.at(-1)?.[1];

/** The instructions of the test: those behind a line of their own. */
function instructionsOf(module: string): readonly Asked[] {
  return [...module.matchAll(/^\s*\.loc 1 (\d{4,}) 0\n\s*(?:@!?\S+ )?([^;\n]+);/gm)].flatMap(([, line, text = '']) => {
    const sass = SASS_OF.find(([ptx]) => ptx.test(text))?.[1];
    return sass === undefined || sass.source === '.' ? [] : [{ line: Number(line), text, sass }];
  });
}

function madeFrom(sass: string): readonly Made[] {
  const made: Made[] = [];
  let line = 0;
  for (const text of sass.split('\n')) {
    const at = /\/\/## File ".*", line (\d+)/.exec(text)?.[1];
    if (at !== undefined) line = Number(at);
    const opcode = /^\s*\/\*[0-9a-f]+\*\/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)/.exec(text)?.[1];
    if (opcode !== undefined) made.push({ line, place: made.length, opcode });
  }
  return made;
}
