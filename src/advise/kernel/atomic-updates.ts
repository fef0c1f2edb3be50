import { type Span, textOf } from '../../diagnostics/source.js';
import type { Choices } from '../patch.js';
import { type Choice, NOTHING, type Site, type Spot } from '../sites.js';
import { type KernelCode, type KernelInstruction, lineOf } from './kernel-code.js';

const LOAD = /^ld\.(?:weak\.)?(global|shared)\.\w+\s+(%\w+),\s*(\[[^\]]*\])$/;
const STORE = /^st\.(?:weak\.)?(?:global|shared)\.\w+\s+(\[[^\]]*\]),\s*(%\w+)$/;

/** What is computed of the old value and another one, and how that is called in CUDA. */
const UPDATES: Readonly<Record<string, { readonly cuda: string; readonly types: readonly string[] }>> = {
  add: { cuda: 'atomicAdd', types: ['u32', 's32', 'u64', 'f32', 'f64'] },
  max: { cuda: 'atomicMax', types: ['u32', 's32', 'u64', 's64'] },
  min: { cuda: 'atomicMin', types: ['u32', 's32', 'u64', 's64'] },
  and: { cuda: 'atomicAnd', types: ['b32', 'b64'] },
  or: { cuda: 'atomicOr', types: ['b32', 'b64'] },
  xor: { cuda: 'atomicXor', types: ['b32', 'b64'] },
};

/** An update in one copy of a line: what is loaded, changed and stored again. */
interface Update {
  readonly load: Span;
  readonly store: Span;
  readonly text: string;
  readonly cuda: string;
}

/**
 * Lines that load a value, change it and store it in the same place, each as one atomic operation: that is what a
 * counter that threads share needs. Nothing else is made atomic.
 */
export function atomicUpdates({ instructions }: KernelCode): readonly Choices[] {
  return instructions.flatMap((load): readonly Choices[] => {
    if (!LOAD.test(textOf(load.spans[0]))) return [];
    const stores = instructions.filter(
      ({ spans }) => STORE.test(textOf(spans[0])) && lineOf(spans[0]) === lineOf(load.spans[0]),
    );
    return stores.flatMap((store) => {
      const updates = load.spans.map((span) => updateAt(span, store));
      const [first] = updates;
      const known = updates.filter((one) => one !== undefined);
      return first === undefined || known.length < updates.length || known.length < store.spans.length
        ? []
        : [asOne(load, store, known, first)];
    });
  });
}

function asOne(load: KernelInstruction, store: KernelInstruction, all: readonly Update[], first: Update): Choices {
  const spotsOf = ({ spans: [one, ...copies] }: KernelInstruction): Site['spots'] => {
    const spot = (span: Span): Spot => ({ span, instruction: span });
    return [spot(one), ...copies.map(spot)];
  };
  const present = (span: Span): Choice => ({ strength: 'weak', scope: undefined, text: textOf(span), cost: 0 });
  const atomic: Choice = {
    ...{ strength: 'relaxed', scope: 'gpu', text: first.text, cost: COST, cuda: first.cuda },
    textAt: ({ span }) => all.find((one) => one.load.start === span.start)?.text ?? textOf(span),
  };
  const loads: Site = {
    ...{ kind: 'access', threads: [], spots: spotsOf(load) },
    ...{ present: present(load.spans[0]), others: [atomic] },
  };
  const stores: Site = {
    ...{ kind: 'fence', threads: [], spots: spotsOf(store) },
    ...{
      present: { ...present(store.spans[0]), shown: `the ${textOf(store.spans[0]).split('.')[0]} of it` },
      others: [NOTHING],
    },
  };
  return new Map([
    [loads, atomic],
    [stores, NOTHING],
  ]);
}

const COST = 300;

function updateAt(load: Span, { spans }: KernelInstruction): Update | undefined {
  const store = spans.find(({ start }) => start > load.start);
  const [, space, register, from] = LOAD.exec(textOf(load)) ?? [];
  const [, address, value] = (store && STORE.exec(textOf(store))) ?? [];
  if (store === undefined || register === undefined || from !== address) return undefined;
  const between = load.source.text.slice(load.end, store.start);
  // What is between is one straight line.
  if (/^\s*[$\w]+:|\bbra\b/m.test(between)) return undefined;
  for (const [, operation = '', type = '', target, a = '', b = ''] of between.matchAll(
    /^\s*(\w+)(?:\.rn)?\.(\w+)\s+(%\w+),\s*([%\w.-]+),\s*([%\w.-]+);/gm,
  )) {
    const other: string = a === register ? b : a;
    const of = UPDATES[operation];
    if (target !== value || of === undefined || (a !== register && b !== register) || other === register) continue;
    const wanted = operation === 'add' && type === 's64' ? 'u64' : type;
    // What is added must be known before.
    if (!of.types.includes(wanted) || new RegExp(`^\\s*[\\w.:]+\\s+${other},`, 'm').test(between)) continue;
    const scope = space === 'shared' ? 'cta' : 'gpu';
    const text = `atom.relaxed.${scope}.${space}.${operation}.${wanted} ${register}, ${from}, ${other}`;
    return { load, store, text, cuda: `${of.cuda}(address, value)` };
  }
  return undefined;
}
