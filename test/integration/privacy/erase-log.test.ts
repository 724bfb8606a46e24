/**
 * Guarantee: an erased customer is named in no line of the log, whatever was done with their order, their alert and the
 * erasure itself, at the most talkative level.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { personOf } from '../../../src/base/seal/person.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const lines: string[] = [];
let database: TestDatabase;
let world: OpenTestWorld;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await createTestWorld({
    database: database.connectionString,
    log: createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } }),
  });
});
afterAll(async () => {
  await world.close();
  await database.drop();
});

it('an order, its alert, a refused call, a fault and the erasure say no address', async () => {
  const { charge } = await world.sell(PRODUCTS.font);
  await world.drain();
  const { rows } = await database.pool.query<{ email: string }>(
    `select body->>'customer_email' as email from order_record`,
  );
  const email = rows[0]?.email ?? '';
  expect(email).toContain('@');
  world.sandbox.faults.add({
    on: 'PATCH /v1/alerts/{alert_id}',
    kind: 'status',
    status: 503,
    times: 1,
  });
  const { id } = world.sandbox.createAlertFor(charge.reference);
  await world.drain();
  await world.advance(10 * 60_000);
  expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
  const report = await eraseCustomer(world.parts.database.db, {
    organisationId: world.parts.organisationId,
    customerEmail: email,
    actor: 'operator:test',
    now: nowDate(world.clock),
    dryRun: false,
  });
  expect(report.orders).toBe(1);
  await world.drain();
  const person = personOf([email]);
  // The log was on: the fault at least is told. And the look finds what it looks for.
  expect(lines.length).toBeGreaterThan(1);
  expect(person.names(JSON.stringify({ to: email }))).toBe(true);
  expect(lines.filter((line) => person.names(line))).toEqual([]);
});
