import type { Node } from 'ohm-js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import { eachTextOnce } from './each-text-once.js';
import grammars, { type DeclarationSemantics, type ThreadHeaderSemantics } from './litmus.ohm-bundle.js';
import type { Declaration, Directive, Initial, Level, LevelName } from './litmus-ast.js';
import { LONGEST, matchChunk, nodeSpan } from './parse-chunk.js';
import { integer, registerName } from './parse-statement.js';
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
  readonly name?: string;
  readonly levels: readonly Level[];
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
  if (failure !== undefined) return { levels: [], failure };
  chunk = span;
  return headerSemantics(match)['header']();
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
  Header(name, _at, levels) {
    const list = levels.child(0);
    return {
      name: threadName(name.sourceString),
      levels: list === undefined ? [] : list.asIteration().children.map((one) => level(one.child(0), one.child(1))),
    };
  },
});

const semantics: DeclarationSemantics = grammars.Declaration.createSemantics();

semantics.addOperation<Declaration>('declaration', {
  Declaration(declaration) {
    return declaration['declaration']();
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

semantics.addOperation<Initial>('initial', {
  Initial_mbarrier(_mbarrier, _open, count, _close) {
    return { kind: 'mbarrier', count: integer(count.sourceString) };
  },
  Initial_tensormap(_tensormap, _open, name, _comma, bytes, _close) {
    return { kind: 'tensormap', name: name.sourceString, bytes: integer(bytes.sourceString) };
  },
  Initial_array(_open, values, _close) {
    return { kind: 'array', values: values.asIteration().children.map((value) => integer(value.sourceString)) };
  },
  Initial_unknown(_mark) {
    return { kind: 'unknown' };
  },
  Initial_number(number) {
    return { kind: 'number', value: integer(number.sourceString) };
  },
  Initial_address(_and, name) {
    return { kind: 'address', name: name.sourceString };
  },
  Initial_copy(name) {
    return { kind: 'copy', name: name.sourceString };
  },
});
