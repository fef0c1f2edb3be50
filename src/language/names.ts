import { namesInModel } from './names-in-model.js';
import { type Region, regionsOf, withoutComments } from './regions.js';
import { kindOf } from './text-kind.js';
import { isReserved, tokensIn } from './tokens.js';

export type NameRole = 'register' | 'label' | 'location' | 'function' | 'definition';

/** A place at which something of a text is named. */
export interface NameUse {
  readonly start: number;
  readonly end: number;
  /** Without the `%` of a register. */
  readonly name: string;
  readonly role: NameRole;
  /** Names of one key are one. */
  readonly key: string;
  readonly isDefinition: boolean;
  /** One of several that are declared together, as `r<4>`: they have no place of their own. */
  readonly isOfMany?: true;
}

/** All names of a text that it defines or uses, in its order. */
export function namesOf(path: string, text: string): readonly NameUse[] {
  if (kindOf(path) === 'model') return namesInModel(text);
  const plain = withoutComments(text);
  const regions = regionsOf(path, text);
  const found = new Names(plain, regions).all();
  return found.sort((a, b) => a.start - b.start);
}

/** The name at an offset, be it right behind it. */
export function nameAt(names: readonly NameUse[], offset: number): NameUse | undefined {
  return names.find(({ start, end }) => start <= offset && offset <= end);
}

/** Where a name is defined; where nothing says so, where it comes first. */
export function definitionOf(names: readonly NameUse[], { key }: NameUse): NameUse | undefined {
  const same = names.filter((one) => one.key === key);
  return same.find(({ isDefinition }) => isDefinition) ?? same[0];
}

/** Why a name cannot be changed into another one, if so. */
export function whyNotRenamed(names: readonly NameUse[], use: NameUse, to: string): string | undefined {
  const same = names.filter(({ key }) => key === use.key);
  if (same.some(({ isOfMany }) => isOfMany === true))
    return `${use.name} is declared together with others (such as r<4>): declare it by itself first`;
  const shape = use.role === 'definition' ? /^[A-Za-z_][\w.-]*$/ : /^%?[\p{L}_$][\w$]*$/u;
  if (!shape.test(to) || isReserved(to)) return `"${to}" is no name of a ${use.role}`;
  const scope = use.key.slice(0, -use.name.length);
  const plain = to.replace(/^%/, '');
  return plain !== use.name && names.some(({ key }) => key === scope + plain)
    ? `there is a ${use.role} ${plain} already`
    : undefined;
}

type Found = Omit<NameUse, 'key'> & { readonly scope: string };

