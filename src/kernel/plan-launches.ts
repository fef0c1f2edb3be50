import { declaredRegisters, writtenRegisters } from '../build/build-registers.js';
import { type FlatBody, flattenBody } from '../build/flatten-body.js';
import { readDirectives } from '../build/read-directives.js';
import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import type { FlatStatement } from '../isa/decode-thread.js';
import { showDataType } from '../program/data-type.js';
import type { LaunchFacts } from '../program/program.js';
import { remembered } from '../program/remembered.js';
import type {
  Declaration,
  FunctionSyntax,
  GridOrder,
  LitmusFile,
  LocationDeclaration,
  OperandSyntax,
  Statement,
} from '../syntax/litmus-ast.js';
import type { ModuleFile, ModuleFunction } from '../syntax/module-ast.js';
import { mapNames, namesIn } from '../syntax/operands.js';
import { parseFunctionHeader } from '../syntax/parse-function.js';
import { parseBody } from '../syntax/parse-litmus.js';
import { demangled } from './demangle.js';
import { functionAddresses } from './function-addresses.js';
import { PREDEFINED } from './grid.js';
import { parameterDeclarations, tensorMaps } from './launch-arguments.js';
import { type Instance, type ModuleMemory, moduleMemory, onGpu } from './module-memory.js';
import { type Launch, resolveLaunches } from './resolve-launches.js';

/** A launch with the body of its kernel, which is one for all its threads. */
export interface PlannedLaunch {
  readonly launch: Launch;
  readonly body: FlatBody;
  /** The predefined registers that the body names, which differ from thread to thread. */
  readonly special: ReadonlySet<string>;
  /** Others, which are the same for all. */
  readonly fixed: ReadonlyMap<string, bigint | string>;
  /** Instructions that the test does not show the memory of: answers rest on what that is taken to be. */
  readonly unseen: LaunchFacts['unseen'];
}

export interface LaunchPlan {
  readonly launches: readonly PlannedLaunch[];
  /** The memory that modules and parameters bring. */
  readonly declarations: readonly Declaration[];
  readonly diagnostics: readonly Diagnostic[];
  /** What names of the test mean in the modules. */
  readonly aliases: ReadonlyMap<string, string>;
  /** What reports call the variables of the modules. */
  readonly shownNames: ReadonlyMap<string, string>;
}

/**
 * Where cooperative groups keep barriers of their own, and how much of that they count on (memory.h there); what is in
 * it when a kernel begins nobody says.
 */
const RESERVED = { register: 'reserved_smem_offset_1', location: 'reserved_shared_memory', bytes: 288 } as const;

/** A grid.sync of cooperative groups counts in this memory (cooperative_groups, grid_workspace). */
const WORKSPACE_BYTES = 64;

const plans = new WeakMap<LitmusFile, LaunchPlan>();

/** Reads the kernels that a test launches, with their parameters and the memory of their modules. */
export const planLaunches = (file: LitmusFile): LaunchPlan => remembered(plans, file, planned);

function planned(file: LitmusFile): LaunchPlan {
  const { launches, diagnostics } = resolveLaunches(file);
  return new LaunchPlanner(file, launches, [...diagnostics]).plan();
}

class LaunchPlanner {
  private readonly declarations = new Map<string, Declaration>();
  /** Of modules that several GPUs launch, by the names of their locations. */
  private readonly instances = new Map<string, Instance>();
  private readonly modules: readonly ModuleFile[];
  private readonly maps: ReadonlySet<string>;
  private readonly descriptors: ReadonlySet<string>;

  constructor(
    private readonly file: LitmusFile,
    private readonly launches: readonly Launch[],
    private readonly diagnostics: Diagnostic[],
  ) {
    this.modules = [...new Set(launches.map(({ module }) => module))];
    this.maps = tensorMaps(file.declarations);
    this.descriptors = new Set(file.declarations.flatMap((one) => (one.kind === 'descriptor' ? [one.name] : [])));
  }

