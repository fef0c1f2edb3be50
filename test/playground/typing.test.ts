/// <reference lib="dom" />
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { hasBrowser, openSite, type Site } from './site.js';

/** How many tests are typed; TYPING_TESTS=200 takes an hour. */
const TESTS = Number(process.env['TYPING_TESTS'] ?? 2);
/** A fast typist, in milliseconds a key. */
const PER_KEY = 20;
/** In bytes: what the page and its workers may grow by, beside what a collector leaves. */
const GROWTH = 60 << 20;

/** Small tests of every topic, one after the other. */
function testsToType(): readonly string[] {
  const litmus = join(ROOT, 'litmus');
  const paths = readdirSync(litmus, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.litmus') && !path.includes('kernels'))
    .sort();
  const longest = TESTS > 10 ? 900 : 250;
  const texts = paths.map((path) => readFileSync(join(litmus, path), 'utf8')).filter(({ length }) => length < longest);
  const step = Math.max(1, Math.floor(texts.length / TESTS));
  return texts.filter((_, i) => i % step === 0).slice(0, TESTS);
}

describe.skipIf(!hasBrowser)('typing into the page, every prefix of some tests', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  it('throws nothing, ends with the verdicts of the whole test, and does not grow', async () => {
    const page = await site.browser.newPage();
    const thrown: string[] = [];
    page.on('pageerror', ({ message }) => thrown.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') thrown.push(message.text());
    });
    await page.goto(site.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await page.waitForSelector('body[data-confirmed]');
    const memory = (): Promise<number> =>
      page.evaluate(async () => {
        const measuring = performance as unknown as {
          measureUserAgentSpecificMemory(): Promise<{ readonly bytes: number }>;
        };
        return (await measuring.measureUserAgentSpecificMemory()).bytes;
      });
    const measured: number[] = [];
    const texts = testsToType();
    for (const [i, text] of texts.entries()) {
      await page.evaluate(typeEveryPrefix, { text, perKey: PER_KEY });
      await page.waitForFunction(() => document.getElementById('status')?.textContent === 'decided and confirmed');
      const name = /^PTX (.*)$/m.exec(text)?.[1]?.trim();
      expect(await page.textContent('#answer h2')).toBe(name);
      expect(await page.textContent('#status')).not.toContain('bug');
      if (i % 20 === 0 || i === texts.length - 1) measured.push(await memory());
    }
    expect(thrown).toEqual([]);
    console.log(`${texts.length} tests; memory in MiB: ${measured.map((one) => Math.round(one / 2 ** 20)).join(' ')}`);
    // The first time everything is loaded.
    expect(measured.at(-1)).toBeLessThan((measured[1] ?? measured[0] ?? 0) + GROWTH);
    await page.close();
  }, 7_200_000);
});

/** In the page: pastes one prefix after the other over what is there, as the editor takes a paste. */
async function typeEveryPrefix({ text, perKey }: { readonly text: string; readonly perKey: number }): Promise<void> {
  const content = document.querySelector<HTMLElement>('.cm-content');
  if (content === null) throw new Error('no editor');
  content.focus();
  for (let length = 1; length <= text.length; length++) {
    document.execCommand('selectAll');
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text.slice(0, length));
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    await new Promise((resolve) => setTimeout(resolve, perKey));
  }
}