/** Collects the names of tests and modules, part by part: what a body declares counts before what surrounds it. */
class Names {
  private readonly found: Found[] = [];
  /** Locations, by test or module; and what a body declares or branches to. */
  private readonly locations = new Set<string>();
  private readonly labels = new Set<string>();
  private readonly variables = new Set<string>();
  private readonly registers = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly regions: readonly Region[],
  ) {}

  all(): NameUse[] {
    for (const region of this.regions) this.declare(region);
    const outside = new Set<string>();
    for (const region of this.statements())
      for (const { text, isInBrackets } of this.operands(region))
        if (!isInBrackets) outside.add(`${region.body} ${plain(text)}`);
    for (const region of this.regions) this.use(region, outside);
    return this.found.map(({ scope, ...one }) => ({ ...one, key: `${one.role} ${scope} ${one.name}` }));
  }

  private statements(): readonly Region[] {
    return this.regions.filter(({ kind }) => kind === 'statement');
  }

  private slice({ start, end }: Region): string {
    return this.text.slice(start, end);
  }

  private add(role: NameRole, scope: string, start: number, text: string, isDefinition = false, isOfMany?: true): void {
    const one = { role, scope, start, end: start + text.length, name: plain(text), isDefinition };
    this.found.push(isOfMany === undefined ? one : { ...one, isOfMany });
  }

  /** What a part defines. */
  private declare(region: Region): void {
    const text = this.slice(region);
    const { kind, file, body, start } = region;
    if (kind === 'declaration' || kind === 'variable') {
      const name = declaredIn(text);
      if (name === undefined) return;
      this.locations.add(`${file} ${name.text}`);
      this.add('location', String(file), start + name.at, name.text, true);
    } else if (kind === 'function') this.declareFunction(region, text);
    else if (kind === 'statement') {
      for (const label of labelsOf(text)) {
        this.labels.add(`${body} ${label.text}`);
        this.add('label', String(body), start + label.at, label.text, true);
      }
      const rest = text.replace(LABELS, (labels) => ' '.repeat(labels.length));
      if (/^\s*\.reg\b/.test(rest)) this.declareRegisters(region, rest);
      else if (/^\s*\.(?!(?:reg|branchtargets|calltargets|callprototype|loc|file|pragma)\b)/.test(rest)) {
        const name = declaredIn(rest);
        if (name === undefined) return;
        this.variables.add(`${body} ${name.text}`);
        this.add('location', `body ${body}`, start + name.at, name.text, true);
      }
    }
  }

  private declareRegisters({ body, start }: Region, text: string): void {
    const head = /^\s*\.reg\s+\.\w+\s+/.exec(text)?.[0].length ?? text.length;
    for (const { 1: name = '', 2: count, index } of text.slice(head).matchAll(DECLARED_REGISTERS)) {
      const at = start + head + index;
      if (count === undefined) {
        this.registers.add(`${body} ${plain(name)}`);
        this.add('register', String(body), at, name, true);
      } else
        for (let i = 0; i < Math.min(Number(count), MOST_REGISTERS); i++)
          this.found.push({
            ...{ role: 'register', scope: String(body), start: at, end: at + name.length, name: `${plain(name)}${i}` },
            ...{ isDefinition: true, isOfMany: true },
          });
    }
  }

  private declareFunction({ file, body, start }: Region, text: string): void {
    const name = /(?:\.entry|\.func)\s+(?:\([^)]*\)\s*)?([\w$%]+)/d.exec(text);
    const at = name?.indices?.[1]?.[0];
    if (name?.[1] !== undefined && at !== undefined) this.add('function', String(file), start + at, name[1], true);
    for (const one of text.matchAll(/\.param\b[^,()]*?([\w$%]+)\s*(?:\[\d*\])?\s*(?=[,)])/dg)) {
      const place = one.indices?.[1]?.[0];
      if (one[1] === undefined || place === undefined) continue;
      this.variables.add(`${body} ${one[1]}`);
      this.add('location', `body ${body}`, start + place, one[1], true);
    }
  }

  /** What a part uses of what is defined somewhere. */
  private use(region: Region, outside: ReadonlySet<string>): void {
    switch (region.kind) {
      case 'statement':
        return this.useStatement(region, outside);
      case 'clause':
      case 'declaration':
        return this.useTerms(region);
      case 'launch':
      case 'alias':
        return this.useLocations(region, this.slice(region).indexOf(region.kind === 'alias' ? '=' : '('));
      case 'header':
      case 'function':
      case 'variable':
        return;
    }
  }

  private operands(region: Region): ReturnType<typeof tokensIn> {
    const text = this.slice(region).replace(LABELS, (labels) => ' '.repeat(labels.length));
    return /^\s*\./.test(text) && !/^\s*\.(?:branchtargets|calltargets)/.test(text) ? [] : tokensIn(text);
  }

  private useStatement(region: Region, outside: ReadonlySet<string>): void {
    const { body, file, start } = region;
    for (const { at, text, isInBrackets, mnemonic } of this.operands(region)) {
      const name = plain(text);
      const isLabel = this.labels.has(`${body} ${name}`) && /^(?:bra|brx|\.branchtargets)/.test(mnemonic);
      if (isLabel || mnemonic === 'bra') this.add('label', String(body), start + at, text);
      else if (mnemonic === 'call' && !isInBrackets && /^[\w$]+$/.test(text) && !this.registers.has(`${body} ${name}`))
        this.add('function', String(file), start + at, text);
      else if (this.registers.has(`${body} ${name}`)) this.add('register', String(body), start + at, text);
      else if (this.variables.has(`${body} ${name}`)) this.add('location', `body ${body}`, start + at, text);
      else if (this.isLocation(text, region, isInBrackets && !outside.has(`${body} ${name}`)))
        this.add('location', String(file), start + at, text);
      else this.add('register', String(body), start + at, text);
    }
  }

  /** Declared, or used as an address and never as anything else. */
  private isLocation(text: string, { file }: Region, asAddress: boolean): boolean {
    return !text.startsWith('%') && (this.locations.has(`${file} ${text}`) || asAddress);
  }

  /** `P1:r0` and `x`, in conditions and initial values. */
  private useTerms(region: Region): void {
    const { kind, file, start } = region;
    const text = this.slice(region);
    if (/^\s*(?:expect|allow)\b/.test(text)) return;
    for (const one of text.matchAll(/(?<![\w:])([A-Za-z]?\w+)\s*:\s*(%?[\p{L}_$][\w$]*)/dgu)) {
      const body = this.regions.find(
        ({ kind: of, file: other, threads }) =>
          of === 'header' && other === file && threads?.includes(threadOf(one[1])),
      )?.body;
      const at = one.indices?.[2]?.[0];
      if (body !== undefined && one[2] !== undefined && at !== undefined)
        this.add('register', String(body), start + at, one[2]);
    }
    const from = kind === 'declaration' ? text.search(/=|\baliases\b/) : 0;
    // Behind these words stand the name of a condition, and those of models.
    const named = kind === 'declaration' ? -1 : text.search(/\b(?:as\s+[\w.-]+|for\s+[\w.,\s-]+)\s*(?:\bfor\b.*)?$/);
    if (from >= 0) this.useLocations(named < 0 ? region : { ...region, end: start + named }, from);
  }

  private useLocations({ file, start, end }: Region, from: number): void {
    const text = this.text.slice(start + Math.max(0, from), end);
    for (const { 0: name, index } of text.matchAll(/(?<![\w$%.:"])[\p{L}_$][\w$]*(?!\s*:)/gu))
      if (this.locations.has(`${file} ${name}`))
        this.add('location', String(file), start + Math.max(0, from) + index, name);
  }
}

const MOST_REGISTERS = 10_000;
const LABELS = /^(?:\s*[\p{L}_$%][\w$%]*\s*:(?!:))+/u;
const DECLARED_REGISTERS = /(?<![\w$%])(%?[\p{L}_$][\w$]*)\s*(?:<\s*(\d+)\s*>)?/gu;

const plain = (name: string): string => name.replace(/^%/, '');
/** `P1` and `1` are one. */
const threadOf = (name = ''): string => name.replace(/^P(?=\d)/, '');

interface Placed {
  readonly at: number;
  readonly text: string;
}

function labelsOf(text: string): readonly Placed[] {
  const head = LABELS.exec(text)?.[0] ?? '';
  return [...head.matchAll(/[\p{L}_$%][\w$%]*/gu)].map(({ 0: label, index }) => ({ at: index, text: label }));
}

/** The name of a variable that a text declares: the last word before its size, its value or its place. */
function declaredIn(text: string): Placed | undefined {
  if (/^\s*(?:forward-progress|grid)\b/.test(text) || /^\s*\w+\s*:/.test(text)) return undefined;
  const head = /^[^=@[]*?(?=\baliases\b|[=@[]|$)/.exec(text)?.[0] ?? '';
  const words = [...head.matchAll(/(?<![\w.$%:])[\p{L}_$%][\w$%]*/gu)];
  const last = words.at(-1);
  return last === undefined ? undefined : { at: last.index, text: last[0] };
}
