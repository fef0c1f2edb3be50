/** A test after its header. */
export interface TestBody {
  /** What is in the braces at its beginning. */
  readonly declarations: readonly string[];
  /** Threads or launches. */
  readonly lines: readonly string[];
  /** What the condition asks for. */
  readonly outcome: string;
  readonly observed: readonly string[];
}

export function printBody({ declarations, lines, outcome, observed }: TestBody): string {
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
