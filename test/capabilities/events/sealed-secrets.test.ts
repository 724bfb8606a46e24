/**
 * Guarantee: the secret of an endpoint is ciphertext where data keys are set, signs all the same, follows a change of keys, opens
 * in no other row, and is gone with its endpoint.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { carryKeys } from '../../../src/base/db/carried-keys.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import {
  changeEndpoint,
  resealEndpoints,
} from '../../../src/capabilities/events/endpoint.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const clock = createFixedClock(NOW);
const test = useTestDatabase();
const key = (name: string): string => `${name}:${randomBytes(32).toString('base64')}`;
const [FIRST, SECOND] = [key('k1'), key('k2')];
let receiver: Receiver;

beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const under = (keys: string): Db => {
  const [plugin] = carryKeys(parseDataKeys(keys));
  return plugin === undefined ? test.db : test.db.withPlugin(plugin);
};

async function stored(id: string): Promise<unknown> {
  const { rows } = await sql<{
    secrets: unknown;
  }>`select secrets from event_endpoint where id = ${id}`.execute(test.db);
  return rows[0]?.secrets;
}

/** Sends an event, and whether the secret verifies it. */
async function isSigned(
  db: Db,
  stream: ReturnType<typeof openStream>,
  secret: string,
): Promise<boolean> {
  await stream.note('a');
  await stream.deliverer({ db }).runOnce();
  const last = receiver.got.at(-1);
  if (last === undefined) return false;
  vi.useFakeTimers({ now: Date.parse(NOW), toFake: ['Date'] });
  try {
    new Webhook(secret).verify(last.raw, last.headers);
    return true;
  } catch {
    return false;
  } finally {
    vi.useRealTimers();
  }
}

it('is ciphertext, and follows a change of keys', async () => {
  const stream = openStream(under(FIRST), clock);
  const { id, secret } = await stream.add(receiver.url);
  const before = await stored(id);
  expect(typeof before).toBe('string');
  expect(String(before)).not.toContain(secret.slice(6));
  expect(await isSigned(under(FIRST), stream, secret)).toBe(true);
  await resealEndpoints(test.db, stream.organisationId, parseDataKeys(`${SECOND},${FIRST}`));
  expect(await stored(id)).not.toBe(before);
  expect(await isSigned(under(SECOND), stream, secret)).toBe(true);
  // Under the one before nothing is sent any more.
  const got = receiver.got.length;
  await stream.note('a');
  await stream.deliverer({ db: under(FIRST) }).runOnce();
  expect(receiver.got).toHaveLength(got);
});

it('opens in no other row', async () => {
  const stream = openStream(under(FIRST), clock);
  const mine = await stream.add(receiver.url);
  const other = await stream.add(`${receiver.url}?other`);
  await sql`update event_endpoint set secrets = (select secrets from event_endpoint where id = ${mine.id}) where id = ${other.id}`.execute(
    test.db,
  );
  await stream.note('a');
  await stream.deliverer({ db: under(FIRST) }).runOnce();
  expect(receiver.got).toHaveLength(1);
});

it('is gone when its endpoint is removed', async () => {
  const stream = openStream(test.db, clock);
  const { id } = await stream.add(receiver.url);
  const { organisationId } = stream;
  await changeEndpoint(test.db, 'remove', {
    organisationId,
    id,
    by: 'operator:ann',
    now: new Date(NOW),
  });
  expect(await stored(id)).toEqual([]);
});