  plan(): LaunchPlan {
    const launches = this.launches.map((launch) => this.planned(launch));
    const instances = [...this.instances.values()];
    const variables = [
      ...[...this.declarations.keys()].map((name) => this.instances.get(name)?.variable ?? name),
      ...launches.flatMap(({ body }) => body.variables.map(({ name }) => name)),
    ];
    const ofModules = this.launches.flatMap(({ module }) => module.variables.map(({ variable }) => variable.name));
    this.diagnostics.push(...unusedArrays(this.file, new Set([...ofModules, ...variables])));
    const aliases = withInstances(aliasesOf(this.file.declarations, variables, this.diagnostics), instances);
    return {
      launches,
      declarations: [...this.declarations.values(), ...this.launches.flatMap(ordersOf)],
      diagnostics: this.diagnostics,
      aliases,
      shownNames: shortestNames(aliases),
    };
  }

  private planned(launch: Launch): PlannedLaunch {
    const { module } = launch;
    const functions = functionAddresses(module, this.modules.indexOf(module));
    const flat = this.bodyOf(launch, functions);
    const names = namesOf(flat.statements);
    const memory = this.memoryOf(launch, names, functions);
    const own = new Map([...memory.renamed, ...this.parameterNames(launch, registersIn(flat))]);
    const given = parameterDeclarations(launch, (name) => own.get(name) ?? name, this.maps, this.descriptors);
    this.diagnostics.push(...given.diagnostics);
    const added = memory.declarations.filter((one) => !isGivenByTest(one, this.file.declarations, this.diagnostics));
    for (const one of [...added, ...given.declarations]) this.declarations.set(one.name, one);
    const renamed = flat.statements.map((statement) => (own.size === 0 ? statement : renamedIn(statement, own)));
    return {
      launch,
      body: { ...flat, statements: renamed },
      special: new Set([...PREDEFINED.keys()].filter((name) => names.has(name))),
      unseen: this.unseen(flat.statements),
      fixed: new Map([
        ...this.workspace(launch, names),
        ...this.reserved(launch, names),
        ['dynamic_smem_size', BigInt(launch.sharedBytes)],
      ]),
    };
  }

  /** The memory of the module; of one that several GPUs launch, as the GPU of the launch has it. */
  private memoryOf(
    { module, gpu, sharedBytes }: Launch,
    names: ReadonlySet<string>,
    functions: ReadonlyMap<string, bigint>,
  ): ModuleMemory {
    const memory = moduleMemory(module, (name) => names.has(name), sharedBytes, functions);
    if (this.launches.every((one) => one.module !== module || one.gpu === gpu)) return memory;
    const given = this.file.declarations.flatMap((one) => (one.kind === 'location' ? [one] : []));
    const known = new Set([...given, ...module.variables.map(({ variable }) => variable)].map(({ name }) => name));
    const { instances, ...own } = onGpu(memory, gpu, (name) => known.has(name));
    for (const one of instances) this.instances.set(one.name, one);
    for (const { name, span } of given)
      if (instances.some(({ variable }) => variable === name))
        this.diagnostics.push(
          error(
            'L0209',
            span,
            `${name} exists once on each GPU, and the module is launched on two: a test does not say what is in each`,
            'hand the variable over as a parameter, with a location for each GPU',
          ),
        );
    return own;
  }

  /** The memory that is kept from users in each CTA, where a body asks for it. */
  private reserved({ syntax: { span } }: Launch, names: ReadonlySet<string>): PlannedLaunch['fixed'] {
    const { register, location, bytes } = RESERVED;
    if (!names.has(register)) return new Map();
    const directives = ['shared', 'b32'].map((name) => ({ name, span }));
    const initial = { kind: 'unknown' } as const;
    this.declarations.set(location, {
      kind: 'location',
      name: location,
      span,
      directives,
      elements: bytes / 4,
      initial,
    });
    return new Map([[register, location]]);
  }

  /** The body of a kernel, with the functions that it calls in place. */
  private bodyOf(
    { module, entry, syntax: { name, span } }: Launch,
    functionAddresses: ReadonlyMap<string, bigint>,
  ): FlatBody {
    const functions = module.functions.flatMap((one) => functionSyntax(one, this.diagnostics));
    const { value: statements = [], diagnostics } = parseBody(entry.body);
    const flat = flattenBody({ name, span, levels: [], statements }, functions, { functionAddresses });
    this.diagnostics.push(...diagnostics, ...flat.diagnostics);
    return flat;
  }

