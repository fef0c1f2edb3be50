import grammars, {
  type DeclarationActionDict,
  type ThreadHeaderActionDict,
} from '../../generated/litmus.ohm-bundle.js';
import type { Span } from '../diagnostics/source.js';
import {
  given,
  integerOf,
  listOf,
  numberOf,
  optional,
  registerOf,
  repeated,
  textOfNode,
  valueOf,
} from './chunk-nodes.js';
import { eachTextOnce } from './each-text-once.js';
import type { Declaration, Initial, Level, LevelName, ThreadName } from './litmus-ast.js';
import { longList } from './long-list.js';
import { Misfit, type Read, reader, spanOfNode } from './parse-chunk.js';
import { VARIABLES } from './parse-variable.js';
import { threadName } from './thread-name.js';

interface PlaceSyntax {
  readonly level: LevelName;
  readonly numbers: readonly number[];
  readonly span: Span;
}

interface PlacedThread {
  readonly name: ThreadName;
  readonly levels: readonly Level[];
}

const HEADER_ACTIONS: ThreadHeaderActionDict<unknown> = {
  Header(names, _at, places): readonly PlacedThread[] {
    const threads = listOf(names, (name) => threadName(textOfNode(name)));
    const levels = optional(places, listOf<PlaceSyntax>) ?? [];
    const wrong = levels.find(({ numbers }) => numbers.length > 1 && numbers.length !== threads.length);
    if (wrong !== undefined)
      throw new Misfit(
        wrong.span,
        `${wrong.level} has ${wrong.numbers.length} numbers for ${threads.length} threads`,
        'write one number for all threads, or one for each',
      );
    return threads.map((name, i) => ({
      name,
      levels: levels.map(({ level, numbers, span }): Level => {
        const number = numbers.length === 1 ? numbers[0] : numbers[i];
        return { level, number: number ?? 0, span };
      }),
    }));
  },
  Place_host(_host): PlaceSyntax {
    return { level: 'host', numbers: [0], span: spanOfNode(this) };
  },
  Place_level(name, numbers): PlaceSyntax {
    return { level: textOfNode(name) as LevelName, numbers: listOf(numbers, numberOf), span: spanOfNode(name) };
  },
};

/** Reads `P0 @ cta 0, gpu 0`. */
export const parseThreadHeader = eachTextOnce(
  reader<readonly PlacedThread[]>(
    { grammar: grammars.ThreadHeader, rule: 'Header', code: 'L0001', what: 'this thread header cannot be read' },
    HEADER_ACTIONS,
  ),
);

const ACTIONS: DeclarationActionDict<unknown> = {
  ...VARIABLES,
  Order(_grid, grid, order, on): Declaration {
    return {
      kind: 'grid-order',
      grid: numberOf(grid),
      order: textOfNode(order).startsWith('after') ? 'after' : 'dependent',
      on: numberOf(on),
      span: spanOfNode(this),
    };
  },
  Progress(_word, promise): Declaration {
    return { kind: 'forward-progress', promise: textOfNode(promise).trim(), span: spanOfNode(this) };
  },
  Descriptor(name, _equals, _tile, _open, location, _plus, offset, _comma, bytes, _close): Declaration {
    return {
      kind: 'descriptor',
      name: textOfNode(name),
      location: textOfNode(location),
      offset: optional(offset, integerOf) ?? 0n,
      bytes: integerOf(bytes),
      span: spanOfNode(this),
    };
  },
  Typed(directives, name, dimension, placeFirst, _equals, initial, placeLast, _aliases, target): Declaration {
    return {
      kind: 'location',
      name: textOfNode(name),
      span: spanOfNode(name),
      directives: repeated(directives),
      ...given('elements', dimension, valueOf<number>),
      ...given('initial', initial, valueOf<Initial>),
      ...given('place', placeFirst.numChildren > 0 ? placeFirst : placeLast, valueOf<readonly Level[]>),
      ...given('aliases', target, textOfNode),
    };
  },
  Place(_at, levels): readonly Level[] {
    return listOf(levels);
  },
  Level(name, number): Level {
    return { level: textOfNode(name) as LevelName, number: numberOf(number), span: spanOfNode(name) };
  },
  Alias(name, _at, proxy, _aliases, target): Declaration {
    return {
      kind: 'alias',
      name: textOfNode(name),
      proxy: textOfNode(proxy),
      aliases: textOfNode(target),
      span: spanOfNode(this),
    };
  },
  Register(thread, _colon, register, _equals, initial): Declaration {
    return {
      kind: 'register',
      thread: threadName(textOfNode(thread)),
      register: registerOf(register),
      initial: valueOf(initial),
      span: spanOfNode(this),
    };
  },
  Plain(name, _equals, initial): Declaration {
    return {
      kind: 'location',
      name: textOfNode(name),
      span: spanOfNode(name),
      directives: [],
      ...given('initial', initial, valueOf<Initial>),
    };
  },
  InitialState_mbarrier(_mbarrier, _open, count, _close): Initial {
    return { kind: 'mbarrier', count: integerOf(count) };
  },
  InitialState_tensormap(_tensormap, _open, name, _comma, bytes, _close): Initial {
    return { kind: 'tensormap', name: textOfNode(name), bytes: integerOf(bytes) };
  },
  InitialState_shape(
    _map,
    _open,
    _dot,
    type,
    _c1,
    name,
    _c2,
    dimensions,
    _c3,
    strides,
    _c4,
    box,
    swizzle,
    _close,
  ): Initial {
    return {
      kind: 'tensor-shape',
      type: textOfNode(type),
      name: textOfNode(name),
      dimensions: valueOf(dimensions),
      strides: optional(strides) ?? [],
      box: valueOf(box),
      swizzle: optional(swizzle),
    };
  },
  Swizzle(_comma, _swizzle, words): string {
    return textOfNode(words);
  },
  Extents(_what, _open, numbers, _close): readonly bigint[] {
    return listOf(numbers, integerOf);
  },
  InitialState_unknown(_mark): Initial {
    return { kind: 'unknown' };
  },
  InitialState_uninitialized(_word): Initial {
    return { kind: 'uninitialized' };
  },
};

const parse = reader<Declaration>(
  { grammar: grammars.Declaration, rule: 'Declaration', code: 'L0002', what: 'this declaration cannot be read' },
  ACTIONS,
);

/** Reads one declaration of the initial state (docs/format.md). */
export const parseDeclaration = eachTextOnce((span): Read<Declaration> => {
  const list = longList(span);
  if (list === undefined || 'failure' in list) return list ?? parse(span);
  const read = parse(span, list);
  const { value } = read;
  if (value === undefined || !('initial' in value) || value.initial?.kind !== 'array') return read;
  return { value: { ...value, initial: { kind: 'array', values: list.values } } };
});
