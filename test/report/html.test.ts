import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/check/limits.js';
import { withModules } from '../../src/files/read-modules.js';
import type { ReportedTest } from '../../src/report/reported-test.js';
import { REPORTERS } from '../../src/report/reporters/reporters.js';
import { SuiteSummary } from '../../src/report/suite-summary.js';
import { PLAIN } from '../../src/report/text.js';
import { settingsOfModel } from '../../src/suite/job.js';
import { type CheckSettings, checkJob } from '../../src/suite/jobs/check.js';
import type { TestSource } from '../../src/suite/test-source.js';
import { LOOKS, violationsIn } from '../playground/accessibility.js';
import { hasBrowser, openBrowser } from '../playground/site.js';
import { builtInModel, ROOT, solver } from '../support.js';

const LAUNCHED = join(ROOT, 'litmus/kernels/launched');
/** A long name has to break on a narrow screen, and what is like markup must not become some. */
const LONG = 'MP+rel.gpu+acq.gpu+with-a-name-that-is-longer-than-a-narrow-screen-is-wide+and-goes-on';

const MP: TestSource = {
  path: 'MP.litmus',
  text: readFileSync(join(ROOT, 'litmus/classic/MP+rel.gpu+acq.gpu.litmus'), 'utf8'),
};
const BROKEN: TestSource = {
  path: 'broken.litmus',
  text: MP.text
    .replace(/^PTX \S+/, `PTX ${LONG}`)
    .replace('st.release.gpu', 'st.release.cta')
    .concat('\n// <script>alert(1)</script> & more\nexpect no-race\n'),
};
const kernel = (name: string): TestSource => {
  const path = join(LAUNCHED, `${name}.litmus`);
  return withModules({ path, text: readFileSync(path, 'utf8').replace('expect race', 'expect no-race') }, {});
};
/** Its repair takes long, as many are tried. */
const REPAIRED = kernel('blockreduce-broken');
let repaired: Promise<readonly ReportedTest[]> | undefined;
const checkedRepaired = (): Promise<readonly ReportedTest[]> => {
  repaired ??= checked(REPAIRED);
  return repaired;
};

async function checked(source: TestSource, pages: CheckSettings['pages'] = 'all'): Promise<readonly ReportedTest[]> {
  const model = builtInModel('ptx-9.4');
  const settings: CheckSettings = {
    ...{ unroll: 3, timeout: 60, solver: 'cdcl', engine: 'axiomatic', decide: 'order', openChoices: false },
    ...{ states: false, witnesses: 1, condition: undefined, emitSmt2: undefined, full: 'none', callers: false },
    ...{ reasons: false, herd: false, pages, json: false, times: false, strict: false, ownModels: [] },
    ...settingsOfModel(model, []),
  };
  const limits = { ...DEFAULT_LIMITS, timeout: 60_000 };
  return (await checkJob(settings)({ source }, { solver, limits })).value;
}

function pageOf(tests: readonly ReportedTest[], sources: readonly TestSource[]): string {
  const summary = new SuiteSummary();
  const reporter = REPORTERS.html({
    ...{ style: PLAIN, quiet: false, times: false, tool: { name: 'ptx-litmus', version: '1' }, header: () => ({}) },
    quoted: (path, place) => {
      const modules = Object.values(sources[place]?.modules ?? {});
      const known = [sources[place], ...modules.flatMap((one) => ('text' in one ? [one] : []))];
      const found = known.find((one) => one?.path === path);
      return found ?? (existsSync(path) ? { text: readFileSync(path, 'utf8') } : undefined);
    },
  });
  for (const [i, test] of tests.entries()) {
    summary.add(test);
    reporter.result?.(test, i);
  }
  const count = tests.length;
  return (
    reporter.end?.({ summary, diagnostics: [], unreadable: 0, sources: count, asked: count, time: undefined }) ?? ''
  );
}

const text = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>|<svg[\s\S]*?<\/svg>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&gt;/g, '>')
    .replace(/\s+/g, ' ');

