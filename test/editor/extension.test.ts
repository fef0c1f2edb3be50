import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverCommand } from '../../editor/vscode/src/server-command.js';
import { ROOT } from '../support.js';

const FOLDER = join(ROOT, 'editor/vscode');

describe('the command that the extension runs', () => {
  const own = join('/work', 'node_modules', '.bin', 'ptx-litmus');
  const command = (chosen: string, there: readonly string[], platform = 'linux') =>
    serverCommand(chosen, ['/other', '/work'], platform, (path) => there.includes(path), join);

  it('is what the user has set', () => {
    expect(command('/opt/ptx-litmus', [own])).toEqual({ command: '/opt/ptx-litmus', args: ['lsp', '--stdio'] });
    expect(command('/src/dist/cli/main.js', [])).toEqual({
      command: 'node',
      args: ['/src/dist/cli/main.js', 'lsp', '--stdio'],
    });
  });

  it('is that of the workspace, or else that of the PATH', () => {
    expect(command('', [own]).command).toBe(own);
    expect(command('', []).command).toBe('ptx-litmus');
    expect(command('', [`${own}.cmd`], 'win32').command).toBe(`${own}.cmd`);
  });
});

describe('the extension', () => {
  it('has every file that its manifest names, and no setting that it does not read', () => {
    execFileSync('node', [join(FOLDER, 'build.mjs'), '--contents'], { stdio: 'ignore' });
    const manifest = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'));
    const { languages, grammars, commands, configuration } = manifest.contributes;
    const named = [
      manifest.main,
      ...languages.map((one: { configuration: string }) => one.configuration),
      ...grammars.map((one: { path: string }) => one.path),
    ];
    for (const path of named) expect(existsSync(join(FOLDER, path)), path).toBe(true);
    const code = readFileSync(join(FOLDER, 'src', 'extension.ts'), 'utf8');
    for (const name of Object.keys(configuration.properties))
      expect(code).toContain(`'${name.replace('ptxLitmus.', '')}'`);
    for (const { command } of commands) expect(code).toContain(`'${command}'`);
    for (const { language } of grammars) expect(languages.map(({ id }: { id: string }) => id)).toContain(language);
  });
});
