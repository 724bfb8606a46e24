/**
 * What a read of the sandbox costs beside an empty Express application: requests per second of the
 * server's processor time, so that other work on the machine does not count.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import express from 'express';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { ReadOrder, ReadReport } from './read-load.ts';
import type { Row } from './rows.ts';
import { median } from './targets.ts';

/** Requests of the sandbox for one of the empty application. */
const READ_SHARE_MIN = 0.9;

const TURN_MS = 1_000;
const CONNECTIONS = 16;

async function startEmpty(): Promise<{ readonly server: Server; readonly port: number }> {
  const app = express();
  app.get('/', (_request, response) => {
    response.json({ id: 'netalrt_1' });
  });
  const server = createServer(app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

export async function benchReads({ turns }: { readonly turns: number }): Promise<Row[]> {
  const empty = await startEmpty();
  const sandbox = await createSandbox({ requestsPerMinute: 1_000_000_000 });
  const alert = sandbox.createAlert();
  const authorization = `Bearer ${sandbox.accounts.organisationKey}`;
  const load = fork(new URL('read-load.ts', import.meta.url));
  const costOf = async (port: number, path: string): Promise<number> => {
    const order: ReadOrder = {
      port,
      path,
      authorization,
      connections: CONNECTIONS,
      durationMs: TURN_MS,
    };
    const before = process.cpuUsage();
    load.send(order);
    const [{ report, error }] = (await once(load, 'message')) as [
      { report?: ReadReport; error?: string },
    ];
    if (report === undefined) throw new Error(error);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / report.answered;
  };
  const shares: number[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    const ceiling = await costOf(empty.port, '/');
    const ours = await costOf(sandbox.port, `/v1/alerts/${alert.id}`);
    // The first turn warms up.
    if (turn > 0) shares.push(ceiling / ours);
  }
  load.kill();
  await sandbox.close();
  empty.server.closeAllConnections();
  empty.server.close();
  const share = median(shares);
  return [
    {
      name: 'sandbox, GET of an alert / empty Express app',
      measured: share.toFixed(2),
      target: `≥ ${READ_SHARE_MIN.toFixed(2)}`,
      met: share >= READ_SHARE_MIN,
    },
  ];
}
