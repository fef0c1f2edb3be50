import { SCHEMA_VERSION } from '../json.js';
import type { MakeReporter, ReportedDiagnostic } from './reporter.js';

/** One JSON object, written as results come: a suite need not fit into memory. */
export const jsonReporter: MakeReporter = () => {
  let written = 0;
  return {
    begin: () => `{\n  "schemaVersion": ${SCHEMA_VERSION},\n  "results": [`,
    result: ({ json }) => `${written++ === 0 ? '' : ','}\n${indented(json)}`,
    end: ({ diagnostics }) => {
      const list = diagnostics.map((one) => indented(withoutText(one))).join(',\n');
      return `${written === 0 ? '' : '\n  '}],\n  "diagnostics": [${list === '' ? '' : `\n${list}\n  `}]\n}\n`;
    },
  };
};

const indented = (value: unknown): string => JSON.stringify(value, undefined, 2).replace(/^/gm, '    ');

/** What the schema says of a mistake. */
export function withoutText({ rendered: _, ...json }: ReportedDiagnostic): object {
  return json;
}
