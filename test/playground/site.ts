import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { ROOT } from '../support.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
/** In CI a browser that is missing is a failure. */
export const hasBrowser = CHROMIUM !== undefined || process.env['REQUIRE_CHROMIUM'] === '1';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-quic', '--no-first-run'],
      // Without a process of its own for what draws.
      ...['--disable-gpu', '--in-process-gpu', '--disable-software-rasterizer'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      // What measures the memory of a page collects first, and does not wait until the browser does.
      '--enable-blink-features=ForceEagerMeasureMemory',
    ],
  });

/** The site as the command builds it, behind a file server that knows nothing of it. */
export interface Site {
  readonly url: string;
  readonly browser: Browser;
  /** As if there were no network any more. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  execFileSync('node', [join(ROOT, 'playground/build.mjs'), folder], { stdio: 'ignore' });
  const server = createServer(({ url = '/' }, response) => {
    const path = decodeURIComponent(url.split(/[?#]/)[0] ?? '/');
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!file.startsWith(folder) || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await openBrowser();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    browser,
    stop,
    close: async () => {
      await browser.close();
      await stop();
    },
  };
}
