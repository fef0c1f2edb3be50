import type { Node } from 'ohm-js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import { eachTextOnce } from './each-text-once.js';
import grammars, { type DeclarationSemantics, type ThreadHeaderSemantics } from './litmus.ohm-bundle.js';
import type { Declaration, Directive, Initial, Level, LevelName, ThreadName } from './litmus-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { constantOf, integer, registerName } from './parse-statement.js';
import { threadName } from './thread-name.js';

/** Reads one declaration of the initial state (docs/format.md). */
export const parseDeclaration = eachTextOnce(readDeclaration);

function readDeclaration(span: Span): { readonly declaration?: Declaration; readonly failure?: Diagnostic } {
  const { match, failure } = matchChunk(
    grammars.Declaration,
    span,
    'L0002',
    'this declaration cannot be read',
    'Declaration',
    LONGEST,
  );
  if (failure !== undefined) return { failure };
  chunk = span;
  return { declaration: semantics(match)['declaration']() };
}

/** Reads `P0 @ cta 0, gpu 0`. */
export const parseThreadHeader = eachTextOnce(readThreadHeader);

interface ThreadHeader {
  readonly threads: readonly { readonly name: ThreadName; readonly levels: readonly Level[] }[];
  readonly failure?: Diagnostic;
}

function readThreadHeader(span: Span): ThreadHeader {
  const { match, failure } = matchChunk(
    grammars.ThreadHeader,
    span,
    'L0001',
    'this thread header cannot be read',
    'Header',
    LONGEST,
  );
  if (failure !== undefined) return { threads: [], failure };
  chunk = span;
  const { names, places } = headerSemantics(match)['header']() as {
    readonly names: readonly ThreadName[];
    readonly places: readonly PlaceSyntax[];
  };
  const wrong = places.find(({ numbers }) => numbers.length > 1 && numbers.length !== names.length);
  if (wrong !== undefined)
    return {
      threads: [],
      failure: error(
        'L0001',
        wrong.span,
        `${wrong.level} has ${wrong.numbers.length} numbers for ${names.length} threads`,
        'write one number for all threads, or one for each',
      ),
    };
  const threads = names.map((name, i) => ({
    name,
    levels: places.map(({ level, numbers, span: at }): Level => {
      const number = numbers.length === 1 ? numbers[0] : numbers[i];
      return { level, number: number ?? 0, span: at };
    }),
  }));
  return { threads };
}

interface PlaceSyntax {
  readonly level: LevelName;
  readonly numbers: readonly number[];
  readonly span: Span;
}

let chunk: Span;
const spanOfNode = (node: Node): Span => nodeSpan(chunk, node);

function level(name: Node, number: Node): Level {
  return {
    level: name.sourceString as LevelName,
    number: Number(integer(number.sourceString)),
    span: spanOfNode(name),
  };
}

const headerSemantics: ThreadHeaderSemantics = grammars.ThreadHeader.createSemantics();
headerSemantics.addOperation<unknown>('header', {
  Header(names, _at, places) {
    const list = places.child(0);
    return {
      names: names.asIteration().children.map((name) => threadName(name.sourceString)),
      places: list === undefined ? [] : list.asIteration().children.map((one) => one['place']()),
    };
  },
});
headerSemantics.addOperation<PlaceSyntax>('place', {
  Place_host(_host) {
    return { level: 'host', numbers: [0], span: spanOfNode(this) };
  },
  Place_level(name, numbers) {
    return {
      level: name.sourceString as LevelName,
      numbers: numbers.asIteration().children.map((number) => Number(integer(number.sourceString))),
      span: spanOfNode(name),
    };
  },
});

const semantics: DeclarationSemantics = grammars.Declaration.createSemantics();

