// Builds the site: node playground/build.mjs [folder]; without a folder, playground/dist.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = import.meta.dirname;
const root = join(here, '..');
const out = resolve(process.argv[2] ?? join(here, 'dist'));
const LARGEST = 1_000_000;

const filesIn = (folder, end) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(end))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** `virtual:models`: the texts of models/. */
const models = {
  name: 'models',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^virtual:models$/ }, ({ path }) => ({ path, namespace: 'models' }));
    onLoad({ filter: /.*/, namespace: 'models' }, () => {
      const texts = filesIn('models', '.cat').map((path) => [path, readFileSync(join(root, 'models', path), 'utf8')]);
      return { contents: `export const MODEL_TEXTS = ${JSON.stringify(Object.fromEntries(texts))};` };
    });
  },
};

/** The tests of litmus/, and once each the modules that they name. */
function examples() {
  const modules = {};
  const tests = filesIn('litmus', '.litmus').map((path) => {
    const text = readFileSync(join(root, 'litmus', path), 'utf8');
    const named = [...text.matchAll(/(?<![\w$%])launch\s+[\w$%]+\s*"([^"\n]*)"/g)].map(([, name]) => name);
    if (named.length === 0) return { path, text };
    const own = Object.fromEntries(named.map((name) => [name, posix.join(posix.dirname(path), name)]));
    for (const at of Object.values(own)) modules[at] = readFileSync(join(root, 'litmus', at), 'utf8');
    return { path, text, modules: own };
  });
  return JSON.stringify({ tests, modules });
}

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'z3'), { recursive: true });
const common = {
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
  plugins: [models],
};
const source = (name) => join(here, 'src', name);
await build({ ...common, entryPoints: [source('main.ts')], format: 'esm', outfile: join(out, 'main.js') });
await build({
  ...common,
  entryPoints: [source('worker.ts')],
  format: 'iife',
  outfile: join(out, 'worker.js'),
  alias: { 'node:module': source('require-z3.ts') },
  define: { 'import.meta.url': '""' },
});
for (const name of ['index.html', 'style.css']) copyFileSync(join(here, name), join(out, name));
writeFileSync(join(out, 'examples.json'), examples());
const z3 = dirname(createRequire(import.meta.url).resolve('z3-solver/build/z3-built.js'));
for (const name of ['z3-built.js', 'z3-built.wasm']) copyFileSync(join(z3, name), join(out, 'z3', name));

const files = ['index.html', 'style.css', 'main.js', 'worker.js', 'examples.json'];
const hash = createHash('sha256');
for (const name of files) hash.update(readFileSync(join(out, name)));
await build({
  ...common,
  entryPoints: [source('service-worker.ts')],
  format: 'iife',
  outfile: join(out, 'service-worker.js'),
  define: {
    VERSION: JSON.stringify(hash.digest('hex').slice(0, 12)),
    FILES: JSON.stringify(['./', ...files.slice(1)]),
  },
});

const sizes = [...files, 'service-worker.js'].map((name) => [name, gzipSync(readFileSync(join(out, name))).length]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
console.log(sizes.map(([name, size]) => `${name.padEnd(18)} ${String(size).padStart(8)} bytes gzipped`).join('\n'));
console.log(`${'without z3'.padEnd(18)} ${String(total).padStart(8)} bytes gzipped; ${basename(out)}/ is the site`);
if (total > LARGEST) {
  console.error(`the site is larger than ${LARGEST} bytes`);
  process.exitCode = 1;
}
