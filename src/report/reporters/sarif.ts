import { type Annotation, annotationOf, annotationsOf, RULES } from './annotations.js';
import type { MakeReporter } from './reporter.js';

/** SARIF 2.1.0, for code scanning. */
export const sarifReporter: MakeReporter = ({ tool }) => {
  const annotations: Annotation[] = [];
  return {
    result: (test) => {
      annotations.push(...annotationsOf(test));
      return '';
    },
    end: ({ diagnostics }) => sarifOf([...annotations, ...diagnostics.map(annotationOf)], tool),
  };
};

export function sarifOf(
  annotations: readonly Annotation[],
  tool: { readonly name: string; readonly version: string },
): string {
  const used = [...new Set(annotations.map(({ rule }) => rule))];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: tool.name,
            version: tool.version,
            rules: used.map((id) => ({ id, shortDescription: { text: RULES[id] } })),
          },
        },
        results: annotations.map(({ level, rule, title, message, path, line, column, accepted, isOutside }) => ({
          ruleId: rule,
          level,
          message: { text: message === title ? title : `${title}\n${message}` },
          ...(accepted !== undefined && {
            suppressions: [{ kind: isOutside ? 'external' : 'inSource', justification: accepted }],
          }),
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: path.split('/').map(encodeURIComponent).join('/') },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}
