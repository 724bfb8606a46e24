/** One thread of `npm run model`: runs what it is sent, one after the other. */
import { parentPort } from 'node:worker_threads';
import type { Run } from './runs.ts';
import { runOne } from './runs.ts';

const port = parentPort;
if (port === null) throw new Error('Start this in a worker thread: npm run model.');
port.on('message', (run: Run) => port.postMessage(runOne(run)));
