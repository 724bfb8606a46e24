/**
 * Guarantee: a process that serves several organisations, and one that works for one, stop working for an organisation that moves,
 * whenever they notice it, and work for it again where it stays; its deliveries are told to come again, and then sent on.
 */
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INBOX_TOPIC } from '../../../src/alerts/receive/inbox-wake.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import type { InstallationWatcher } from '../../../src/running/installation/installation-watcher.ts';
import {
  followResidence,
  openRunningOrganisations,
  servedOrganisation,
} from '../../../src/running/roles/installation-roles.ts';
import type { Shared } from '../../../src/running/roles/parts.ts';
import { openParts } from '../../../src/running/roles/parts.ts';
import { openPolicy } from '../../../src/running/roles/policy-source.ts';
import type { RunningOrganisations } from '../../../src/running/roles/running-organisations.ts';
import { startWorkRole } from '../../../src/running/roles/workers.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { TwoOrganisations } from '../../support/two-organisations.ts';
import {
  A,
  B,
  openTwoOrganisations,
  POLICY,
  PROCESSOR_SECRET,
} from '../../support/two-organisations.ts';

let two: TwoOrganisations;
let database: TestDatabase;
let sandboxes: TwoOrganisations['sandboxes'];
let shared: Shared;
let keeper: InstallationWatcher;
let runningOrganisations: RunningOrganisations;
let deliver: TwoOrganisations['deliver'];

beforeAll(async () => {
  two = await openTwoOrganisations();
  ({ database, sandboxes, shared, keeper, runningOrganisations, deliver } = two);
});
afterAll(async () => {
  await two.close();
});

/** A move of it begins; returns what takes it back. */
async function beginMove(organisationId: string): Promise<() => Promise<void>> {
  await database.pool.query(
    `insert into organisation_move (organisation_id, direction, state, move_id, other, started_at, changed_at)
     values ($1, 'OUT', 'CLOSING', 'move_1', 'there:5432/two', now(), now())`,
    [organisationId],
  );
  return async () => {
    await database.pool.query('delete from organisation_move where organisation_id = $1', [
      organisationId,
    ]);
  };
}

test('a move that is noticed while organisations start has its turn after them', async () => {
  let takeBack = (): Promise<void> => Promise.resolve();
  const started: string[] = [];
  const many = { shared, keeper, database: shared.source };
  const own = await openRunningOrganisations(many, async ({ id }) => {
    started.push(id);
    // The database was away when the start looked at moves; it is back.
    if (id === A) {
      takeBack = await beginMove(A);
      await shared.residence.refresh();
    }
    return () => Promise.resolve();
  });
  try {
    await expect.poll(() => own.problems().get(A), { timeout: 30_000 }).toMatch(/moves to there/);
    expect(own.running()).toBe(1);
    expect(started.toSorted()).toEqual([A, B]);
  } finally {
    await own.stop();
    await takeBack();
    await shared.residence.refresh();
  }
});

test('the worker of one organisation does not work for it where its move was noticed before it followed moves', async () => {
  const [, organisation] = keeper.organisations();
  if (organisation === undefined) throw new Error('there are two');
  const { log } = shared;
  const parts = await openParts(
    servedOrganisation(shared.source)(organisation).access.endpoints,
    log,
  );
  const takeBack = await beginMove(B);
  await parts.residence.refresh();
  const worker = await startWorkRole(parts, {
    processor: createHttpProcessor({
      baseUrl: sandboxes[B].processorUrl,
      secret: PROCESSOR_SECRET,
      clock: parts.clock,
    }),
    policy: openPolicy({ demonstration: true, brands: IDENTITY_BRAND_TOKENS, log, path: POLICY }),
    mode: 'live',
    reconcileSeconds: 120,
  });
  const works = (): boolean => parts.wakeBus.isServed(INBOX_TOPIC);
  try {
    await expect.poll(works, { timeout: 30_000 }).toBe(false);
    await takeBack();
    await parts.residence.refresh();
    await expect.poll(works, { timeout: 30_000 }).toBe(true);
  } finally {
    await takeBack();
    await worker.stop();
    await parts.close();
  }
});

test('one that moves away is told to come again, and then sent on; the other one notices nothing', async () => {
  const unfollow = followResidence(
    { shared, keeper, database: shared.source },
    runningOrganisations,
  );
  const sent: unknown[] = [];
  let status = 200;
  const elsewhere = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      sent.push([request.url, Buffer.concat(pieces).toString(), request.headers['x-signature']]);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"received":true}');
    });
  });
  const port = await listen(elsewhere, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  const forwardUrl = `http://127.0.0.1:${port}/webhooks/brand-a`;
  const secret = sandboxes[A].accounts.webhookSecret;
  const running = runningOrganisations.running();
  try {
    await beginMove(A);
    await shared.residence.refresh();
    expect(await deliver('/webhooks/brand-a', secret, '{"id":"evt_01closing"}')).toBe(503);
    await expect
      .poll(() => runningOrganisations.problems().get(A), { timeout: 30_000 })
      .toMatch(/moves to there/);
    expect(runningOrganisations.running()).toBe(running - 1);
    expect(await deliver('/webhooks/brand-a', secret, '{"id":"evt_02closed"}')).toBe(503);
    await database.pool.query(
      `update organisation_move set state = 'SWITCHED', forward_url = $2 where organisation_id = $1`,
      [A, forwardUrl],
    );
    await shared.residence.refresh();
    await expect
      .poll(() => runningOrganisations.problems().get(A), { timeout: 30_000 })
      .toMatch(/has moved to/);
    expect(await deliver('/webhooks/brand-a', secret, '{"id": "evt_03moved"}')).toBe(200);
    expect(await deliver('/webhooks', secret, '{"id":"evt_04shared"}')).toBe(200);
    expect(await deliver('/webhooks/brand-a', 'whsec_of_nobody_0123456789', '{}')).toBe(401);
    expect(sent).toEqual([
      ['/webhooks/brand-a', '{"id": "evt_03moved"}', expect.stringMatching(/^t=\d+,v1=/)],
      ['/webhooks/brand-a', '{"id":"evt_04shared"}', expect.stringMatching(/^t=\d+,v1=/)],
    ]);
    status = 500;
    expect(await deliver('/webhooks/brand-a', secret, '{"id":"evt_05later"}')).toBe(503);
    const other = sandboxes[B].accounts.webhookSecret;
    expect(await deliver('/webhooks/brand-b', other, '{"id":"evt_06other"}')).toBe(200);
    const { rows } = await database.pool.query(
      `select event_id from inbox_id where organisation_id = $1 and event_id ~ '^evt_0[1-5](closing|closed|moved|shared|later)$'`,
      [A],
    );
    expect(rows).toEqual([]);
  } finally {
    unfollow();
    await closeServer(elsewhere, 200);
  }
});
