import { type Operand, parseOperand, type Register, splitList } from './operands.js';
import { type Piece, scanModule } from './scan.js';
import { parseVariable, type Variable } from './variables.js';

/** A PTX module as nvcc prints it: entries with their instructions, and variables. */
export interface Module {
  /** The file's name. */
  readonly name: string;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly variables: ReadonlyMap<string, Variable>;
}

export type Extent = readonly [x: number, y: number, z: number];

export interface Entry {
  readonly name: string;
  readonly parameters: readonly Variable[];
  readonly variables: ReadonlyMap<string, Variable>;
  readonly instructions: readonly Instruction[];
  /** How many registers there are; the first ones are those of the text. */
  readonly registers: number;
  /** CTAs of a cluster in each direction, where the module says it. */
  readonly cluster: Extent | undefined;
}

export interface Instruction {
  readonly line: number;
  readonly source: string | undefined;
  /** As `MODULE:LINE`. */
  readonly place: string;
  readonly opcode: string;
  readonly words: readonly string[];
  readonly guard: { readonly slot: number; readonly negated: boolean } | undefined;
  readonly operands: readonly Operand[];
  /** Of a branch, where it leads: numbers of instructions. */
  readonly targets: readonly number[];
}

/** Names between two braces. */
class Scope {
  readonly registers = new Map<string, Register>();
  /** Families such as `%r<35>`: how many, and of what width. */
  readonly families = new Map<string, readonly [count: number, width: number]>();
  readonly labels = new Map<string, number>();
  /** Lists of labels, by the label before them. */
  readonly lists = new Map<string, readonly string[]>();
  readonly parent: Scope | undefined;

  constructor(parent: Scope | undefined) {
    this.parent = parent;
  }

  label(name: string): number | undefined {
    return this.labels.get(name) ?? this.parent?.label(name);
  }

  list(name: string): readonly string[] | undefined {
    return this.lists.get(name) ?? this.parent?.list(name);
  }
}

type Written = { -readonly [K in keyof Instruction]: Instruction[K] };

class EntryParser {
  private scope = new Scope(undefined);
  private slots = 0;
  private readonly instructions: Written[] = [];
  private readonly branches: (readonly [Written, Scope, string])[] = [];
  private readonly variables = new Map<string, Variable>();
  private lastLabel = '';
  private readonly header: Piece;
  private readonly module: string;

  constructor(header: Piece, module: string) {
    this.header = header;
    this.module = module;
  }

  take(piece: Piece): void {
    if (piece.kind === 'open') this.scope = new Scope(this.scope);
    else if (piece.kind === 'close') this.scope = this.scope.parent ?? this.scope;
    else if (piece.kind === 'label') this.label(piece.text);
    else if (piece.text.startsWith('.branchtargets')) {
      this.scope.lists.set(this.lastLabel, splitList(piece.text.slice('.branchtargets'.length)));
    } else if (piece.text.startsWith('.reg ')) this.declare(piece.text);
    else if (piece.text.startsWith('.')) this.variable(piece);
    else this.instruction(piece);
  }

