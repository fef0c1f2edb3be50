import { hideBin } from 'yargs/helpers';
import { fileProblem } from '../files/file-problem.js';
import { serve } from '../suite/serve.js';
import { WORKER } from './ask-suite.js';
import { EXIT_CODES } from './exit-codes.js';
import { runCommandLine } from './run-command-line.js';

// A closed pipe, as with `| head`, is no error; a full disk is one of whoever runs us.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE') process.exit(EXIT_CODES.good);
  process.stderr.write(`ptx-litmus: standard output: ${fileProblem(cause) ?? cause.message}\n`);
  process.exit(EXIT_CODES.usage);
});
// There is nobody left to tell.
process.stderr.on('error', () => undefined);

const given = hideBin(process.argv);
if (given[0] === WORKER && process.send !== undefined) serve();
else
  void runCommandLine(given).then((code) => {
    process.exitCode = code;
  });
