import { type Formula, type Formulas, nodesUnder, TRUE } from './formula.js';

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
  for (const assertion of assertions) {
    if (assertion === TRUE) continue;
    for (const [index, node] of nodesUnder(builder, assertion, done)) {
      done.add(index);
      lines.push(
        node.kind === 'variable'
          ? `(declare-const v${index} Bool) ; ${node.name}${node.bit === undefined ? '' : `.${node.bit}`}`
          : `(define-fun v${index} () Bool (and ${node.operands.map(literal).join(' ')}))`,
      );
    }
    lines.push(`(assert ${literal(assertion)})`);
  }
  lines.push('(check-sat)', '');
  return lines.join('\n');
}
