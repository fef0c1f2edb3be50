/**
 * Keeps the page for when there is no network, and gives it the headers under which a browser has shared memory, which
 * z3 needs; a plain file server sends neither.
 */
const worker = self as unknown as ServiceWorkerGlobalScope;
/** Of the build: another one has another cache. */
declare const VERSION: string;
declare const FILES: readonly string[];

const CACHE = `ptx-litmus ${VERSION}`;

worker.addEventListener('install', (event) => {
  // One of a newer build waits until no page of the older one is open: pages and workers are of one build.
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...FILES])));
});

worker.addEventListener('activate', (event) => {
  const old = caches
    .keys()
    .then((names) =>
      Promise.all(
        names.filter((name) => name.startsWith('ptx-litmus ') && name !== CACHE).map((name) => caches.delete(name)),
      ),
    );
  event.waitUntil(old.then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== worker.location.origin) return;
  event.respondWith(answer(request));
});

/** From the cache; z3, which is large, comes into it when it is first needed. */
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept !== undefined) return isolated(kept);
  const found = await fetch(request);
  if (found.ok && found.type === 'basic') await cache.put(request, found.clone());
  return isolated(found);
}

function isolated(response: Response): Response {
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
