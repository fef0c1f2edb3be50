import { loadTests } from '../../build/library/index.js';
import { buildEvents } from '../../build/semantics/build-events.js';
import { PIPELINES, pipeline } from '../families/pipelines.mjs';
import { COMMAND_LINE, exponent, timed, withFile } from '../measure.mjs';

/** Pipelines: undefined behavior, race, deadlock and two conditions, explained, and how the time grows with events. */
export const title = 'Pipelines: seconds of a whole process for five questions, explained, under 9.4';

export function* rows({ limit }) {
  const points = [];
  for (const shape of PIPELINES) {
    const text = pipeline(shape);
    const structure = buildEvents(loadTests({ path: 'pipeline', text }).value[0], {
      bound: shape.iterations + 1,
      spinRounds: 2,
      failingCasWrites: false,
    });
    const { seconds, status } = withFile(text, (file) =>
      timed(
        process.execPath,
        [COMMAND_LINE, 'check', '--unroll', String(shape.iterations + 1), '--timeout', String(limit), file],
        limit + 10,
      ),
    );
    const decided = status === 0 ? seconds : undefined;
    const events = structure.events.length;
    if (decided !== undefined && shape.consumers === undefined && !shape.tensor) points.push([events, decided]);
    const kind = `${shape.tensor ? ', tensor copies' : ''}${shape.consumers === undefined ? '' : ', two consumers'}`;
    yield {
      name: `${shape.stages} stages, ${shape.iterations} iterations${kind} (${events} events)`,
      seconds: decided,
    };
  }
  // The smallest ones are mostly start.
  yield { name: 'grows with events to the power of', number: exponent(points.slice(2)) };
}
