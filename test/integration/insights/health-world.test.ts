/**
 * Guarantee: what stops an installation shows in its health, told by what the worker itself meets: a key that is
 * revoked, a processor that refuses, a switch that is pressed, and how the worker is set.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { readHealth } from '../../../src/health/health.ts';
import { noteSettings } from '../../../src/running/roles/note-settings.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const MINUTE_MS = 60_000;

let world: World;
beforeAll(async () => {
  world = await createWorld({ reconcileSeconds: 120 });
});
afterAll(async () => {
  await world.close();
});

/** The parts that do not work, each with its cause. */
async function failing(): Promise<Record<string, string>> {
  const { database, organisationId } = world.parts;
  const parts = await readHealth(database.db, { organisationId, now: nowDate(world.clock) });
  return Object.fromEntries(
    parts.filter(({ status }) => status === 'failed').map(({ name, detail }) => [name, detail]),
  );
}

it('a key that is revoked, and one that is accepted again', async () => {
  await world.advance(3 * MINUTE_MS, MINUTE_MS);
  expect(await failing()).toEqual({});
  const { keys } = world.sandbox.state;
  const { organisationKey } = world.sandbox.accounts;
  const found = [...keys].find(([, { token }]) => token === organisationKey);
  if (found === undefined) throw new Error('The sandbox has no key.');
  keys.delete(found[0]);
  await world.advance(3 * MINUTE_MS, MINUTE_MS);
  const cause = 'the service refuses our API key (UNAUTHORISED)';
  expect(await failing()).toEqual({
    refunding: cause,
    declaring: cause,
    polling: cause,
    feeding: cause,
  });
  keys.set(...found);
  await world.advance(3 * MINUTE_MS, MINUTE_MS);
  expect(await failing()).toEqual({});
});

it('refunds that are stopped, while an alert asks for one', async () => {
  const { database, organisationId } = world.parts;
  const scope = (): { organisationId: string; operator: string; now: Date } => ({
    organisationId,
    operator: 'ada',
    now: nowDate(world.clock),
  });
  await pauseMoney(database.db, { ...scope(), reason: '' });
  const { charge } = await world.sell(PRODUCTS.font);
  const { id } = world.sandbox.createAlertFor(charge.reference, {});
  await world.drain();
  expect(await world.stateOf(id)).toBe('HUMAN');
  expect(await failing()).toEqual({
    refunding: expect.stringMatching(/^refunds are stopped since .* by ada; /),
  });
  await resumeMoney(database.db, scope());
  await world.drain();
  expect(await failing()).toEqual({});
  expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
});

it('how the worker is set', async () => {
  const { database, organisationId } = world.parts;
  const policy = { current: () => null as never, refresh: () => false };
  await noteSettings(world.parts, {
    processor: createNoProcessor(),
    policy,
    mode: 'live',
    reconcileSeconds: 120,
  });
  const parts = await readHealth(database.db, { organisationId, now: nowDate(world.clock) });
  const details = Object.fromEntries(parts.map(({ name, detail }) => [name, detail]));
  expect(details['refunding']).toBe('no processor is set: every refund waits for a person');
  expect(details['notifying']).toContain('no channel is set');
});
