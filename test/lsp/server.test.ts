import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeAction, CompletionItem, Hover, Location, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { ROOT } from '../support.js';
import { Client } from './client.js';

const MP = `PTX MP
{ .global .u32 data = 0; .global .u32 flag = 0; }
P0 @ cta 0 {
  st.weak.global.u32 [data], 42;
  st.release.cta.global.u32 [flag], 1;
}
P1 @ cta 1 {
  ld.acquire.gpu.global.u32 r0, [flag];
  ld.relaxed.gpu.global.u32 r1, [data];
}
forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale
`;
/** In a folder that is there, so that what is found beside the test is a file. */
const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-lsp-'));
const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(async () => {
  expect(await client.end()).toBe(0);
  expect(client.errors).toEqual([]);
});

/** The place of the n-th occurrence of a text, and some characters on. */
function at(uri: string, text: string, part: string, on = 0): object {
  const before = text.slice(0, text.indexOf(part) + on).split('\n');
  return { textDocument: { uri }, position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 } };
}

function edited(text: string, edits: readonly TextEdit[]): string {
  const lines = text.split('\n');
  const offset = ({ line, character }: { line: number; character: number }): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  return [...edits]
    .sort((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce(
      (changed, { range, newText }) =>
        changed.slice(0, offset(range.start)) + newText + changed.slice(offset(range.end)),
      text,
    );
}

describe('the language server', () => {
  it('says what is wrong with a text, and proposes what was meant', async () => {
    const uri = uriOf('typo.litmus');
    const text = MP.replace('release', 'releese');
    await client.open(uri, text);
    const [mistake] = await client.diagnostics(uri, 1);
    expect(mistake).toMatchObject({ code: 'L0102', range: { start: { line: 4, character: 5 } } });
    const actions = await client.ask<readonly CodeAction[]>('textDocument/codeAction', {
      ...{ textDocument: { uri }, range: mistake?.range, context: { diagnostics: [mistake] } },
    });
    expect(edited(text, actions[0]?.edit?.changes?.[uri] ?? [])).toBe(MP);
    await client.close(uri);
    expect(await client.until(() => (client.published.get(uri)?.diagnostics.length === 0 ? true : undefined))).toBe(
      true,
    );
  });

  it('has the verdict of each condition above it, and then who has confirmed it', async () => {
    const uri = uriOf('MP.litmus');
    await client.open(uri, MP);
    const [lens] = await client.until(async () => {
      const lenses = await client.lenses(uri);
      return lenses.length > 0 ? lenses : undefined;
    });
    expect(lens).toMatchObject({ range: { start: { line: 10 } }, command: { title: 'BROKEN: allowed' } });
    await client.change(uri, 2, [{ text: MP.replace('st.release.cta', 'st.release.gpu') }]);
    const confirmed = 'met: forbidden, confirmed by the checked proof';
    expect(await client.until(async () => ((await client.titles(uri))[0] === confirmed ? confirmed : undefined))).toBe(
      confirmed,
    );
    const told = await client.ask<string>('workspace/executeCommand', {
      ...{ command: 'ptx-litmus.explain', arguments: [uri, 0] },
    });
    expect(told).toContain('forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale   met');
    await client.close(uri);
  });

  it('marks what races, and mends it', async () => {
    const uri = uriOf('race.litmus');
    const text = `${MP.replace('ld.relaxed.gpu', 'ld.weak')}expect no-race\n`;
    await client.open(uri, text);
    const found = await client.until(() => {
      const broken = client.published.get(uri)?.diagnostics.filter(({ code }) => code === 'broken') ?? [];
      return broken.length > 0 ? broken : undefined;
    });
    expect(found.map(({ range: { start, end } }) => [start.line, start.character, end.character])).toEqual([
      [3, 2, 31],
      [8, 2, 31],
    ]);
    const line = { line: 11, character: 0 };
    const actions = await client.ask<readonly CodeAction[]>('textDocument/codeAction', {
      ...{ textDocument: { uri }, range: { start: line, end: line }, context: { diagnostics: [] } },
    });
    const mended = edited(text, actions[0]?.edit?.changes?.[uri] ?? []);
    await client.change(uri, 2, [{ text: mended }]);
    await client.until(async () =>
      (await client.titles(uri)).every((one) => one.startsWith('met')) ? true : undefined,
    );
    expect(mended).not.toBe(text);
    await client.close(uri);
  });

  it('tells, completes, finds and renames', async () => {
    const uri = uriOf('names.litmus');
    await client.open(uri, MP);
    const hover = await client.ask<Hover>('textDocument/hover', at(uri, MP, 'ld.acquire', 4));
    expect(hover.contents).toMatchObject({ value: expect.stringContaining('acquire: what was released to it') });
    const items = await client.ask<readonly CompletionItem[]>('textDocument/completion', at(uri, MP, 'st.release', 3));
    expect(items.map(({ label }) => label)).toContain('relaxed');
    const definition = await client.ask<Location>('textDocument/definition', at(uri, MP, '[flag]', 2));
    expect(definition.range.start).toEqual({ line: 1, character: 38 });
    const references = await client.ask<readonly Location[]>('textDocument/references', at(uri, MP, '[flag]', 2));
    expect(references.map(({ range }) => range.start.line)).toEqual([1, 4, 7]);
    const rename = { ...at(uri, MP, 'r1, [data]'), newName: 'value' };
    const { changes } = await client.ask<WorkspaceEdit>('textDocument/rename', rename);
    expect(edited(MP, changes?.[uri] ?? [])).toBe(MP.replaceAll('r1', 'value'));
    const clash = client.ask('textDocument/rename', { ...rename, newName: 'r0' });
    await expect(clash).rejects.toThrow('there is a register r0 already');
    expect(
      await client.ask('textDocument/hover', {
        textDocument: { uri: 'file:///nowhere' },
        position: { line: 0, character: 0 },
      }),
    ).toBeNull();
    await client.close(uri);
  });

  it('shows what is wrong with a kernel in its source program, as the editor has the module', async () => {
    const launched = join(ROOT, 'litmus/kernels/launched');
    const test = readFileSync(join(launched, 'cpasync-broken.litmus'), 'utf8');
    const [, module = ''] = /launch \w+ "([^"]+)"/.exec(test) ?? [];
    mkdirSync(folder, { recursive: true });
    const uri = uriOf('cpasync-broken.litmus');
    await client.open(uriOf(module), readFileSync(join(launched, module), 'utf8'));
    await client.open(uri, test);
    const [program, said] = await client.until(() =>
      [...client.published].find(([of, { diagnostics }]) => of.endsWith('.cu') && diagnostics.length > 0),
    );
    expect(program).toBe(uriOf(module.replace('.ptx', '.cu')));
    expect(said.diagnostics.map(({ code, severity }) => [code, severity])).toEqual(
      expect.arrayContaining([
        ['found', 3],
        ['broken', 1],
      ]),
    );
    // Without the module there is nothing to show there any more.
    await client.close(uriOf(module));
    await client.change(uri, 2, [{ text: test.replace('expect', ' expect') }]);
    await client.until(() => (client.published.get(program)?.diagnostics.length === 0 ? true : undefined));
    await client.close(uri);
  });

  it('reads models and modules', async () => {
    const model = uriOf('mine.cat');
    await client.open(model, '"mine"\nacyclic po | rff\n');
    expect((await client.diagnostics(model, 1))[0]).toMatchObject({ code: 'L0302' });
    const module = uriOf('k.ptx');
    await client.open(module, '.version 8.0\n.entry k() {\n');
    expect((await client.diagnostics(module, 1))[0]).toMatchObject({ severity: 1 });
    for (const uri of [model, module]) await client.close(uri);
  });
});

describe('a server with another model', () => {
  it('decides by it, also where it is a file; one that is not there is told', async () => {
    const own = join(folder, 'own.cat');
    writeFileSync(own, '"own"\nempty rf as Nothing-Is-Read\n');
    for (const [model, title] of [
      ['sc', 'met: forbidden, confirmed by the checked proof'],
      [own, 'met: forbidden, confirmed by the checked proof'],
    ] as const) {
      const other = await Client.start({ model });
      await other.open(uriOf('MP.litmus'), MP);
      await other.until(async () => ((await other.titles(uriOf('MP.litmus')))[0] === title ? true : undefined));
      expect(await other.end()).toBe(0);
    }
    const none = await Client.start({ model: 'ptx-9.5' });
    await none.open(uriOf('MP.litmus'), MP);
    const said = await none.until(() => none.published.get(uriOf('MP.litmus'))?.diagnostics[0]?.message);
    expect(said).toContain('no model ptx-9.5: did you mean ptx-7.5?');
    expect(await none.end()).toBe(0);
  });
});
