/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, violationsIn } from './accessibility.js';
import { hasBrowser, openSite, type Site } from './site.js';

const VIEWS = ['verdicts', 'why', 'picture', 'states', 'machine', 'compare', 'mend'] as const;

/** Of so many threads, each of which writes so often: 100,000 accesses. */
const LARGE = { threads: 4000, writes: 25 };
const SMALL = { threads: 16, writes: 2 };
const moduleOf = ({ threads, writes }: typeof LARGE): string => `.version 8.0
.target sm_90
.address_size 64
.visible .entry fill(.param .u64 p) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<6>;
  .reg .pred %p;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, ${threads / 8}, %r1;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r4, 0;
$L:
  st.global.u32 [%rd3], %r4;
  add.s32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, ${writes};
  @%p bra $L;
  ret;
}
`;
const kernelOf = ({ threads }: typeof LARGE): string => `PTX fill
{ .global .u32 out[${threads}]; }
launch K "fill.ptx" :: fill (out) @ grid 8, block ${threads / 8}
expect no-race
`;

const VIEWPORT = { width: 1280, height: 800 };

describe.skipIf(!hasBrowser)('the playground in a browser', () => {
  let site: Site;
  let page: Page;
  /** Of all visits that keep nothing: it is begun anew for each. */
  let tab: Page;
  const thrown: string[] = [];

  async function open(options: Parameters<Site['browser']['newContext']>[0]): Promise<Page> {
    const context = await site.browser.newContext({ viewport: VIEWPORT, ...options });
    const opened = await context.newPage();
    opened.on('pageerror', ({ message }) => thrown.push(message));
    return opened;
  }
  async function come(to: Page, fragment = ''): Promise<Page> {
    await to.goto(site.url + fragment);
    await to.waitForSelector('body[data-first-verdict]');
    return to;
  }
  /** A visitor who has never been here. */
  async function visit(fragment = ''): Promise<Page> {
    if (tab.url() !== 'about:blank') await tab.evaluate(() => localStorage.clear());
    await tab.emulateMedia({ colorScheme: null });
    await tab.setViewportSize(VIEWPORT);
    await tab.goto('about:blank');
    return come(tab, fragment);
  }
  /** One who will come again. */
  const stay = async (): Promise<Page> => come(await open({ serviceWorkers: 'allow' }));
  const answered = (): Promise<unknown> =>
    page.waitForFunction(() => document.querySelector('#answer')?.classList.contains('waiting') === false);
  const decided = (): Promise<unknown> =>
    page.waitForFunction(() => document.getElementById('status')?.textContent === 'decided and confirmed');
  const show = async (view: (typeof VIEWS)[number]): Promise<void> => {
    await page.click(`#views-${view}`);
    await answered();
  };
  const shown = (): Promise<string> => page.innerText('#answer');
  /** Puts a text in the place of what the editor has. */
  async function write(text: string): Promise<void> {
    await page.click('.cm-content');
    await page.evaluate((whole) => {
      document.execCommand('selectAll');
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', whole);
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('.cm-content')?.dispatchEvent(paste);
    }, text);
  }

  beforeAll(async () => {
    site = await openSite();
    tab = await open({ serviceWorkers: 'block' });
  });
  afterAll(() => site?.close());
  afterEach(async () => {
    if (page !== tab) await page.context().close();
    expect(thrown.splice(0)).toEqual([]);
  });

  it('answers at once by the checked proof, on the next visit by z3, then without a network too', async () => {
    page = await stay();
    await write(
      'PTX SB\n{ .global .u32 x; }\nP0 { st.global.u32 [x], 1; ld.global.u32 r0, [x]; }\nforbid (P0:r0 == 0)\n',
    );
    await decided();
    expect(await page.innerText('.confirmation')).toContain('by the checked proof: z3 needs a page that is isolated');
    expect(await page.innerText('#party')).toContain('confirmed by checked proof');
    await page.waitForSelector('#offer button');
    await page.reload();
    await page.waitForSelector('body[data-confirmed]');
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(await page.innerText('#party')).toMatch(/^confirmed by Z3/);
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForSelector('body[data-confirmed]');
    expect(await page.innerText('#party')).toMatch(/^confirmed by Z3/);
    await page.selectOption('#topic', 'classic');
    expect(await page.locator('#example option').count()).toBeGreaterThan(10);
  });

  it('shows mistakes where they are, and goes there', async () => {
    page = await visit();
    await write('PTX a\n{ }\nP0 { ld.relaksed.gpu.u32 r0, [x]; }\nexists (P0:r0 == 0)\n');
    await page.waitForSelector('.mistakes');
    expect(await shown()).toContain('unknown qualifier .relaksed');
    await page.waitForSelector('.cm-lintRange-error');
    await page.click('.mistakes .place');
    expect(await page.evaluate(() => document.activeElement?.classList.contains('cm-content'))).toBe(true);
  });

  it('explains, draws with the race marked, lists states, compares models, and mends', async () => {
    page = await visit();
    await show('why');
    expect(await shown()).toContain('What is missing that would exclude it');
    await show('picture');
    expect(await page.locator('.paper .node.marked').count()).toBeGreaterThan(0);
    await page.click('.relations label:has-text("rf")');
    await answered();
    await page.waitForFunction(() => document.querySelector('[data-relation="rf"]') === null);
    await show('states');
    expect(await shown()).toContain('final states');
    await show('compare');
    expect(await shown()).toContain('P1:r0 = 1, P1:r1 = 0');
    await show('mend');
    await page.click('.change button');
    await decided();
    await show('verdicts');
    expect(await shown()).not.toContain('BROKEN');
  });

  it('runs the machine forward, back, and by chance', async () => {
    page = await visit();
    await show('machine');
    await page.click('.choices li:first-child button');
    await page.waitForSelector('.steps li');
    await page.click('text=back');
    await page.waitForFunction(() => document.querySelector('.steps') === null);
    await page.click('text=forward');
    await page.waitForSelector('.steps li');
    for (let i = 0; i < 3; i++) {
      await page.click('text=a random step');
      await page.waitForFunction((count) => document.querySelectorAll('.steps li').length === count, i + 2);
    }
    expect(await shown()).toContain('nothing more happens');
  });

  it('has a tab for each module of a kernel test, and says what is wrong at the line of the program', async () => {
    page = await visit();
    await page.selectOption('#topic', 'kernels');
    await page.selectOption('#example', 'kernels/launched/cpasync-broken.litmus');
    await page.waitForFunction(() => document.querySelector('.findings')?.textContent?.includes('cpasync.cu'));
    expect(await page.innerText('#texts')).toContain('cpasync.ptx');
    expect(await page.innerText('.findings')).toMatch(/cpasync\.cu:\d+/);
    await page.click('#texts [role=tab]:has-text("cpasync.ptx")');
    expect(await page.innerText('.cm-content')).toContain('.version');
  });

  it('decides by a model that is edited', async () => {
    page = await visit();
    await page.click('#texts-model');
    await write('"mine"\nempty rf as No-Read-Finds-Anything\n');
    await decided();
    expect(await page.inputValue('#model')).toBe('my model');
    expect(await shown()).toContain('met');
    await page.selectOption('#model', 'sc');
    await decided();
    expect(await page.innerText('.cm-content')).not.toContain('mine');
  });

  it('links carry the test, its modules and the model', async () => {
    page = await visit();
    await write(kernelOf(SMALL));
    await page.click('#texts [role=tab]:has-text("fill.ptx")');
    await write(moduleOf(SMALL));
    await page.selectOption('#model', 'ptx-7.5');
    await decided();
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#v1.'));
    const fragment = await page.evaluate(() => location.hash);
    await visit(fragment);
    await decided();
    expect(await page.inputValue('#model')).toBe('ptx-7.5');
    expect(await page.innerText('#texts')).toContain('fill.ptx');
    expect(await shown()).toContain('met');
    await visit(fragment.slice(0, 40));
    expect(await page.innerText('.cm-content')).toContain('PTX MP');
  });

  it('does not freeze while a kernel of 100,000 accesses is decided', async () => {
    page = await visit();
    await write(kernelOf(LARGE));
    await page.click('#texts [role=tab]:has-text("fill.ptx")');
    await page.evaluate(() => {
      const measured = { longest: 0, begun: performance.now(), last: performance.now() };
      const tick = (): void => {
        const now = performance.now();
        measured.longest = Math.max(measured.longest, now - measured.last);
        measured.last = now;
        setTimeout(tick, 0);
      };
      tick();
      Object.assign(globalThis, { measured });
    });
    await write(moduleOf(LARGE));
    await decided();
    expect(await shown()).toContain('met');
    const { longest, begun, last } = await page.evaluate(
      () => (globalThis as unknown as { measured: { longest: number; begun: number; last: number } }).measured,
    );
    console.log(`longest pause of the page: ${longest.toFixed(0)} of ${(last - begun).toFixed(0)} ms`);
    // What decides takes most of the time, and none of the page's.
    expect(longest).toBeLessThan((last - begun) / 4);
  });

  it('is used by keyboard: tabs by arrows, and Tab leaves the editor', async () => {
    page = await visit();
    await page.focus('#views-verdicts');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('views-why');
    await page.keyboard.press('End');
    expect(await page.getAttribute('#views-mend', 'aria-selected')).toBe('true');
    await page.focus('.cm-content');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.classList.contains('cm-content'))).toBe(false);
  });

  it('completes and tells what an instruction means', async () => {
    page = await visit();
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('expect no-un');
    await page.waitForSelector('.cm-tooltip-autocomplete');
    expect(await page.innerText('.cm-tooltip-autocomplete')).toContain('no-undefined');
    await page.keyboard.press('Escape');
    await page.hover('.tok-instruction >> nth=0');
    expect(await page.innerText('.cm-tooltip.cm-tooltip-hover')).toContain('PTX ISA 9.7.10');
  });

  it('has a guided tour of six', async () => {
    page = await visit();
    await page.waitForFunction(() => document.querySelectorAll('#topic option').length > 10);
    await page.click('#tour');
    const titles: string[] = [];
    for (let i = 0; i < 6; i++) {
      await decided();
      await answered();
      titles.push(await page.innerText('#guide h2'));
      expect(await shown()).not.toContain('mistake');
      if (i < 5) await page.click('#guide >> text=next');
    }
    expect(new Set(titles).size).toBe(6);
    await page.click('text=end the tour');
    expect(await page.isHidden('#guide')).toBe(true);
  });

  it('is accessible in every view, in light and in dark, on wide screens and on narrow ones', async () => {
    page = await visit();
    for (const view of VIEWS) {
      await show(view);
      for (const look of LOOKS) {
        await page.emulateMedia({ colorScheme: look.colorScheme });
        await page.setViewportSize({ width: look.width, height: 800 });
        await page.waitForSelector(`html[data-theme=${look.colorScheme}]`);
        expect(await violationsIn(page, look), view).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      }
    }
  });
});
