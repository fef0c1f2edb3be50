import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkVariants } from '../../src/check/check-variants.js';
import { crossCheck } from '../../src/check/cross-check.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { loadInOrder, loadModel } from '../../src/library/node.js';
import { type ReportedTest, type ReportOptions, reportedTest } from '../../src/report/reported-test.js';
import { reportedDiagnostic } from '../../src/report/reporters/reporter.js';
import {
  type CheckRun,
  REPORTERS,
  type Reporter,
  type ReporterContext,
  type ReporterName,
} from '../../src/report/reporters/reporters.js';
import { SuiteSummary } from '../../src/report/suite-summary.js';
import { PLAIN } from '../../src/report/text.js';
import { headerOf } from '../../src/suite/header.js';
import { builtInModel, checkProgram, litmus, programOf, ROOT, solver } from '../support.js';

const MEMORY = '.global .u32 x = 0; .global .u32 y = 0;';
const MP = litmus(
  MEMORY,
  [
    'st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;',
    'ld.acquire.gpu.global.u32 r0, [y]; ld.weak.global.u32 r1, [x];',
  ],
  'forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale\npermit (P1:r0 == 1)\nforbid (P1:r0 == 1) as always',
);
const RACE = litmus(
  '.global .u32 x = 0;',
  ['st.weak.global.u32 [x], 1;', 'ld.weak.global.u16 r0, [x];'],
  'forbid (P1:r0 == 7)',
);
const HANGS = litmus(
  '.shared .b64 bar = mbarrier(1);',
  ['wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0; @!p bra wait;'],
  'expect deadlock\nexpect no-race',
);
const ENDLESS = litmus(
  '.global .u32 x = 0;',
  ['again: atom.exch.relaxed.gpu.global.b32 r0, [x], 1; setp.ne.u32 p, r0, 5; @p bra again;'],
  'forbid (P0:r0 == 5)',
);

let results: TestResult[];
let run: CheckRun;
beforeAll(async () => {
  results = [];
  for (const text of [MP, RACE, HANGS, ENDLESS])
    results.push(await checkProgram(programOf(text), 'ptx-9.4', { states: true, reasons: true }));
  const program = programOf(readFileSync(join(ROOT, 'litmus/async/bulk.s2g-own-source-write.litmus'), 'utf8'));
  const options = { unroll: 3, timeout: 60_000, clock: () => performance.now(), states: false, reasons: true };
  const result = await checkProgram(program, 'ptx-9.4', options);
  const withVariant = (variant: string) =>
    loadModel('ptx-9.4', [], new Set([variant])).value ?? builtInModel('ptx-9.4');
  results.push({
    ...result,
    unspecified: checkVariants(solver, program, result, withVariant, options),
    crossCheck: crossCheck(solver, program, builtInModel('ptx-9.4'), loadInOrder(), options),
  });
  const { diagnostics } = loadTests({
    path: 'bad,file.litmus',
    text: 'PTX bad\n{ x = 0; }\nP0 { ld.releese.u32 r0, [x]; }\n',
  });
  const summary = new SuiteSummary();
  for (const one of reported()) summary.add(one);
  const count = results.length + 1;
  run = {
    summary,
    diagnostics: diagnostics.map(reportedDiagnostic),
    unreadable: 1,
    sources: count,
    asked: count,
    time: 1234,
  };
});

function reported(): readonly ReportedTest[] {
  const options: ReportOptions = {
    tool: { name: 'ptx-litmus', version: '1', solver: 'Z3' },
    hashOf: () => 'a'.repeat(64),
    md5: () => 'b',
    witnesses: 1,
    full: false,
    callers: false,
    herd: true,
    json: true,
    times: true,
  };
  return results.map((result) => reportedTest(result, options));
}

function printed(name: ReporterName): string {
  const context: ReporterContext = {
    style: PLAIN,
    quiet: false,
    times: true,
    tool: { name: 'ptx-litmus', version: '1' },
    header: () => headerOf('check', [], [builtInModel('ptx-9.4')], {}, undefined),
  };
  const reporter: Reporter = REPORTERS[name](context);
  return [
    reporter.begin?.(),
    ...reported().map((test, i) => reporter.result?.(test, i)),
    ...run.diagnostics.map((one) => reporter.diagnostic?.(one, results.length)),
    reporter.end?.(run),
  ].join('');
}

