/**
 * Guarantee: several organisations inside another program share its pool, a worker and a console, and nothing of one
 * reaches another, not even a charge or an event of the same name.
 */
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ForestallInstallation, InstallationOptions } from '../../../src/index.ts';
import { createFixedClock, createHttpProcessor, createInstallation } from '../../../src/index.ts';
import { PRODUCTS } from '../../../src/running/testing/index.ts';
import { makeSale } from '../../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const SECRET = 'processor-secret-for-tests';
const TOKEN = 'console-token-for-tests';
const POLICY = new URL('../../../templates/policies/demonstration.yaml', import.meta.url).pathname;
const clock = createFixedClock('2026-11-20T00:00:00Z');

let database: TestDatabase;
let pool: pg.Pool;
let sandboxes: readonly [Sandbox, Sandbox];
let installation: ForestallInstallation;
let options: InstallationOptions;

const idOf = (sandbox: Sandbox): string => sandbox.accounts.organisationId;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('call wall_organisations(true)');
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  pool = new pg.Pool({ connectionString: url.href, max: 12 });
  const open = (seed: number): Promise<Sandbox> =>
    createSandbox({ clock, processorSecret: SECRET, seed });
  sandboxes = [await open(1), await open(2)];
  options = {
    database: pool,
    clock,
    organisations: sandboxes.map((sandbox, index) => ({
      name: `Brand ${index + 1}`,
      service: { url: sandbox.url, apiKey: sandbox.accounts.organisationKey },
      organisationId: idOf(sandbox),
      integrationId: sandbox.accounts.integrationId,
      webhookSecrets: [sandbox.accounts.webhookSecret],
      processor: createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock }),
      policy: POLICY,
    })),
  };
  installation = await createInstallation(options);
});
afterAll(async () => {
  await installation.stop();
  await pool.end();
  for (const sandbox of sandboxes) await sandbox.close();
  await database.drop();
});

async function drain(): Promise<void> {
  for (let rounds = 0; rounds < 50; rounds++) {
    for (const sandbox of sandboxes) await sandbox.settle();
    if ((await installation.runOnce()) === 0) return;
  }
}

it('refunds the charge of the one whose alert it is, and shows each its own', async () => {
  const [one, two] = sandboxes;
  const app = express();
  for (const sandbox of sandboxes)
    app.use(`/${idOf(sandbox)}`, installation.of(idOf(sandbox)).receiver);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const sale = makeSale({ product: PRODUCTS.font }, clock.nowMs());
  for (const sandbox of sandboxes) {
    sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/${idOf(sandbox)}/webhooks`);
    sandbox.createCharge(sale.charge);
    const { orders } = installation.of(idOf(sandbox));
    expect(await orders.accept([sale.order])).toMatchObject([{ kind: 'accepted' }]);
  }
  const alert = two.createAlertFor(sale.charge.reference);
  await drain();
  expect(one.moneyOut(sale.charge.reference)).toEqual({ count: 0, sumMinor: 0 });
  expect(two.moneyOut(sale.charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
  expect(await installation.of(idOf(one)).alerts.list({})).toEqual([]);
  expect(await installation.of(idOf(two)).alerts.list({})).toMatchObject([{ alertId: alert.id }]);
  server.closeAllConnections();
  server.close();
});

it('has one console for all of them', async () => {
  const server = installation.createConsole({ token: TOKEN }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json();
  };
  expect(await ask('/api/organisations')).toMatchObject({
    organisations: [{ path: 'brand-1' }, { path: 'brand-2' }],
  });
  expect(await ask('/organisations/brand-1/api/alerts?state=all')).toMatchObject({ items: [] });
  expect(await ask('/organisations/brand-2/api/alerts?state=all')).toMatchObject({
    items: [{ state: 'DECLARED_REFUND' }],
  });
  server.closeAllConnections();
  server.close();
});

it('refuses an organisation twice, and one that there is not', async () => {
  const [first] = options.organisations;
  if (first === undefined) throw new Error('there are two');
  const twice = { ...options, organisations: [first, { ...first, name: 'Other' }] };
  await expect(createInstallation(twice)).rejects.toThrow(
    `Two organisations are called ${first.organisationId}`,
  );
  const alike = { ...options, organisations: [first, { ...first, organisationId: 'org_other' }] };
  await expect(createInstallation(alike)).rejects.toThrow('Two organisations are called brand-1');
  expect(() => installation.of('org_other')).toThrow('no organisation org_other');
});
