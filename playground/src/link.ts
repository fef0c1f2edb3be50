import type { Draft, ModelDraft } from '../../src/interactive/questions.js';

/** What a link carries, in its fragment: no server sees it. */
export interface Shared {
  readonly draft: Draft;
  readonly model: ModelDraft;
}

/** `v1.` and the texts, deflated, in base64url. */
export async function fragmentOf(shared: Shared): Promise<string> {
  const bytes = await throughStream(
    new TextEncoder().encode(JSON.stringify(shared)),
    new CompressionStream('deflate-raw'),
  );
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return `#v1.${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** What a fragment carries; undefined where it is none of ours, or was cut. */
export async function sharedIn(fragment: string): Promise<Shared | undefined> {
  const coded = /^#v1\.([\w-]+)$/.exec(fragment)?.[1];
  if (coded === undefined) return undefined;
  try {
    const binary = atob(coded.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
    const text = new TextDecoder().decode(await throughStream(bytes, new DecompressionStream('deflate-raw')));
    const shared = JSON.parse(text) as Partial<Shared>;
    return typeof shared.draft?.text === 'string' && typeof shared.model?.name === 'string'
      ? { draft: shared.draft, model: shared.model }
      : undefined;
  } catch {
    return undefined;
  }
}

/** More than that is no test that somebody wrote, and would fill the page's memory. */
const LONGEST = 64 << 20;

async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value as Uint8Array<ArrayBuffer>);
    length += read.value.length;
    if (length > LONGEST) throw new Error('too long');
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
