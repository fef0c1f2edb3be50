import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import { parseModule } from '../syntax/parse-module.js';
import type { RecordedLaunch, Recording } from './recording.js';

/** A module that was taken out of an image, or found beside it. */
export interface FoundModule {
  /** Of the image; undefined where it is not known. */
  readonly image: number | undefined;
  /** Its name where tests are written. */
  readonly path: string;
  /** Why it cannot be read is thrown. */
  readonly text: () => string;
}

/** The kernel of a launch, or why there is none. */
export type FoundKernel =
  | { readonly module: ModuleFile; readonly entry: ModuleEntry; readonly path: string }
  | { readonly kind: 'no-ptx' | 'not-said'; readonly reason: string };

/** The modules of a recording, each read once, and only where a launch needs it. */
export class Modules {
  private readonly read = new Map<string, ModuleFile | string>();
  private readonly texts = new Map<FoundModule, string>();

  constructor(
    private readonly found: readonly FoundModule[],
    private readonly images: Recording['images'],
  ) {}

  kernelOf({ image, entry }: RecordedLaunch): FoundKernel {
    const own = this.found.filter((one) => image !== undefined && one.image === image && this.has(one, entry));
    // Where it is not known from which image a kernel comes, its name may say it.
    const named = own.length > 0 || image !== undefined ? own : this.found.filter((one) => this.has(one, entry));
    const [first, ...more] = named;
    if (first === undefined) return { kind: 'no-ptx', reason: this.whyNone(image) };
    if (more.some((one) => this.textOf(one) !== this.textOf(first)))
      return {
        kind: 'no-ptx',
        reason: 'several modules have a kernel of that name, and it is not known which is meant',
      };
    const module = this.moduleOf(first);
    if (typeof module === 'string') return { kind: 'not-said', reason: module };
    const found = module.entries.find(({ name }) => name === entry);
    return found === undefined
      ? { kind: 'no-ptx', reason: `${first.path} only declares it` }
      : { module, entry: found, path: first.path };
  }

  textAt(path: string): string | undefined {
    const one = this.found.find((some) => some.path === path);
    return one && this.textOf(one);
  }

  private has(one: FoundModule, entry: string): boolean {
    const text = this.textOf(one);
    const at = text.indexOf(entry);
    return at >= 0 && new RegExp(`\\.entry\\s+${entry.replace(/[$.*+?^{}()|[\]\\]/g, '\\$&')}(?![\\w$])`).test(text);
  }

  private textOf(one: FoundModule): string {
    const text = this.texts.get(one) ?? one.text();
    this.texts.set(one, text);
    return text;
  }

  private moduleOf(one: FoundModule): ModuleFile | string {
    const known = this.read.get(one.path);
    if (known !== undefined) return known;
    const { value, diagnostics } = parseModule({ path: one.path, text: this.textOf(one) });
    const read = value ?? `${one.path} cannot be read as a module: ${diagnostics[0]?.message ?? 'no reason is known'}`;
    this.read.set(one.path, read);
    return read;
  }

  private whyNone(image: number | undefined): string {
    if (image === undefined)
      return 'it is not known from which image the kernel comes, and no module has one of its name';
    const { form, from, problem } = this.images.get(image) ?? {};
    const where = from === undefined ? '' : ` of ${from}`;
    if (problem !== undefined) return `image ${image}${where} was not kept: ${problem}`;
    if (this.found.some((one) => one.image === image))
      return `the modules of image ${image}${where} have no kernel of that name`;
    return `image ${image}${where} (${form ?? 'of unknown form'}) has no PTX`;
  }
}
