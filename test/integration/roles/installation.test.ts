/**
 * Guarantee: one process serves several organisations out of `installation.yaml`: deliveries reach their own by path and by
 * the secret that verified, alerts of each are answered, and organisations come, change and go without a restart.
 *
 * Behind the wall: a connection sees the rows of one organisation only.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forAllOrganisations } from '../../../src/base/db/for-organisation.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { InstallationWatcher } from '../../../src/running/installation/installation-watcher.ts';
import { servedOrganisation } from '../../../src/running/roles/installation-roles.ts';
import type { Shared } from '../../../src/running/roles/parts.ts';
import { partsOf, sharedByOrganisations } from '../../../src/running/roles/parts.ts';
import type { RunningOrganisations } from '../../../src/running/roles/running-organisations.ts';
import type { InstallationServeRole } from '../../../src/running/roles/serve-installation.ts';
import { createInstallationServeRole } from '../../../src/running/roles/serve-installation.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { TwoOrganisations } from '../../support/two-organisations.ts';
import {
  A,
  B,
  EVENT_SECRET,
  eventSecretOf,
  nobodyAsks,
  openTwoOrganisations,
  PROCESSOR_SECRET,
} from '../../support/two-organisations.ts';

let two: TwoOrganisations;
let folder: string;
let database: TestDatabase;
let sandboxes: TwoOrganisations['sandboxes'];
let shared: Shared;
let keeper: InstallationWatcher;
let serve: InstallationServeRole;
let runningOrganisations: RunningOrganisations;
let url: string;
let entryOf: TwoOrganisations['entryOf'];
let writeInstallation: TwoOrganisations['writeInstallation'];
let deliver: TwoOrganisations['deliver'];

beforeAll(async () => {
  two = await openTwoOrganisations();
  ({ folder, database, sandboxes, shared, keeper, serve, runningOrganisations, url } = two);
  ({ entryOf, writeInstallation, deliver } = two);
});
afterAll(async () => {
  await two.close();
});

/** What a look at the file changes. */
async function look(): Promise<void> {
  const { stop, start } = keeper.refresh();
  const source = shared.source;
  await runningOrganisations.change({
    stop: stop.map(({ id }) => id),
    start: start.map(servedOrganisation(source)),
  });
}

/** A charge at the organisation's own processor. */
function sell(id: typeof A | typeof B): string {
  const { charge } = makeSale({ product: PRODUCTS.font }, Date.now());
  sandboxes[id].createCharge(charge);
  return charge.reference;
}

test('alerts of each are refunded and declared, whichever way they came', async () => {
  expect([...runningOrganisations.problems()]).toEqual([]);
  sandboxes[A].pointWebhooksAt(`${url}/webhooks/brand-a`);
  sandboxes[B].pointWebhooksAt(`${url}/webhooks`);
  const charges = [A, B].map((id) => sell(id));
  for (const [place, id] of [A, B].entries()) sandboxes[id].createAlertFor(charges[place] ?? '');
  for (const [place, id] of [A, B].entries()) {
    const answers = (): unknown =>
      sandboxes[id].patchLog.map(({ action, http_status }) => [action, http_status]);
    await expect.poll(answers, { timeout: 60_000 }).toEqual([['REFUND', 200]]);
    expect(sandboxes[id].moneyOut(charges[place] ?? '').count).toBe(1);
  }
  const { rows } = await sql<{ organisation_id: string; cases: number }>`
    select organisation_id, count(*)::int as cases from alert_case group by 1 order by 1`.execute(
    forAllOrganisations(database, 'due_look').db,
  );
  expect(rows).toEqual([
    { organisation_id: A, cases: 1 },
    { organisation_id: B, cases: 1 },
  ]);
});

test('a delivery is taken in only where its own secret is known', async () => {
  const secret = sandboxes[B].accounts.webhookSecret;
  expect(await deliver('/webhooks/brand-a', secret, '{"id":"evt_of_b"}')).toBe(401);
  expect(await deliver('/webhooks', 'whsec_of_nobody_0123456789', '{"id":"evt_x"}')).toBe(401);
  expect(await deliver('/webhooks/brand-x', secret, '{"id":"evt_x"}')).toBe(404);
  const refused = (name: string): unknown => serve.counters().get(name)?.snapshot().refused;
  expect(refused(A)).toMatchObject({ no_match: 1 });
  expect(refused('unknown')).toMatchObject({ no_match: 1, unknown_subscription: 1 });
  expect(refused(B)).toMatchObject({ no_match: 0 });
});