describe('the page of a broken test', () => {
  let page: string;
  beforeAll(async () => {
    page = pageOf(await checked(BROKEN), [BROKEN]);
  });

  it('says what was asked and answered, and marks the two lines that race', () => {
    expect(text(page)).toContain('expect no-race broken');
    const marked = [...page.matchAll(/<tr class="marked">(.*?)<\/tr>/g)].map(([, row = '']) => text(row).trim());
    expect(marked).toEqual([expect.stringMatching(/st\.weak/), expect.stringMatching(/ld\.weak/)]);
  });

  it('has the threads side by side, the graph with the race, the story and a repair that was decided', () => {
    expect(page.match(/<div class="thread">/g)?.length).toBe(6);
    expect(page).toContain('data-relation="race!"');
    expect(text(page)).toContain('What is missing that would exclude it');
    expect(page).toMatch(/<span class="added">\+.*st\.release\.gpu/);
  });

  it('takes nothing from elsewhere, and no text of a test for markup', () => {
    expect(page).not.toMatch(/<script|<link|<img|src=|url\(|@import/);
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; more');
  });

  it('is the same each time', async () => {
    expect(pageOf(await checked(BROKEN), [BROKEN])).toBe(page);
  });
});

describe('the page of a kernel', () => {
  it('marks the line of the source program and those of the module, and repairs the kernel', async () => {
    const page = pageOf(await checkedRepaired(), [REPAIRED]);
    const marked = [...page.matchAll(/<tr class="marked">(.*?)<\/tr>/g)].map(([, row = '']) => text(row).trim());
    expect(marked[0]).toMatch(/22 if \(t < d\)|22 if \(t &lt; d\)/);
    expect(marked.slice(1)).toEqual([expect.stringMatching(/ld\.shared/), expect.stringMatching(/st\.shared/)]);
    expect(text(page)).toContain('__syncwarp()');
  });

  it('shows the two threads also where a run of all of them decides, and no execution', async () => {
    const source = kernel('blockreduce64-broken');
    const page = pageOf(await checked(source), [source]);
    expect(page.match(/<div class="thread">/g)?.length).toBe(2);
    expect(page).toMatch(/<svg[\s\S]*conflict[\s\S]*<\/svg>/);
  });
});

describe('the page of a suite', () => {
  it('has what was found first, rows alone for what is met, and stays small', async () => {
    const [met, broken] = [await checked(MP, 'found'), await checked(BROKEN, 'found')];
    const many = [...Array.from({ length: 1_700 }, () => met).flat(), ...broken];
    const page = pageOf(many, [...Array.from({ length: 1_700 }, () => MP), BROKEN]);
    expect(page).toContain('<h1>1701 tests: 1 broken, 1700 met</h1>');
    expect(page.indexOf(LONG)).toBeLessThan(page.indexOf('class="is-met"'));
    expect(page.match(/<article/g)?.length).toBe(1);
    expect(page.length).toBeLessThan(600_000);
  });

  it('has as many sections as a reader goes through, and says how many more there are', async () => {
    const broken = await checked(BROKEN, 'found');
    const many = Array.from({ length: 210 }, () => broken).flat();
    const page = pageOf(many, []);
    expect(page.match(/<article/g)?.length).toBe(200);
    expect(text(page)).toContain('10 more are in the index only');
  });
});

describe.skipIf(!hasBrowser)('in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-html-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    const tests = [await checked(BROKEN), await checkedRepaired(), await checked(MP)];
    writeFileSync(join(folder, 'page.html'), pageOf(tests.flat(), [BROKEN, REPAIRED, MP]));
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async (options: Parameters<Browser['newPage']>[0]) => {
    const page = await browser.newPage(options);
    await page.goto(pathToFileURL(join(folder, 'page.html')).href);
    return page;
  };

  it.each(LOOKS)('is accessible: $colorScheme, $width pixels wide', async (look) => {
    const { colorScheme, width } = look;
    const page = await open({ colorScheme, viewport: { width, height: 800 } });
    expect(await violationsIn(page, look)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.close();
  });

  it('shows the tests with one verdict, without a script', async () => {
    const page = await open({ javaScriptEnabled: false });
    expect(await page.locator('.tests tbody tr:visible').count()).toBe(3);
    await page.locator('#show-met').check();
    expect(await page.locator('.tests tbody tr:visible').count()).toBe(1);
    await page.close();
  });

  it('prints all of it: nothing clipped, nothing folded', async () => {
    const page = await open({ viewport: { width: 718, height: 1000 } });
    await page.emulateMedia({ media: 'print' });
    const clipped = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main .scroll, main pre, main table')]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.outerHTML.slice(0, 80)),
    );
    expect(clipped).toEqual([]);
    expect(await page.locator('details:not([open]) .thread:visible').count()).toBe(6);
    await page.close();
  });
});