describe('the published schema', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'src/report/schema/check-1.schema.json'), 'utf8')) as object;
  const ajv = new Ajv({ allowUnionTypes: true });
  const whole = ajv.compile(schema);
  const line = ajv.compile({ $ref: 'urn:ptx-litmus:check:1#/definitions/line' });

  it('describes what the json reporter prints, field by field', () => {
    expect(whole(JSON.parse(printed('json'))), ajv.errorsText(whole.errors)).toBe(true);
  });

  it('describes each line of the ndjson reporter', () => {
    const lines = printed('ndjson').trimEnd().split('\n');
    expect(lines.length).toBe(results.length + run.diagnostics.length + 2);
    for (const text of lines) expect(line(JSON.parse(text)), ajv.errorsText(line.errors)).toBe(true);
  });

  it('notices a field that is missing, and one that it does not know', () => {
    const { results: all, ...rest } = JSON.parse(printed('json')) as { results: object[] };
    expect(whole(rest)).toBe(false);
    expect(whole({ ...rest, results: [{ ...all[0], surprise: 1 }] })).toBe(false);
  });
});

describe('the junit reporter', () => {
  it('has a case for each expectation, with what failed and what is undecided', () => {
    const xml = printed('junit');
    expect(xml).toContain('<testsuites name="ptx-litmus" tests="13" failures="2" errors="1" skipped="1"');
    expect(xml).toContain('name="forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale"');
    expect(xml).toContain('<failure message="observation: Sometimes">');
    expect(xml).toContain('<skipped message="bound"/>');
    expect(xml).toContain('<error message="L0102:');
  });

  it('is well-formed: every tag is closed, and nothing stands unescaped', () => {
    const open: string[] = [];
    const rest = printed('junit')
      .replace(/<\?xml[^>]*\?>/, '')
      .replace(/<(\/?)(\w+)((?: \w+="[^"<]*")*)(\/?)>/g, (_, end: string, name: string, __, empty: string) => {
        if (end === '/') expect(open.pop()).toBe(name);
        else if (empty === '') open.push(name);
        return '';
      });
    expect(open).toEqual([]);
    expect(rest).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|#10);)/);
  });
});

describe('the sarif reporter', () => {
  it('has a result with a place for each annotation, and a rule for each result', () => {
    const log = JSON.parse(printed('sarif')) as {
      version: string;
      runs: {
        tool: { driver: { rules: { id: string }[] } };
        results: {
          ruleId: string;
          level: string;
          locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[];
        }[];
      }[];
    };
    expect(log.version).toBe('2.1.0');
    const [only] = log.runs;
    const rules = only?.tool.driver.rules.map(({ id }) => id);
    expect(rules).toEqual(['broken-expectation', 'undecided', 'mistake']);
    expect(only?.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['broken-expectation', 'error'],
      ['broken-expectation', 'error'],
      ['undecided', 'warning'],
      ['mistake', 'error'],
    ]);
    for (const { locations } of only?.results ?? [])
      expect(locations[0]?.physicalLocation.region.startLine).toBeGreaterThan(0);
    expect(only?.results.at(-1)?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('bad%2Cfile.litmus');
  });
});

describe('the github reporter', () => {
  it('prints a command for each annotation, on one line, with commas and colons of paths escaped', () => {
    const lines = printed('github').trimEnd().split('\n');
    expect(lines.filter((one) => one.startsWith('::error '))).toHaveLength(3);
    expect(lines.filter((one) => one.startsWith('::warning '))).toHaveLength(1);
    expect(lines.some((one) => one.startsWith('::error file=bad%2Cfile.litmus,line=3,col='))).toBe(true);
    expect(lines.find((one) => one.includes('is not met'))).toContain('%0A');
    expect(lines.at(-1)).toContain('5 tests');
  });
});