test('of a flood into one organisation one flush is under way while the other delivers', async () => {
  // At one moment, so that the machine's speed does not matter.
  const still = sharedByOrganisations({ ...shared, clock: createFixedClock(Date.now()) });
  const door = createInstallationServeRole(still, {
    tls: undefined,
    health: nobodyAsks,
    isListed: keeper.isListed,
  });
  const opened = await Promise.all(
    keeper.organisations().map(async (organisation, place) => {
      const parts = await partsOf(
        still,
        servedOrganisation(shared.source)(organisation).access.endpoints,
      );
      const { webhookSecret } = sandboxes[place === 0 ? A : B].accounts;
      door.add(parts, { path: `still-${place}`, place, webhookSecrets: [webhookSecret] });
      return parts;
    }),
  );
  const port = await listen(door.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  const at = `http://127.0.0.1:${port}`;
  const secretOf = (id: typeof A | typeof B): string => sandboxes[id].accounts.webhookSecret;
  const send = (place: 0 | 1, id: string): Promise<number> =>
    deliver(`${at}/webhooks/still-${place}`, secretOf(place === 0 ? A : B), `{"id":"${id}"}`);
  const flood = (name: string): Promise<number[]> =>
    Promise.all(Array.from({ length: 60 }, (_, number) => send(0, `evt_${name}_${number}`)));
  const held = await database.pool.connect();
  const flushesUnderWay = async (): Promise<unknown> => {
    const { rows } = await held.query(
      `select count(*)::int as count from pg_stat_activity where datname = current_database()
         and application_name = 'forestall-receive' and wait_event_type = 'Lock'`,
    );
    return rows[0].count;
  };
  try {
    expect(await send(1, 'evt_beside')).toBe(200);
    const answers = await flood('first');
    await held.query('begin');
    await held.query('lock table inbox_work in share mode');
    const more = flood('more');
    await expect.poll(flushesUnderWay, { timeout: 3_000 }).toBe(1);
    // Asked after all of them, so that they have arrived.
    for (let asked = 0; asked < 5; asked++) await fetch(`${at}/healthz`);
    expect(await flushesUnderWay()).toBe(1);
    await held.query('rollback');
    expect(new Set([...answers, ...(await more)])).toEqual(new Set([200]));
  } finally {
    await held.query('rollback');
    held.release();
    await closeServer(door.server, 200);
    await door.close();
    for (const parts of opened) await parts.close();
  }
});

test('events of the processor are taken in where their own secret is known, under their own path', async () => {
  const body = JSON.stringify({
    id: 'pe_shared',
    kind: 'fraud_warning',
    charge_references: ['ch_x'],
  });
  const [ofA, ofB] = ['brand-a', 'brand-b'].map(eventSecretOf) as [string, string];
  expect(await deliver('/processor-events/brand-a/http', ofB, body)).toBe(401);
  expect(await deliver(`/processor-events/${A}/http`, ofB, body)).toBe(401);
  // No path without an organisation: whose charge it is about would be a guess.
  expect(await deliver('/processor-events/http', ofA, body)).toBe(404);
  expect(await deliver('/processor-events/brand-x/http', ofA, body)).toBe(404);
  const stored = async (): Promise<unknown> => {
    const { rows } = await sql`
      select organisation_id, event_id from processor_event order by organisation_id`.execute(
      forAllOrganisations(database, 'due_look').db,
    );
    return rows;
  };
  expect(await stored()).toEqual([]);
  expect(await deliver('/processor-events/brand-b/http', ofB, body)).toBe(200);
  expect(await stored()).toEqual([{ organisation_id: B, event_id: 'pe_shared' }]);
  // The other one's event of the same id is another event.
  expect(await deliver('/processor-events/brand-a/http', ofA, body)).toBe(200);
  expect(await stored()).toEqual([
    { organisation_id: A, event_id: 'pe_shared' },
    { organisation_id: B, event_id: 'pe_shared' },
  ]);
});

test('all of them share one sign of life, one look and one connection that listens', async () => {
  const { db } = forAllOrganisations(database, 'heartbeat');
  const rows = await db
    .selectFrom('worker_heartbeat')
    .select(['organisation_id', 'role'])
    .execute();
  expect(rows.toSorted((a, b) => a.role.localeCompare(b.role))).toEqual([
    { organisation_id: '*', role: 'serve' },
    { organisation_id: '*', role: 'work' },
  ]);
  const { rows: listening } = await database.pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'forestall-wake'`,
  );
  expect(listening).toEqual([{ count: 1 }]);
});

test('a secret is exchanged without a restart; a file with a mistake replaces nothing', async () => {
  const next = 'whsec_exchanged_0123456789abcdef';
  await writeFile(join(folder, 'brand-b.secret'), next);
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(await deliver('/webhooks/brand-b', next, '{"id":"evt_01exchanged"}')).toBe(200);
  await writeInstallation(entryOf(A), entryOf(B, ['polcy: none.yaml']));
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(keeper.problem()).toContain(
    'installation.yaml:20:5: "polcy" is not known here. Did you mean "policy"?',
  );
  expect(await deliver('/webhooks', next, '{"id":"evt_02exchanged"}')).toBe(200);
  await writeInstallation(entryOf(A), entryOf(B));
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(keeper.problem()).toBeNull();
});

test('organisations go and come back without a restart', async () => {
  const next = sandboxes[B].accounts.webhookSecret;
  await writeFile(join(folder, 'brand-b.secret'), next);
  await writeInstallation(entryOf(A));
  await look();
  expect(runningOrganisations.running()).toBe(1);
  expect(await deliver('/webhooks/brand-b', next, '{"id":"evt_03gone"}')).toBe(404);
  await writeInstallation(entryOf(A), entryOf(B, ['mode: shadow']));
  await look();
  expect(runningOrganisations.running()).toBe(2);
  expect(await deliver('/webhooks/brand-b', next, '{"id":"evt_04back"}')).toBe(200);
  const before = sandboxes[B].patchLog.length;
  // In shadow it decides, and does nothing.
  sandboxes[B].pointWebhooksAt(`${url}/webhooks/brand-b`);
  const { id } = sandboxes[B].createAlertFor(sell(B));
  const decided = async (): Promise<unknown> => {
    const { db } = forAllOrganisations(database, 'due_look');
    return await db
      .selectFrom('decision')
      .select(['organisation_id', 'shadow'])
      .where('alert_id', '=', id)
      .execute();
  };
  await expect.poll(decided, { timeout: 60_000 }).toEqual([{ organisation_id: B, shadow: true }]);
  expect(sandboxes[B].patchLog.length).toBe(before);
});

test('a merchant with a processor of its own comes without a restart, and its webhooks have their own door', async () => {
  const outlet = 'mrch_outlet';
  const guards = join(folder, 'outlet.yaml');
  await writeFile(guards, 'caps: {hour: {count: 1}}\n');
  const entry = entryOf(A, [
    'merchants:',
    `  - id: ${outlet}`,
    `    processor: ${sandboxes[B].processorUrl}/`,
    '    processor_secret: {env: MONEY_SECRET}',
    '    processor_event_secrets: [{env: EVENT_SECRET}]',
    '    guards: outlet.yaml',
  ]);
  await writeInstallation(entry, entryOf(B, ['mode: shadow']));
  await look();
  expect([...runningOrganisations.problems()]).toEqual([]);
  const seeded = sandboxes[A].seed({
    merchants: [{ id: outlet, name: 'Outlet', organisation_id: A }],
    enrolments: [{ type: 'NETA_ALERT', merchant_ids: [outlet] }],
  });
  // The account of the organisation has a charge of the same name.
  const { charge } = makeSale({ product: PRODUCTS.font }, Date.now());
  for (const id of [A, B] as const) sandboxes[id].createCharge(charge);
  const named = { enrolment_id: seeded.enrolments[0]?.id ?? '' };
  sandboxes[A].createAlertFor(charge.reference, named);
  const moneyOut = (): unknown =>
    [A, B].map((id) => sandboxes[id].moneyOut(charge.reference).count);
  await expect.poll(moneyOut, { timeout: 60_000 }).toEqual([0, 1]);

  const event = JSON.stringify({
    ...{ id: 'pe_outlet', kind: 'refund_updated', charge_references: [charge.reference] },
  });
  expect(await deliver(`/processor-events/brand-a/${outlet}/http`, EVENT_SECRET, event)).toBe(200);
  expect(await deliver(`/processor-events/brand-a/${outlet}/http`, PROCESSOR_SECRET, event)).toBe(
    401,
  );
  // Of the organisation's own processor: another door, and another secret.
  expect(await deliver('/processor-events/brand-a/http', EVENT_SECRET, event)).toBe(401);
  expect(await deliver('/processor-events/brand-b/http', EVENT_SECRET, event)).toBe(401);
  expect(await deliver('/processor-events/brand-a/mrch_other/http', EVENT_SECRET, event)).toBe(404);
  const { rows } = await database.pool.query(
    "select organisation_id, processor from processor_event where event_id = 'pe_outlet'",
  );
  expect(rows).toEqual([{ organisation_id: A, processor: `http:${outlet}` }]);

  // A guards file that changes is a change of its organisation alone; one with a mistake replaces nothing.
  await writeFile(guards, 'caps: {hour: {coun: 1}}\n');
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(keeper.problem()).toContain('installation.yaml:18:17: guards is not as expected');
  await writeFile(guards, 'caps: {hour: {count: 0}}\n');
  expect(keeper.refresh().start.map(({ id }) => id)).toEqual([A]);
});
