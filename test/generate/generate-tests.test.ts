import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { CYCLE_FAMILIES, familyOf } from '../../src/generate/families.js';
import { parseCycle } from '../../src/generate/parse-cycle.js';
import { drawTests } from './draw-tests.js';

describe('drawn tests', () => {
  const tests = drawTests(360, 1);

  it('are the same for the same seed, and others for another one', () => {
    expect(drawTests(100, 1)).toEqual(tests.slice(0, 100));
    const others = new Set(drawTests(100, 2).map(({ text }) => text));
    expect(tests.filter(({ text }) => others.has(text)).length).toBeLessThan(10);
  });

  it('have names of their own, that a file can have', () => {
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
    expect(tests.filter(({ name }) => !/^[\w.+-]{1,200}$/.test(name))).toEqual([]);
  });

  it('are different programs', () => {
    expect(new Set(tests.map(({ text }) => text.replace(/^.*\n.*\n/, ''))).size).toBe(tests.length);
  });

  it('are read without error or warning', () => {
    for (const { name, text } of tests) {
      const { value, diagnostics } = loadTests({ path: `${name}.litmus`, text });
      expect(renderDiagnostics(diagnostics)).toBe('');
      expect(value).toHaveLength(1);
    }
  });

  it('use mbarriers, asynchronous accesses or proxies by half', () => {
    const newer = tests.filter(({ text }) => /mbarrier|async|aliases|fence\.proxy/.test(text));
    expect(newer.length).toBeGreaterThanOrEqual(tests.length / 2);
  });

  it('come in every family of cycles, each in its own', () => {
    for (const family of CYCLE_FAMILIES) {
      const own = drawTests(40, 4, { families: [family] });
      expect(own).toHaveLength(40);
      for (const test of own) {
        const cycle = parseCycle(test.cycle);
        expect(test.family).toBe(family);
        expect('cannot' in cycle ? cycle.cannot : familyOf(cycle)).toBe(family);
      }
    }
  });

  it('are programs where those are asked for, each another, and none of them refused', () => {
    const programs = drawTests(120, 4, { families: ['program'], mostEvents: 4 });
    expect(programs.map(({ family }) => family)).toEqual(Array(120).fill('program'));
    expect(new Set(programs.map(({ text }) => text.replace(/^.*\n.*\n/, ''))).size).toBe(120);
    for (const { name, text } of programs) {
      const { value, diagnostics } = loadTests({ path: `${name}.litmus`, text });
      expect([text, renderDiagnostics(diagnostics.filter(({ severity }) => severity === 'error'))]).toEqual([text, '']);
      expect(value?.[0]?.name).toBe(name);
    }
    expect(drawTests(3, 4, { families: ['program'], mostEvents: 2 })).toHaveLength(3);
  });

  it.each(['grid', 'poll', 'launch'] as const)('of family %s are read, with their modules', (family) => {
    const tests = drawTests(60, 4, { families: [family] });
    expect(tests).toEqual(drawTests(60, 4, { families: [family] }));
    expect(new Set(tests.map(({ asThreads, text }) => asThreads ?? text.replace(/^.*\n.*\n/, ''))).size).toBe(60);
    for (const { name, text, module, asThreads } of tests) {
      expect([module, asThreads].map((one) => one !== undefined)).toEqual(Array(2).fill(family === 'launch'));
      const modules = module === undefined ? {} : { [module.path]: module };
      const read = [text, asThreads ?? text].map((one) => loadTests({ path: `${name}.litmus`, text: one, modules }));
      const errors = read.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error'));
      expect([text, renderDiagnostics(errors)]).toEqual([text, '']);
    }
  });

  it('of launches name orders beside them and by number, and some have threads that are written out', () => {
    const tests = drawTests(120, 4, { families: ['launch'] });
    for (const one of [/, (after|dependent on) K0/, /^ {2}grid 1 (after|dependent on) 0;/m, /^P0 @ .*grid 0/m])
      expect(tests.filter(({ text }) => one.test(text)).length).toBeGreaterThan(10);
  });

  it('of several grids have streams and dependent ones, triggers and waits, with and without', () => {
    const tests = drawTests(200, 1, { families: ['grid'] });
    const share = (pattern: RegExp): number => tests.filter(({ text }) => pattern.test(text)).length / tests.length;
    expect(share(/grid \d after/)).toBeGreaterThan(0.2);
    expect(share(/dependent on/)).toBeGreaterThan(0.4);
    for (const one of [/ {2}griddepcontrol\.launch/, /@\w+ griddepcontrol\.launch/, / {2}griddepcontrol\.wait/])
      expect(share(one)).toBeGreaterThan(0.05);
    expect(share(/griddepcontrol/)).toBeLessThan(0.9);
  });

  it('have no more events than wanted', () => {
    for (const { cycle } of drawTests(60, 5, { mostEvents: 4 })) {
      const parsed = parseCycle(cycle);
      expect('cannot' in parsed ? cycle : parsed.events.length).toBeLessThanOrEqual(4);
    }
  });

  it('end where there are no more', () => {
    const all = drawTests(100_000, 6, { families: ['ring'], mostEvents: 1 });
    expect(all).toEqual([]);
  });

  it('are enough for a long comparison', () => {
    expect(drawTests(5000, 7)).toHaveLength(5000);
  });
});
