import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Model } from '../cat/model.js';
import { BareText } from '../syntax/bare-text.js';
import { sha256 } from './digests.js';
import type { DecidingSettings, ModelSettings, SuiteTask } from './job.js';

/**
 * The keys of the answers that a job gives under some settings: everything that these follow from, and nothing else.
 * What is decided does not depend on how long it might have taken.
 */
export class CacheKeys {
  private readonly prefix: string;

  /** @param job - What is done with tests, by name. */
  constructor(job: string, settings: DecidingSettings & Partial<ModelSettings>, models: readonly Model[]) {
    const { timeout: _, memory: __, include: ___, model: ____, sources: _____, ...rest } = settings;
    this.prefix = sha256(JSON.stringify([buildHash(), job, sorted(rest), models.map(hashOfModel)]));
  }

  /** Of an answer that holds for every text that means the same. */
  bare(task: SuiteTask): string {
    return sha256(`bare ${this.given(task)}${new BareText(task.source.text).text}`);
  }

  /** Of an answer that quotes the text. */
  exact(task: SuiteTask): string {
    const { text, firstLine = 1 } = task.source;
    return sha256(`exact ${firstLine} ${this.given(task)}${text}`);
  }

  private given({ source: { path, modules, mostThreads, forwardProgress, accepted, at }, ...rest }: SuiteTask): string {
    const allowed = accepted === undefined ? '' : `allow ${JSON.stringify(accepted)}\n`;
    const kernels = modules === undefined ? '' : `${JSON.stringify([modules, mostThreads])}\n`;
    const promised = forwardProgress === undefined ? '' : `forward-progress ${forwardProgress}\n`;
    const size = at === undefined ? '' : `at ${at}\n`;
    return `${this.prefix} ${JSON.stringify(rest)}\n${path}\n${allowed}${promised}${size}${kernels}`;
  }
}

/** A model with its variants: its text and those that it includes, in order. */
export function hashOfModel({ name, sources, variants }: Model): string {
  return sha256(JSON.stringify([basename(name), [...variants].sort(), sources.map(({ text }) => text)]));
}

/** What decides: all code of the command line is one file. */
export function buildHash(): string {
  return sha256(readFileSync(fileURLToPath(import.meta.url), 'utf8'));
}

/** Fields in one order, whatever order they were given in. */
function sorted(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
