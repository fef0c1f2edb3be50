// Packages the extension: node editor/vscode/build.mjs [file]; without a file, editor/vscode/ptx-litmus.vsix. With
// --contents it only makes dist/, what goes into the package.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const [given] = process.argv.slice(2);
const packagePath = resolve(given ?? join(here, 'ptx-litmus.vsix'));
const dist = join(here, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const grammars = await build({
  ...{ entryPoints: [join(here, 'grammars.ts')], bundle: true, write: false, format: 'esm', platform: 'node' },
});
const url = `data:text/javascript;base64,${Buffer.from(grammars.outputFiles[0].contents).toString('base64')}`;
const { GRAMMARS } = await import(url);
for (const [name, grammar] of Object.entries(GRAMMARS))
  writeFileSync(join(dist, name), `${JSON.stringify(grammar, undefined, 2)}\n`);
await build({
  entryPoints: [join(here, 'src/extension.ts')],
  ...{ bundle: true, minify: true, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'] },
  outfile: join(dist, 'extension.cjs'),
  logLevel: 'warning',
});
if (given !== '--contents') {
  // The packager of VS Code is fetched when it is needed: it is larger than all else that this project is built with.
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', packagePath];
  const packager = ['--yes', '--prefer-offline', '@vscode/vsce@4.1.0', 'package', ...options];
  execFileSync('npx', packager, { cwd: here, stdio: 'inherit' });
}
