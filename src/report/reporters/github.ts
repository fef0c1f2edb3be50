import { PLAIN } from '../text.js';
import { type Annotation, annotationOf, annotationsOf } from './annotations.js';
import type { MakeReporter } from './reporter.js';

/** Workflow commands of GitHub Actions: each annotation shows beside its line in a pull request. */
export const githubReporter: MakeReporter = () => ({
  result: (result) => githubCommands(annotationsOf(result)),
  end: ({ diagnostics, summary, unreadable, time }) =>
    `${githubCommands(diagnostics.map(annotationOf))}${summary.text(unreadable, time, PLAIN)}\n`,
});

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

export function githubCommands(annotations: readonly Annotation[]): string {
  return annotations
    .map(
      ({ level, path, line, column, title, message }) =>
        `::${COMMANDS[level]} ` +
        `file=${property(path)},line=${line},col=${column},title=${property(title)}::${data(message)}\n`,
    )
    .join('');
}

const data = (text: string): string => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
