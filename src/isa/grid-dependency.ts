import { warning } from '../diagnostics/diagnostic.js';
import { type Instruction, instruction } from './instruction.js';

/** Without a prerequisite grid there is nothing to wait for (PTX ISA 9.7.15.14): whoever wrote it meant more. */
export const GRID_INSTRUCTIONS = {
  griddepcontrol: instruction({
    slots: { action: ['launch_dependents', 'wait'] },
    required: ['action'],
    operands: '',
    since: { ptx: '7.8', target: 'sm_90' },
    decode: (at, { action }) => {
      if (action === 'launch_dependents') return at.emit({ kind: 'launch-dependents' });
      const { prerequisites } = at.decoder.thread;
      if (prerequisites.length > 0) return at.emit({ kind: 'grid-wait', complete: prerequisites, launchedBy: [] });
      at.decoder.diagnostics.push(
        warning(
          'L0109',
          at.span,
          'griddepcontrol.wait orders nothing here: the test shows no prerequisite grid',
          'say which grid this one depends on, in the initial state: grid 1 dependent on 0',
        ),
      );
    },
  }),
} as const satisfies Record<string, Instruction>;