semantics.addOperation<Declaration>('declaration', {
  Declaration(declaration) {
    return declaration['declaration']();
  },
  Order(_grid, grid, order, on) {
    return {
      kind: 'grid-order',
      grid: Number(integer(grid.sourceString)),
      order: order.sourceString.startsWith('after') ? 'after' : 'dependent',
      on: Number(integer(on.sourceString)),
      span: spanOfNode(this),
    };
  },
  Descriptor(name, _equals, _tile, _open, location, _plus, offset, _comma, bytes, _close) {
    const more = offset.child(0);
    return {
      kind: 'descriptor',
      name: name.sourceString,
      location: location.sourceString,
      offset: more === undefined ? 0n : integer(more.sourceString),
      bytes: integer(bytes.sourceString),
      span: spanOfNode(this),
    };
  },
  Typed(directives, name, dimension, placeFirst, _equals, initial, placeLast, _aliases, target) {
    const size = dimension.child(0)?.child(1);
    const placed = (placeFirst.child(0) ?? placeLast.child(0))?.child(1);
    return {
      kind: 'location',
      name: name.sourceString,
      span: spanOfNode(name),
      directives: directives.children.map((directive): Directive => directive['directive']()),
      ...(size === undefined ? {} : { elements: Number(integer(size.sourceString)) }),
      ...(initial.child(0) === undefined ? {} : { initial: initial.child(0)['initial']() as Initial }),
      ...(placed === undefined
        ? {}
        : { place: placed.asIteration().children.map((one) => level(one.child(0), one.child(1))) }),
      ...(target.child(0) === undefined ? {} : { aliases: target.child(0).sourceString }),
    };
  },
  Alias(name, _at, proxy, _aliases, target) {
    return {
      kind: 'alias',
      name: name.sourceString,
      proxy: proxy.sourceString,
      aliases: target.sourceString,
      span: spanOfNode(this),
    };
  },
  Register(thread, _colon, register, _equals, initial) {
    return {
      kind: 'register',
      thread: threadName(thread.sourceString),
      register: registerName(register.sourceString),
      initial: initial['initial'](),
      span: spanOfNode(this),
    };
  },
  Plain(name, _equals, initial) {
    const value = initial.child(0);
    return {
      kind: 'location',
      name: name.sourceString,
      span: spanOfNode(name),
      directives: [],
      ...(value === undefined ? {} : { initial: value['initial']() as Initial }),
    };
  },
});

semantics.addOperation<Directive>('directive', {
  Directive(_dot, name, argument) {
    const number = argument.child(0);
    return {
      name: name.sourceString,
      span: spanOfNode(this),
      ...(number === undefined ? {} : { argument: integer(number.sourceString) }),
    };
  },
});

const extents = (list: Node): readonly bigint[] =>
  list
    .child(2)
    .asIteration()
    .children.map((one: Node) => integer(one.sourceString));

semantics.addOperation<Initial>('initial', {
  Initial_mbarrier(_mbarrier, _open, count, _close) {
    return { kind: 'mbarrier', count: integer(count.sourceString) };
  },
  Initial_tensormap(_tensormap, _open, name, _comma, bytes, _close) {
    return { kind: 'tensormap', name: name.sourceString, bytes: integer(bytes.sourceString) };
  },
  Initial_shape(_map, _open, _dot, type, _comma, name, _second, dims, _third, strides, _fourth, box, swizzle, _close) {
    return {
      kind: 'tensor-shape',
      type: type.sourceString,
      name: name.sourceString,
      dimensions: extents(dims),
      strides: strides.child(0) === undefined ? [] : extents(strides.child(0)),
      box: extents(box),
      swizzle: swizzle.child(0)?.child(2).sourceString,
    };
  },
  Initial_array(_open, values, _close) {
    return { kind: 'array', values: values.asIteration().children.map((value) => constantOf(value.sourceString)) };
  },
  Initial_unknown(_mark) {
    return { kind: 'unknown' };
  },
  Initial_number(number) {
    return { kind: 'number', value: constantOf(number.sourceString) };
  },
  Initial_address(_and, name) {
    return { kind: 'address', name: name.sourceString };
  },
  Initial_copy(name) {
    return { kind: 'copy', name: name.sourceString };
  },
});
