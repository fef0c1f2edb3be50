import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { unit } from './measure.mjs';

/**
 * `npm run bench -- [--only cold,batch] [--limit 60] [--out FILE] [--compare FILE] [--peer name='command {file}']`: see
 * bench/README.md. Prints a table, seconds beside ratios to `node -e 0`, and writes the same as JSON.
 */
const SECTIONS = [
  'cold',
  'stages',
  'batch',
  'suites',
  'families',
  'pipelines',
  'launches',
  'ranges',
  'timeouts',
  'editors',
];
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: SECTIONS.join() },
    limit: { type: 'string', default: '60' },
    out: { type: 'string', default: 'bench-results.json' },
    compare: { type: 'string' },
    peer: { type: 'string', multiple: true, default: [] },
  },
});
const peers = values.peer.map((text) => {
  const [, name, command] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (command === undefined || !command.includes('{file}'))
    throw new Error(`--peer takes name='command {file}', found ${text}`);
  return { name, command: (file) => command.replaceAll('{file}', file) };
});
const wanted = values.only.split(',');
const unknown = wanted.find((section) => !SECTIONS.includes(section));
if (unknown !== undefined) throw new Error(`no section ${unknown}: expected ${SECTIONS.join(', ')}`);
const before = values.compare ?? (existsSync(values.out) ? values.out : undefined);
const earlier = before === undefined ? undefined : JSON.parse(readFileSync(before, 'utf8'));

const node = unit();
console.log(`node -e 0: ${node.toFixed(3)} s; node ${process.version}, ${cpus()[0]?.model ?? 'unknown'}`);
const results = { node, version: process.version, sections: { ...earlier?.sections } };
for (const section of wanted) {
  const { title, rows } = await import(`./sections/${section}.mjs`);
  console.log(`\n${title}\n${'seconds'.padStart(74)}${'/ node'.padStart(10)}${earlier ? '  / before' : ''}`);
  const measured = {};
  for await (const { name, seconds, number } of rows({ limit: Number(values.limit), peers })) {
    const ratio = seconds === undefined ? number : seconds / node;
    measured[name] = ratio ?? null;
    const old = earlier?.sections[section]?.[name];
    const shown = seconds === undefined ? (number === undefined ? '-' : number.toFixed(2)) : seconds.toFixed(4);
    console.log(
      name.padEnd(64) +
        shown.padStart(10) +
        (seconds === undefined ? '' : ratio.toFixed(2)).padStart(10) +
        (old && ratio ? (ratio / old).toFixed(2).padStart(10) : ''),
    );
  }
  results.sections[section] = measured;
}
writeFileSync(values.out, `${JSON.stringify(results, undefined, 2)}\n`);
