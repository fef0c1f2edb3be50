import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { type Run, runHere } from './run.js';

const schemaOf = (name: string): object =>
  JSON.parse(readFileSync(join(ROOT, `src/report/schema/${name}-1.schema.json`), 'utf8')) as object;

const RACY = `PTX racy
{ .global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0; }
P0 @ cta 0, gpu 0 {
  st.weak.global.u32 [x], 1;
  st.weak.global.u32 [y], 1;
}
P1 @ cta 1, gpu 0 {
  ld.weak.global.u32 r0, [x];
  ld.weak.global.u32 r1, [y];
}
expect no-race
forbid (P1:r0 == 0)
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-findings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const test = (text: string): void => writeFileSync(join(folder, 'racy.litmus'), text);
const check = (...args: readonly string[]): Promise<Run> => runHere(['check', 'racy.litmus', ...args], folder);
const listed = (): readonly object[] =>
  (JSON.parse(readFileSync(join(folder, 'known.json'), 'utf8')) as { list: readonly object[] }).list;

describe('a baseline of findings', () => {
  beforeAll(async () => {
    test(RACY);
    await check('--write-findings', 'known.json');
  });

  it('has all that is broken, every race of a test too, as its schema says', () => {
    expect(listed().length).toBe(3);
    const isValid = new Ajv().compile(schemaOf('findings'));
    expect(isValid(JSON.parse(readFileSync(join(folder, 'known.json'), 'utf8')))).toBe(true);
  });

  it('breaks nothing, tells what it accepts, and counts it', async () => {
    test(RACY);
    const { code, out } = await check('--baseline', 'known.json');
    expect(code).toBe(0);
    expect(out).toContain('accepted: forbid (P1:r0 == 0): listed in known.json');
    expect(out).toContain('3 findings accepted');
  });

  it('does not mind an edit above, nor one for the eye', async () => {
    test(
      RACY.replace('P0 @', '\n// moved\nP0 @').replace(
        '  st.weak.global.u32 [y], 1;',
        '\tst.weak.global.u32  [y], 1; // y',
      ),
    );
    expect((await check('--baseline', 'known.json')).code).toBe(0);
  });

  it('hides no other race of the same test', async () => {
    test(
      RACY.replace('[y], 1;', '[y], 1;\n  st.weak.global.u32 [z], 1;').replace(
        'r1, [y];',
        'r1, [y];\n  ld.weak.global.u32 r2, [z];',
      ),
    );
    const { code, out } = await check('--baseline', 'known.json');
    expect(code).toBe(1);
    expect(out).toMatch(/expect no-race: BROKEN[\s\S]*\[z\]/);
  });

  it('tells what is gone, and is written anew without it', async () => {
    test(RACY.replace('st.weak.global.u32 [y], 1;', '').replace('forbid (P1:r0 == 0)', 'permit (P1:r0 == 0)'));
    const { code, err } = await check('--baseline', 'known.json', '--write-findings', 'known.json');
    expect(code).toBe(0);
    expect(err).toContain('known.json: gone: racy: forbid (P1:r0 == 0)');
    expect(err).toContain('at "ld.weak.global.u32 r1, [y];" and "st.weak.global.u32 [y], 1;"');
    expect(listed().length).toBe(1);
  });
});

describe('what is no baseline of findings', () => {
  it.each(['{', '[]', '{"findings": 2, "list": []}', '{"findings": 1, "list": [{"test": "a"}]}'])(
    'is told as such: %s',
    async (text) => {
      test(RACY);
      writeFileSync(join(folder, 'wrong.json'), text);
      const { code, err } = await check('--baseline', 'wrong.json');
      expect(code).toBe(2);
      expect(err).toMatch(/^ptx-litmus: wrong\.json: expected what "check --write-findings" writes.*\n$/);
    },
  );
});

describe('what is accepted from outside of a test', () => {
  it('is in JSON beside what was found, and suppressed in SARIF', async () => {
    test(RACY);
    writeFileSync(
      join(folder, 'ptx-litmus.json'),
      JSON.stringify({
        allow: [
          { test: 'ra*', finding: 'race', at: ['4', '8'], reason: 'x is a hint' },
          { test: 'racy', claim: 'forbid *', reason: 'issue 12' },
        ],
      }),
    );
    const { code, err } = await check('-f', 'json=all.json', '-f', 'sarif=all.sarif', '-f', 'html=all.html');
    rmSync(join(folder, 'ptx-litmus.json'));
    expect(err).toBe('');
    // The race at y is not accepted.
    expect(code).toBe(1);
    const json = JSON.parse(readFileSync(join(folder, 'all.json'), 'utf8')) as { results: readonly object[] };
    expect(new Ajv({ allowUnionTypes: true }).compile(schemaOf('check'))(json)).toBe(true);
    expect(json.results[0]).toMatchObject({
      allowed: [{ claim: 'forbid (P1:r0 == 0)', because: 'issue 12 (ptx-litmus.json:1)' }],
      accepted: [{ allowance: 'allow race at 4, 8', because: 'x is a hint (ptx-litmus.json:1)', found: true }],
    });
    const sarif = readFileSync(join(folder, 'all.sarif'), 'utf8');
    expect(sarif.match(/"kind": "external"/g)?.length).toBe(2);
    expect(sarif.match(/"level": "error"/g)?.length).toBe(1);
    expect(readFileSync(join(folder, 'all.html'), 'utf8')).toContain('issue 12 (ptx-litmus.json:1)');
  });
});
