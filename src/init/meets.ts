import type { ModuleFile } from '../syntax/module-ast.js';
import { addressedBy, type DataFlow, type Step } from './data-flow.js';
import { constantIn } from './number-meaning.js';

/**
 * For what one thread of each CTA meets those of others, if it does: an atomic at memory that all share, not only for
 * its CTA, where threads are asked whether they are a certain one.
 */
export function meetsIn(module: ModuleFile, flow: DataFlow): 'lock' | 'count' | undefined {
  const isOne = flow.steps.some(
    (step) =>
      step.mnemonic === 'setp' &&
      (step.words.has('eq') || step.words.has('ne')) &&
      flow.specialsOf(step).includes('tid.x') &&
      step.sources.some((one) => constantIn(flow, one, 32) !== undefined),
  );
  const atomics = flow.steps.filter(
    (step) =>
      (step.mnemonic === 'atom' || step.mnemonic === 'red') &&
      !step.words.has('cta') &&
      !step.words.has('cluster') &&
      isShared(module, flow, step),
  );
  if (!isOne || atomics.length === 0) return undefined;
  return atomics.some(({ words }) => words.has('cas')) ? 'lock' : 'count';
}

/** Whether a step addresses global memory, as it says, or as its address is made. */
function isShared({ variables }: ModuleFile, flow: DataFlow, step: Step): boolean {
  if (step.words.has('global')) return true;
  if ([...step.words].some((word) => word.startsWith('shared'))) return false;
  const isGlobal = (name: string): boolean =>
    variables.some(
      ({ variable }) => variable.name === name && variable.directives.some((one) => one.name === 'global'),
    );
  return addressedBy(step).some(
    (base) =>
      isGlobal(base) ||
      flow.rootsOf(base).some((root) => root.kind === 'slot' || (root.kind === 'variable' && isGlobal(root.name))),
  );
}
