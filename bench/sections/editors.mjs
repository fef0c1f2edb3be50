import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { at, median, ROOT } from '../measure.mjs';

/** The language server, from a key to what is said of it, and the playground, from a load to what it shows. */
export const title = 'While a test is written: seconds from a key, or from a load of the page';

const rpc = createRequire(import.meta.url)('vscode-jsonrpc/node');
const RUNS = 15;

/** Tests of about thirty lines. */
const texts = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.litmus') && !path.includes('kernels'))
  .sort()
  .map((path) => readFileSync(join(ROOT, 'litmus', path), 'utf8'))
  .filter((text) => Math.abs(text.split('\n').length - 30) <= 4)
  .slice(0, 40);

async function* server() {
  const child = spawn('node', [join(ROOT, 'dist/cli/main.js'), 'lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const client = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  const heard = new Map();
  const hear = (key, version) => heard.get(`${key} ${version}`)?.();
  client.onNotification('textDocument/publishDiagnostics', ({ version }) => hear('mistakes', version));
  client.onNotification('ptx-litmus/decided', ({ version, isFinal }) => {
    hear('verdicts', version);
    if (isFinal) hear('confirmed', version);
  });
  client.listen();
  await client.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  const uri = 'file:///test.litmus';
  const times = { mistakes: [], verdicts: [], confirmed: [] };
  let version = 0;
  for (const text of texts) {
    // A key before the last line, and the same taken back: each time the whole test is asked anew.
    for (const changed of [text, `${text}\n`]) {
      version += 1;
      const start = performance.now();
      const waits = Object.keys(times).map(
        (key) =>
          new Promise((resolve) => {
            heard.set(`${key} ${version}`, () => {
              times[key].push((performance.now() - start) / 1000);
              heard.delete(`${key} ${version}`);
              resolve();
            });
          }),
      );
      if (version === 1) {
        const textDocument = { uri, languageId: 'ptx-litmus', version, text: changed };
        await client.sendNotification('textDocument/didOpen', { textDocument });
      } else
        await client.sendNotification('textDocument/didChange', {
          ...{ textDocument: { uri, version }, contentChanges: [{ text: changed }] },
        });
      await Promise.all(waits);
    }
  }
  await client.sendRequest('shutdown');
  await client.sendNotification('exit');
  // The first is the start of the server and of its threads.
  for (const [key, seconds] of Object.entries(times)) {
    yield {
      name: `language server, ${texts.length} tests of 30 lines: ${key}, median`,
      seconds: median(seconds.slice(2)),
    };
    yield { name: `language server: ${key}, 99 of 100`, seconds: at(seconds.slice(2), 0.99) };
  }
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

async function* page() {
  const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
  if (path === undefined) return;
  const { chromium } = await import('playwright-core');
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  execFileSync('node', [join(ROOT, 'playground/build.mjs'), folder], { stdio: 'ignore' });
  const files = createServer(({ url }, response) => {
    const file = join(folder, url.split('?')[0].replace(/\/$/, '/index.html'));
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  await new Promise((resolve) => files.listen(0, '127.0.0.1', resolve));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];
  const browser = await chromium.launch({ executablePath: path, args: flags });
  const visitor = await browser.newPage();
  await visitor.goto(`http://localhost:${files.address().port}/`);
  await visitor.evaluate(() => navigator.serviceWorker.ready);
  const times = { firstVerdict: [], confirmed: [] };
  for (let i = 0; i < RUNS + 1; i++) {
    await visitor.reload();
    await visitor.waitForSelector('body[data-confirmed]');
    const found = await visitor.evaluate(() => ({ ...document.body.dataset }));
    // The first time z3 is compiled and kept.
    if (i > 0) for (const key of Object.keys(times)) times[key].push(Number(found[key]) / 1000);
  }
  await browser.close();
  files.close();
  yield { name: `playground, ${RUNS} loads, warm cache: first verdict, median`, seconds: median(times.firstVerdict) };
  yield { name: 'playground: first verdict, worst', seconds: Math.max(...times.firstVerdict) };
  yield { name: 'playground: confirmed, median', seconds: median(times.confirmed) };
  yield { name: 'playground: confirmed, worst', seconds: Math.max(...times.confirmed) };
}

export async function* rows() {
  yield* server();
  yield* page();
}
