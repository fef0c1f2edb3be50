import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withModules } from '../../build/files/read-modules.js';
import { Cdcl, checkTest, isBroken, loadTests, readModel } from '../../build/library/index.js';

/**
 * Weakens a model in one place at a time and looks for a test of ours that notices: each axiom, flag or condition of
 * definedness taken away, each definition emptied, each alternative of a union and each side of an intersection
 * dropped, what is taken away by a difference left in. Survivors must be listed in models/README.md, under "Redundant",
 * with the reason.
 *
 * node test/models/mutate-model.mjs [model] [pattern of mutants]
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const [name = 'ptx-9.4', pattern = ''] = process.argv.slice(2);
const source = { path: `${name}.cat`, text: readFileSync(join(root, 'models', `${name}.cat`), 'utf8') };
const original = readModel(name, source).value;
const listed = new Set(
  [...readFileSync(join(root, 'models/README.md'), 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(([, mutant]) =>
    mutant.replaceAll('\\|', '|'),
  ),
);

const programs = readdirSync(join(root, 'litmus'), { recursive: true })
  .filter((file) => file.endsWith('.litmus'))
  .flatMap((file) => {
    const path = join(root, 'litmus', file);
    return loadTests(withModules({ path, text: readFileSync(path, 'utf8') }, {})).value ?? [];
  });
const killers = new Map();
const solver = new Cdcl();

const textOf = ({ source: { text }, start, end }) => text.slice(start, end).replace(/\s+/g, ' ');
const empty = (span, of) => ({ kind: 'empty', of, span });

/** The kinds of all definitions, found out by reading: an emptied one must keep its kind. */
function isSet(binding) {
  const text = `${source.text}\nlet probe = [${binding}]\n`;
  return readModel('probe', { path: 'probe.cat', text }).value !== undefined;
}

/**
 * Every way to change one place of an expression: [description, expression]. What stands in [ ] or in a set says of
 * which kind an event is; there only alternatives are dropped, since most of it follows from the relations beside it.
 */
function* weakened(expression, ofSets = false) {
  if (expression.kind === 'binary') {
    const { operator, left, right } = expression;
    if (operator === 'product') return;
    if (operator === 'union' || (operator === 'intersection' && !ofSets)) {
      yield [`without ${textOf(right.span)}`, left];
      yield [`without ${textOf(left.span)}`, right];
    }
    if (operator === 'difference' && !ofSets) yield [`with ${textOf(right.span)}`, left];
    for (const [what, changed] of weakened(left, ofSets)) yield [what, { ...expression, left: changed }];
    for (const [what, changed] of weakened(right, ofSets)) yield [what, { ...expression, right: changed }];
  } else if (expression.kind === 'unary') {
    for (const [what, changed] of weakened(expression.operand, ofSets || expression.operator === 'identity'))
      yield [what, { ...expression, operand: changed }];
  }
}

function* mutants() {
  for (const [index, statement] of original.statements.entries()) {
    const with_ = (changed) =>
      original.statements.map((one, i) => (i === index ? changed : one)).filter((one) => one !== undefined);
    if (statement.kind === 'check') {
      yield [`${statement.name} removed`, with_(undefined)];
      for (const [what, expression] of weakened(statement.expression))
        yield [`${statement.name} ${what}`, with_({ ...statement, expression })];
    } else if (statement.kind === 'let') {
      for (const [i, binding] of statement.bindings.entries()) {
        const rebound = (body) =>
          with_({ ...statement, bindings: statement.bindings.map((one, j) => (j === i ? { ...one, body } : one)) });
        yield [
          `${binding.name} empty`,
          rebound(empty(binding.span, binding.parameters === undefined && isSet(binding.name) ? 'set' : 'relation')),
        ];
        for (const [what, body] of weakened(binding.body, binding.parameters === undefined && isSet(binding.name)))
          yield [`${binding.name} ${what}`, rebound(body)];
      }
    }
  }
}

/** Whether a test, decided under the mutant, is no longer as expected. */
function notices(program, model) {
  const result = checkTest(solver, program, model, {
    unroll: 3,
    timeout: 20_000,
    clock: () => performance.now(),
    states: false,
    reasons: false,
    // Of launches too the model decides, and not the order of one run.
    follow: false,
  });
  return isBroken(result);
}

let killed = 0;
const survivors = [];
for (const [what, statements] of mutants()) {
  if (!what.includes(pattern)) continue;
  const model = { ...original, statements, checks: statements.filter((one) => one.kind === 'check') };
  // Tests that noticed others are the likeliest to notice this one.
  const order = [...programs].sort((a, b) => (killers.get(b) ?? 0) - (killers.get(a) ?? 0));
  const killer = order.find((program) => notices(program, model));
  if (killer === undefined) {
    survivors.push(what);
    console.log(`survives   ${what}${listed.has(what) ? '   (listed)' : ''}`);
  } else {
    killed += 1;
    killers.set(killer, (killers.get(killer) ?? 0) + 1);
    console.log(`noticed    ${what}   by ${killer.name}`);
  }
}
const unexplained = survivors.filter((what) => !listed.has(what));
console.log(
  `${killed + survivors.length} mutants of ${name}: ${killed} noticed, ${survivors.length} survive, ` +
    `${unexplained.length} of them not listed in models/README.md`,
);
if (unexplained.length > 0) process.exitCode = 1;
