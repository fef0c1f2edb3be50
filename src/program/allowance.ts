import { callersOf, positionOf, type Span } from '../diagnostics/source.js';
import type { CitedLine, Finding } from '../syntax/condition-ast.js';

/** A finding that the owners of a test have accepted: `allow race at 8, 12 "both write 1"` (docs/format.md). */
export interface Allowance {
  readonly finding: Finding;
  readonly lines: readonly CitedLine[];
  readonly reason: string;
  readonly models: readonly string[] | undefined;
  /** Told outside of the test: by which entry; what it accepts need not be in every test. */
  readonly entry?: string;
  readonly span: Span;
}

/** Whether a finding that some instructions show is accepted: each line cited is that of another of them. */
export function accepts({ lines, span: { source } }: Allowance, instructions: readonly Span[]): boolean {
  const isAt = (cited: CitedLine, instruction: Span): boolean =>
    placesOf(instruction).some(
      ({ file, line }) =>
        (cited.line === undefined || line === cited.line) &&
        (cited.file === undefined ? file === source.path : namesOneFile(file, cited.file)),
    );
  const rest = (left: readonly CitedLine[], free: readonly Span[]): boolean => {
    const [first, ...others] = left;
    return (
      first === undefined ||
      free.some((one, i) => isAt(first, one) && rest(others, [...free.slice(0, i), ...free.slice(i + 1)]))
    );
  };
  return rest(lines, instructions);
}

/** Where an instruction stands: in the test or in a module, and in the program that this was compiled from. */
function placesOf({ source, start }: Span): readonly { readonly file: string; readonly line: number }[] {
  const own = { file: source.path, line: positionOf(source, start).line };
  const compiled = source.compiledFrom?.(start);
  return [own, ...(compiled === undefined ? [] : callersOf(compiled))];
}

/** Whether of two paths one is the end of the other. */
function namesOneFile(a: string, b: string): boolean {
  const [long, short] = [a, b].map((path) => path.replaceAll('\\', '/').split('/')).sort((x, y) => y.length - x.length);
  return short !== undefined && long?.slice(-short.length).join('/') === short.join('/');
}

/** As a test writes it, without the reason. */
export function describeAllowance({ finding, lines }: Allowance): string {
  const cited = lines.map(({ file, line }) => [file, line].filter((one) => one !== undefined).join(':'));
  return `allow ${finding}${cited.length === 0 ? '' : ` at ${cited.join(', ')}`}`;
}
