import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { InstructionSyntax, ThreadSyntax } from '../syntax/litmus-ast.js';
import { decodeAtomic, decodeLoad, decodeStore } from './decode-access.js';
import { decodeClusterRank, decodeConvertAddress, decodeMapAddress } from './decode-address.js';
import { decodeArithmetic, decodeCompare, decodeConvert, decodeMove, decodeSelect } from './decode-arithmetic.js';
import {
  decodeAsyncCopy,
  decodeAsyncReduction,
  decodeAsyncStore,
  decodeBulkCopy,
  decodeGroup,
} from './decode-async.js';
import {
  decodeAsyncArrive,
  decodeMbarrierArrive,
  decodeMbarrierBytes,
  decodeMbarrierObject,
  decodeMbarrierWait,
  decodePendingCount,
} from './decode-mbarrier.js';
import {
  decodeBarrier,
  decodeBranch,
  decodeClusterBarrier,
  decodeCompareBranch,
  decodeExit,
  decodeFence,
  decodeMembar,
  decodeProxyFence,
} from './decode-synchronization.js';
import {
  decodeQueryCancel,
  decodeTensorCopy,
  decodeTensormapCopy,
  decodeTensormapReplace,
  decodeTryCancel,
} from './decode-tensor.js';
import { decodeElect, decodeWarp } from './decode-warp.js';
import type { Decoder } from './decoder.js';
import type { Family } from './instruction-spec.js';
import { formsOf, INSTRUCTIONS, type Mnemonic, OTHER_PTX_INSTRUCTIONS, specOf } from './instruction-table.js';
import type { Qualifiers } from './qualifier-rules.js';
import { readBeforeWriting } from './read-before-write.js';
import { readQualifiers } from './read-qualifiers.js';

/** `name`: the instruction as the table has it, such as `mbarrier.arrive_drop`. */
const DECODE: Readonly<
  Record<Family, (decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers, name: Mnemonic) => void>
> = {
  load: decodeLoad,
  store: decodeStore,
  atomic: decodeAtomic,
  fence: decodeFence,
  membar: decodeMembar,
  proxyFence: decodeProxyFence,
  barrier: decodeBarrier,
  clusterBarrier: decodeClusterBarrier,
  mbarrierObject: decodeMbarrierObject,
  mbarrierBytes: decodeMbarrierBytes,
  mbarrierArrive: decodeMbarrierArrive,
  mbarrierWait: decodeMbarrierWait,
  pendingCount: decodePendingCount,
  asyncArrive: decodeAsyncArrive,
  asyncCopy: decodeAsyncCopy,
  bulkCopy: decodeBulkCopy,
  tensorCopy: decodeTensorCopy,
  asyncStore: decodeAsyncStore,
  asyncReduction: decodeAsyncReduction,
  group: decodeGroup,
  tensormapReplace: decodeTensormapReplace,
  tensormapCopy: decodeTensormapCopy,
  tryCancel: decodeTryCancel,
  queryCancel: decodeQueryCancel,
  warp: decodeWarp,
  elect: decodeElect,
  grid: decodeGridDependency,
  mapAddress: decodeMapAddress,
  clusterRank: decodeClusterRank,
  convertAddress: decodeConvertAddress,
  // It takes time only.
  nothing: () => undefined,
  move: decodeMove,
  arithmetic: decodeArithmetic,
  compare: decodeCompare,
  select: decodeSelect,
  convert: decodeConvert,
  branch: decodeBranch,
  compareBranch: decodeCompareBranch,
  exit: decodeExit,
};

/**
 * One grid, without prerequisites: nothing to wait for, and nothing of the test waits (PTX ISA 9.7.15.14). Whoever
 * wrote it may have meant more.
 */
function decodeGridDependency(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  if (qualifiers.action !== 'wait') return;
  const hint = 'a test shows one grid only: what an earlier one has written is there before all threads';
  decoder.diagnostics.push(
    warning(
      'L0109',
      instruction.span,
      'griddepcontrol.wait orders nothing here: the test shows no prerequisite grid',
      hint,
    ),
  );
}

/** Turns a thread's statements into operations. Labels get the number of the statement before which they stand. */
export function decodeThread(
  decoder: Decoder,
  thread: ThreadSyntax,
): { readonly labels: ReadonlyMap<string, number>; readonly diagnostics: readonly Diagnostic[] } {
  const labels = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  for (const statement of thread.statements) {
    if (statement.kind === 'label') {
      if (labels.has(statement.name))
        diagnostics.push(error('L0107', statement.span, `label ${statement.name} is defined twice`));
      labels.set(statement.name, decoder.statements.length);
    } else if (statement.kind === 'instruction') {
      diagnostics.push(...decodeInstruction(decoder, statement));
    }
  }
  diagnostics.push(...decoder.diagnostics);
  for (const { operation, span } of decoder.statements) {
    if (operation.kind === 'branch' && !labels.has(operation.label)) {
      diagnostics.push(
        error('L0107', span, `unknown label ${operation.label}`, didYouMean(operation.label, labels.keys())),
      );
    }
  }
  return { labels, diagnostics };
}

function decodeInstruction(decoder: Decoder, instruction: InstructionSyntax): readonly Diagnostic[] {
  const { mnemonic, mnemonicSpan } = instruction;
  const found = specOf(instruction);
  if (found === undefined) return [unknownInstruction(instruction)];
  const { name, spec } = found;
  const { qualifiers, diagnostics } = readQualifiers(instruction, name, spec, found.qualifiers);
  if (diagnostics.length > 0) return diagnostics;
  const [least, most] = spec.operandCount;
  const operands = instruction.operands.length;
  if (operands < least || operands > most) {
    const expected = spec.operands === '' ? 'no operands' : `operands ${spec.operands}`;
    return [
      error('L0104', instruction.span, `${name} takes ${expected}, found ${operands === 0 ? 'none' : `${operands}`}`),
    ];
  }
  const first = decoder.statements.length;
  DECODE[spec.family](decoder, instruction, qualifiers, name);
  readBeforeWriting(decoder, first);
  return [];

  function unknownInstruction({ qualifiers: words }: InstructionSyntax): Diagnostic {
    const forms = formsOf(mnemonic);
    const written = [mnemonic, ...words.map(({ text }) => text)].join('.');
    if (forms.length > 0) {
      const nearest = didYouMean(written, forms) ?? `${mnemonic} has the forms ${forms.join(', ')}`;
      return error(
        'L0101',
        instruction.span,
        `no form of ${mnemonic} begins with ` +
          `${[mnemonic, words[0]?.text].filter((word) => word !== undefined).join('.')}`,
        nearest,
      );
    }
    if (OTHER_PTX_INSTRUCTIONS.has(mnemonic))
      return error(
        'L0106',
        mnemonicSpan,
        `${mnemonic} is PTX, but it has no meaning here yet`,
        'a test that needs it cannot be decided by this version',
      );
    return error(
      'L0101',
      mnemonicSpan,
      `unknown instruction ${mnemonic}`,
      didYouMean(mnemonic, Object.keys(INSTRUCTIONS)),
    );
  }
}
