/** A test after its header. */
export interface TestBody {
  /** What is in the braces at its beginning. */
  readonly declarations: readonly string[];
  /** Threads or launches. */
  readonly lines: readonly string[];
  readonly observed: readonly string[];
  /** What the condition asks for; by default whether the first of what is observed is 1. */
  readonly outcome?: string;
}

export function printBody({ declarations, lines, observed, outcome = `${observed[0]} == 1` }: TestBody): string {
  return [
    '{',
    ...indented(declarations),
    '}',
    ...lines,
    `exists (${outcome})`,
    `locations [${observed.join('; ')};]`,
    '',
  ].join('\n');
}

export const printThread = (index: number, place: string, lines: readonly string[]): readonly string[] => [
  `P${index} @ ${place} {`,
  ...lines,
  '}',
];

export const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