  private unseen(statements: readonly FlatStatement[]): LaunchFacts['unseen'] {
    const { declarations } = this.file;
    const hidden = UNSEEN.filter(({ kind }) => !declarations.some((one) => one.kind === 'alias' && one.proxy === kind));
    return statements.flatMap((one) => {
      if (one.kind !== 'instruction') return [];
      const { mnemonic, operands, span } = one;
      const asks = operands.some((operand) => namesIn(operand).includes(RESERVED.register));
      return [
        ...hidden.flatMap(({ kind, names }) => (names.test(mnemonic) ? [{ kind, span }] : [])),
        ...(asks ? [{ kind: 'reserved', span } as const] : []),
      ];
    });
  }

  /** Names of their own for parameters that have the name of something else. */
  private parameterNames(
    { entry, syntax: { name: launch } }: Launch,
    registers: ReadonlySet<string>,
  ): readonly (readonly [string, string])[] {
    const declared = new Set(this.file.declarations.map((one) => ('name' in one ? one.name : undefined)));
    const all = this.launches.flatMap((one) => one.entry.parameters.map(({ name }) => name));
    const isTaken = (name: string): boolean =>
      declared.has(name) || all.indexOf(name) !== all.lastIndexOf(name) || registers.has(name);
    return entry.parameters.flatMap(({ name }) => (isTaken(name) ? [[name, `${launch}.${name}`] as const] : []));
  }

  /** The registers by which cooperative groups find their memory, where a body reads them. */
  private workspace({ syntax, cooperative }: Launch, names: ReadonlySet<string>): PlannedLaunch['fixed'] {
    if (!names.has('envreg1') && !names.has('envreg2')) return new Map();
    const workspace = `workspace_of_${syntax.name}`;
    if (cooperative) this.declarations.set(workspace, workspaceOf(workspace, syntax.span));
    const value = cooperative ? workspace : 0n;
    return new Map([
      ['envreg1', value],
      ['envreg2', value],
    ]);
  }
}

/** What accesses textures and surfaces. */
const UNSEEN = [
  { kind: 'texture', names: /^(tex|tld4)$/ },
  { kind: 'surface', names: /^(suld|sust|sured)$/ },
] as const;

/** Which grids a launch comes after, and which it depends on. */
const ordersOf = ({ number: grid, after, dependentOn, syntax: { span } }: Launch): readonly GridOrder[] => [
  ...after.map((on) => ({ kind: 'grid-order', grid, order: 'after', on, span }) as const),
  ...dependentOn.map((on) => ({ kind: 'grid-order', grid, order: 'dependent', on, span }) as const),
];

/** The shortest name that means just that variable. */
function shortestNames(aliases: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const [name, variable] of aliases) {
    const known = shown.get(variable);
    if (known === undefined || name.length < known.length) shown.set(variable, name);
  }
  return shown;
}

/** Whether the test declares a variable of a module again: then it says what is in it before the launch. */
function isGivenByTest(
  variable: LocationDeclaration,
  declarations: readonly Declaration[],
  diagnostics: Diagnostic[],
): boolean {
  const given = declarations.find((one) => one.kind === 'location' && one.name === variable.name);
  if (given?.kind !== 'location') return false;
  const shapeOf = (one: LocationDeclaration): string => {
    const { space, type } = readDirectives(one, () => undefined) ?? {};
    const values = one.initial?.kind === 'array' ? one.initial.values.length : 1;
    const size = one.elements === undefined ? `${values === 1 ? '' : `[${values}]`}` : `[${one.elements}]`;
    return `.${space} .${type === undefined ? '' : showDataType(type)} ${one.name}${size}`;
  };
  const [inTest, inModule] = [shapeOf(given), shapeOf(variable)];
  if (inTest !== inModule)
    diagnostics.push(error('L0201', given.span, `the module has this as ${inModule}, and not as ${inTest}`));
  return true;
}

const workspaceOf = (name: string, span: Span): LocationDeclaration => ({
  kind: 'location',
  name,
  span,
  directives: [
    { name: 'global', span },
    { name: 'b32', span },
  ],
  elements: WORKSPACE_BYTES / 4,
});

function functionSyntax({ header, body, name }: ModuleFunction, diagnostics: Diagnostic[]): readonly FunctionSyntax[] {
  const { value: read, failure } = parseFunctionHeader(header);
  if (failure !== undefined) {
    diagnostics.push(failure);
    return [];
  }
  let statements: readonly Statement[] | undefined;
  if (body !== undefined) {
    const parsed = parseBody(body);
    diagnostics.push(...parsed.diagnostics);
    statements = parsed.value ?? [];
  }
  return [{ ...read, name, statements, span: header }];
}