  finish(): Entry {
    for (const [branch, scope, name] of this.branches) {
      branch.targets = (scope.list(name) ?? [name]).map((label) => {
        const target = scope.label(label);
        if (target === undefined) throw new Error(`line ${branch.line}: no label ${label}`);
        return target;
      });
    }
    const { text } = this.header;
    const found = /\.entry\s+([\w$]+)\s*(?:\((.*?)\))?([^)]*)$/.exec(text);
    if (found === null) throw new Error(`line ${this.header.line}: not the head of an entry: ${text}`);
    const cluster = /\.reqnctapercluster\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?/.exec(text);
    return {
      name: found[1] ?? '',
      parameters: splitList(found[2] ?? '').map((one) => parseVariable(one, this.header.line)),
      variables: this.variables,
      instructions: this.instructions,
      registers: this.slots,
      cluster: cluster === null ? undefined : [Number(cluster[1]), Number(cluster[2] ?? 1), Number(cluster[3] ?? 1)],
    };
  }

  private label(name: string): void {
    this.lastLabel = name;
    this.scope.labels.set(name, this.instructions.length);
  }

  private variable(piece: Piece): void {
    const variable = parseVariable(piece.text, piece.line);
    const known = this.variables.get(variable.name);
    // Calls have places for what they pass, each in its own braces.
    if (known === undefined || known.size < variable.size) this.variables.set(variable.name, variable);
  }

  private declare(text: string): void {
    const [, type = '', names = ''] = /^\.reg\s+(?:\.v\d\s+)?\.(\w+)\s+(.*)$/.exec(text) ?? [];
    const width = widthOf(type);
    for (const name of splitList(names)) {
      const family = /^(.*)<(\d+)>$/.exec(name);
      if (family !== null) this.scope.families.set(family[1]!, [Number(family[2]), width]);
      else this.scope.registers.set(name, { kind: 'register', slot: this.slots++, width, name });
    }
  }

  private readonly find = (name: string): Register | undefined => {
    const [, prefix = '', digits = ''] = /^(.*?)(0|[1-9]\d*)$/.exec(name) ?? [];
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.parent) {
      const known = scope.registers.get(name);
      if (known !== undefined) return known;
      const family = scope.families.get(prefix);
      if (family === undefined || digits === '' || Number(digits) >= family[0]) continue;
      const register: Register = { kind: 'register', slot: this.slots++, width: family[1], name };
      scope.registers.set(name, register);
      return register;
    }
    return undefined;
  };

  private instruction({ text, line, source }: Piece): void {
    const [, negated, guard, opcode = '', rest = ''] = /^(?:@(!?)([\w$%.]+)\s+)?([\w.:]+)(.*)$/.exec(text) ?? [];
    try {
      const register = guard === undefined ? undefined : this.find(guard);
      if (guard !== undefined && register === undefined) throw new Error(`no register ${guard}`);
      const written: Written = {
        ...{ line, source, opcode, words: opcode.split('.'), targets: [], place: `${this.module}:${line}` },
        guard: register === undefined ? undefined : { slot: register.slot, negated: negated === '!' },
        operands: opcode === '' ? [] : splitList(rest.trim()).map((one) => parseOperand(one, this.find)),
      };
      if (opcode === '') throw new Error(`no instruction: ${text}`);
      this.instructions.push(written);
      const label = { bra: rest.trim(), brx: splitList(rest.trim())[1] }[written.words[0] ?? ''];
      if (label !== undefined) this.branches.push([written, this.scope, label]);
    } catch (error) {
      throw new Error(`line ${line}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** How many bits a type has: `u32` 32, `f16x2` 32, `pred` 1. */
export function widthOf(type: string): number {
  if (type === 'pred') return 1;
  const [, bits, times] = /^(?:bf|[bsuf])(\d+)(?:x(\d))?$/.exec(type) ?? [];
  if (bits === undefined) throw new Error(`not a type: ${type}`);
  return Number(bits) * Number(times ?? 1);
}

export function parseModule(text: string, name: string): Module {
  const entries = new Map<string, Entry>();
  const variables = new Map<string, Variable>();
  let parser: EntryParser | undefined;
  let depth = 0;
  let isFunction = false;
  for (const piece of scanModule(text)) {
    if (piece.kind === 'open' && depth++ === 0) continue;
    if (piece.kind === 'close' && --depth === 0) {
      if (parser !== undefined) {
        const entry = parser.finish();
        entries.set(entry.name, entry);
      }
      parser = undefined;
      isFunction = false;
    } else if (depth > 0) {
      if (!isFunction) parser?.take(piece);
    } else if (/\.entry\b/.test(piece.text)) {
      parser = new EntryParser(piece, name);
    } else if (/\.func\b/.test(piece.text)) {
      isFunction = true;
    } else if (/^\.(alias|branchtargets|calltargets)/.test(piece.text)) {
    } else {
      const variable = parseVariable(piece.text, piece.line);
      variables.set(variable.name, variable);
    }
  }
  return { name, entries, variables };
}
