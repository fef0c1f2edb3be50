import { parentPort, workerData } from 'node:worker_threads';
import { Cdcl } from '../axiomatic/solver/cdcl.js';
import { Answers, answered } from '../interactive/answers.js';
import type { Asked } from '../interactive/questions.js';
import { ConfirmationThread } from '../worker/confirmation-thread.js';
import type { ThreadSettings } from './ask-thread.js';
import { NODE_MODELS } from './node-models.js';

/** The script of a thread that answers what is asked of drafts. */
const { confirms, timeout } = workerData as ThreadSettings;
const party = confirms ? new ConfirmationThread() : undefined;
const answers = new Answers(NODE_MODELS, new Cdcl(party), timeout);

parentPort?.on('message', async (asked: Asked) => parentPort?.postMessage(await answered(answers, asked)));
