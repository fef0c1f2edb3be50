import { type Formula, type Formulas, TRUE } from './formula.js';

/**
 * Formulas as an SMT-LIB 2 script with one check: a definition for each shared conjunction, the variables with their
 * meaning.
 */
export function smtLib(builder: Formulas, assertions: readonly Formula[], title: string): string {
  const lines = [`; ${title}`, '(set-logic QF_UF)'];
  const done = new Set<number>([0]);
  const literal = (formula: Formula): string => {
    const name = formula >> 1 === 0 ? 'false' : `v${formula >> 1}`;
    return (formula & 1) === 0 ? name : formula >> 1 === 0 ? 'true' : `(not ${name})`;
  };
  const define = (root: Formula): void => {
    const stack = [root >> 1];
    for (let index = stack[stack.length - 1]; index !== undefined; index = stack[stack.length - 1]) {
      const node = builder.node((index * 2) as Formula);
      const missing =
        done.has(index) || node.kind === 'variable' ? [] : node.operands.filter((operand) => !done.has(operand >> 1));
      if (missing.length > 0) {
        for (const operand of missing) stack.push(operand >> 1);
        continue;
      }
      stack.pop();
      if (done.has(index)) continue;
      done.add(index);
      lines.push(
        node.kind === 'variable'
          ? `(declare-const v${index} Bool) ; ${node.name}`
          : `(define-fun v${index} () Bool (and ${node.operands.map(literal).join(' ')}))`,
      );
    }
  };
  for (const assertion of assertions) {
    if (assertion === TRUE) continue;
    define(assertion);
    lines.push(`(assert ${literal(assertion)})`);
  }
  lines.push('(check-sat)', '');
  return lines.join('\n');
}