/** Every name that stands in an operand. */
const namesOf = (statements: readonly FlatStatement[]): ReadonlySet<string> =>
  new Set(operandsIn(statements).flatMap(namesIn));

const operandsIn = (statements: readonly FlatStatement[]): readonly OperandSyntax[] =>
  statements.flatMap((one) => {
    if (one.kind === 'instruction') return one.operands;
    return one.kind === 'copy' && one.source !== undefined ? [one.source] : [];
  });

/** What stands with a `%` in a module is a register, though a parameter may have the rest of its name. */
const isRegister = (one: OperandSyntax): boolean =>
  one.kind === 'negated' ||
  one.kind === 'selected' ||
  one.kind === 'pair' ||
  ('percent' in one ? one.percent : one.span.source.text.startsWith('%', one.span.start));

/** The registers of a body, without their `%`. */
const registersIn = (body: FlatBody): ReadonlySet<string> =>
  new Set([...declaredRegisters(body).types.keys(), ...writtenRegisters(body)]);

function renamedIn(statement: FlatStatement, names: ReadonlyMap<string, string>): FlatStatement {
  const operand = (one: OperandSyntax): OperandSyntax =>
    mapNames(one, (name, of) => (isRegister(of) ? name : (names.get(name) ?? name)));
  if (statement.kind === 'copy')
    return statement.source === undefined ? statement : { ...statement, source: operand(statement.source) };
  return statement.kind === 'instruction' ? { ...statement, operands: statement.operands.map(operand) } : statement;
}

/** Arrays of the test that nothing names but their declarations: most are left over, or a launch lacks an argument. */
function unusedArrays({ source, declarations, threads }: LitmusFile, ofModules: ReadonlySet<string>): Diagnostic[] {
  if (threads.length > 0) return [];
  const plain = source.text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  const words: readonly string[] = plain.match(/[\w$%]+/g) ?? [];
  return declarations.flatMap((one) => {
    if (one.kind !== 'location' || ofModules.has(one.name)) return [];
    const isNamed = words.indexOf(one.name) !== words.lastIndexOf(one.name);
    return isNamed ? [] : [warning('L0202', one.span, `nothing names ${one.name}: no launch is given it`)];
  });
}

/** Names of variables of which there is one on each GPU mean none of them; `x@gpu1` does. */
function withInstances(
  aliases: ReadonlyMap<string, string>,
  instances: readonly Instance[],
): ReadonlyMap<string, string> {
  const isOfAll = new Set(instances.map(({ variable }) => variable));
  return new Map([
    ...[...aliases].filter(([, variable]) => !isOfAll.has(variable)),
    ...instances.flatMap(({ variable, gpu, name }) => {
      const others = [...aliases].flatMap(([alias, of]) => (of === variable ? [alias] : []));
      return [variable, ...others].map((one): [string, string] => [`${one}@gpu${gpu}`, name]);
    }),
  ]);
}

/** What the test may call the variables of its modules: an alias, what they demangle to, or the end of that. */
function aliasesOf(
  declarations: readonly Declaration[],
  variables: readonly string[],
  diagnostics: Diagnostic[],
): ReadonlyMap<string, string> {
  const own = new Set(declarations.map((one) => ('name' in one ? one.name : '')));
  const names = new Map<string, Set<string>>();
  for (const variable of variables) {
    const plain = demangled(variable);
    if (plain === variable) continue;
    for (const name of [plain, plain.replace(/^.*::/, '')])
      names.set(name, (names.get(name) ?? new Set<string>()).add(variable));
  }
  const aliases = new Map<string, string>();
  for (const [name, meant] of names) {
    const [only] = meant;
    if (only !== undefined && meant.size === 1 && !own.has(name) && !variables.includes(name)) aliases.set(name, only);
  }
  for (const one of declarations) {
    if (one.kind !== 'variable-alias') continue;
    const meant = variables.includes(one.variable) ? one.variable : aliases.get(one.variable);
    if (meant === undefined)
      diagnostics.push(
        error(
          'L0208',
          one.span,
          `no launched kernel uses a variable ${one.variable}`,
          `they are ${variables.join(', ')}`,
        ),
      );
    else aliases.set(one.name, meant);
  }
  return aliases;
}
