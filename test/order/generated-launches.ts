import { Random } from '../../src/generate/random.js';

/** A launch of a few threads that is generated, with its module. */
export interface GeneratedLaunch {
  readonly name: string;
  readonly text: string;
  readonly modules: Readonly<Record<string, { readonly path: string; readonly text: string }>>;
}

/** How launches are made of a plan, into which mistakes are put. */
interface Making<Plan> {
  readonly planOf: (random: Random) => Plan;
  readonly spoil: (plan: Plan, random: Random) => void;
  readonly textOf: (name: string, plan: Plan) => string;
  readonly moduleOf: (plan: Plan) => string;
}

/** Launches of some kind, most of them with one or two mistakes. */
export function* generatedLaunches<Plan>(
  kind: string,
  seed: number,
  { planOf, spoil, textOf, moduleOf }: Making<Plan>,
): Generator<GeneratedLaunch> {
  for (let number = 0; ; number++) {
    const random = new Random(seed * 100_003 + number);
    const plan = planOf(random);
    for (let left = random.below(3); left > 0; left--) spoil(plan, random);
    const name = `${kind}-${seed}-${number}`;
    yield { name, text: textOf(name, plan), modules: { 'k.ptx': { path: 'k.ptx', text: moduleOf(plan) } } };
  }
}
