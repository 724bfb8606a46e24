/**
 * Guarantee: from its second failure on, health names what has begun to fail, by the rows that the stages themselves
 * write; and says nothing more once it works again.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { createProcessorWatch } from '../../../src/alerts/guard/processor-watch.ts';
import { createDeliveryLog } from '../../../src/alerts/receive/delivery-log.ts';
import { beat } from '../../../src/base/jobs/heartbeat.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Channel } from '../../../src/base/notify/channel.ts';
import { notify } from '../../../src/base/notify/notification.store.ts';
import { createNotificationSender } from '../../../src/base/notify/sender.ts';
import { readHealth } from '../../../src/health/health.ts';
import { createPolicyWatcher } from '../../../src/policy/policy-watcher.ts';
import { createListenerSigns } from '../../../src/running/roles/listener-signs.ts';
import { openPolicy } from '../../../src/running/roles/policy-source.ts';
import { shareHealth } from '../../../src/running/roles/shared-health.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import type { Processor, RefundOutcome } from '../../../src/service/wire/processor.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NOW, ORG } from '../reconcile/rows.ts';

const log = createLog({ level: 'silent' });
const test = useTestDatabase();
let clock: FixedClock;

beforeEach(async () => {
  clock = createFixedClock(NOW);
  for (const table of ['fact', 'delivery_minute', 'worker_heartbeat', 'notification'] as const) {
    await test.db.deleteFrom(table).execute();
  }
  await beat(test.db, { workerId: 'w', organisationId: ORG, role: 'work', now: nowDate(clock) });
});

/** The parts that are not well, each with its cause. */
async function troubles(): Promise<Record<string, string>> {
  await beat(test.db, { workerId: 'w', organisationId: ORG, role: 'work', now: nowDate(clock) });
  const parts = await readHealth(test.db, { organisationId: ORG, now: nowDate(clock) });
  return Object.fromEntries(
    parts.filter(({ status }) => status !== 'ok').map(({ name, detail }) => [name, detail]),
  );
}

describe('the processor', () => {
  const REQUEST = {
    idempotencyKey: 'k',
    chargeReference: 'ch_1',
    alertId: 'netalrt_1',
    reason: 'r',
    amountMinor: 100,
    currency: 'USD',
  };
  let reads: 'absent' | 'away';
  let refunds: RefundOutcome;

  function watched(): { processor: Processor; askAgain: () => Promise<number> } {
    const processor: Processor = {
      ...createNoProcessor(),
      name: 'pay.example',
      readCharge: async () =>
        reads === 'away' ? { kind: 'unavailable', reason: 'answered 401' } : { kind: 'absent' },
      refund: async () => refunds,
    };
    const watch = createProcessorWatch({ db: test.db, clock, log, organisationId: ORG });
    expect(watch.watched(processor)).toBe(watch.watched(processor));
    return { processor: watch.watched(processor), askAgain: watch.askAgain };
  }

  it('is named from the second question on, and no longer once it answers', async () => {
    reads = 'away';
    const { processor, askAgain } = watched();
    await processor.readCharge('ch_1');
    expect(await troubles()).toEqual({});
    await askAgain();
    const cause =
      'the processor pay.example gives no answer since 2026-03-01 12:00 UTC (answered 401)';
    expect(await troubles()).toEqual({ deciding: cause, refunding: cause });
    reads = 'absent';
    await askAgain();
    expect(await troubles()).toEqual({});
  });

  it('is named where it answers questions and takes no refund', async () => {
    reads = 'absent';
    refunds = { kind: 'rejected', failureCode: 'no_right', failureClass: 'ours' };
    const { processor } = watched();
    const signal = AbortSignal.timeout(1_000);
    await processor.refund(REQUEST, signal);
    await processor.refund(REQUEST, signal);
    // A question that is answered says nothing about refunds.
    await processor.readCharge('ch_1');
    expect((await troubles())['refunding']).toMatch(/takes no refund since .* \(no_right\)$/);
    // A customer's card that is gone is no trouble of the processor.
    refunds = { kind: 'rejected', failureCode: 'too_old', failureClass: 'final' };
    await processor.refund(REQUEST, signal);
    expect(await troubles()).toEqual({});
  });

  it('is forgotten by the next process at its first answer', async () => {
    reads = 'away';
    const first = watched();
    await first.processor.readCharge('ch_1');
    await first.processor.readCharge('ch_1');
    reads = 'absent';
    await watched().processor.readCharge('ch_1');
    expect(await troubles()).toEqual({});
  });
});

it('deliveries that are all refused, until one is accepted', async () => {
  const deliveries = createDeliveryLog({ db: test.db, clock, log, organisationId: ORG });
  // What strangers send carries no signature.
  deliveries.note('missing_header');
  deliveries.note('missing_header');
  await deliveries.write();
  expect(await troubles()).toEqual({});
  deliveries.note('too_old');
  deliveries.note('too_old');
  await deliveries.write();
  expect((await troubles())['receiving']).toBe(
    'every webhook since 2026-03-01 12:00 UTC is refused, 2 so far: their signatures are too old',
  );
  clock.advanceMs(1_000);
  deliveries.note('accepted');
  await deliveries.write();
  expect(await troubles()).toEqual({});
});

it('deliveries with a signature that fits no secret are a stranger’s at first, and another secret when they go on', async () => {
  const deliveries = createDeliveryLog({ db: test.db, clock, log, organisationId: ORG });
  const receiving = async (): Promise<readonly unknown[]> => {
    await deliveries.write();
    await beat(test.db, { workerId: 'w', organisationId: ORG, role: 'work', now: nowDate(clock) });
    const parts = await readHealth(test.db, { organisationId: ORG, now: nowDate(clock) });
    return parts
      .filter(({ name }) => name === 'receiving')
      .map((part) => [part.status, part.detail]);
  };
  const cause = (count: number): string =>
    `every webhook since 2026-03-01 12:00 UTC is refused, ${count} so far: they are signed with another secret`;
  deliveries.note('no_match');
  deliveries.note('no_match');
  expect(await receiving()).toEqual([['warning', `${cause(2)}, or a stranger sent them`]]);
  for (let more = 0; more < 18; more += 1) deliveries.note('no_match');
  clock.advanceMs(10 * 60_000);
  expect(await receiving()).toEqual([['warning', `${cause(20)}, or a stranger sent them`]]);
  deliveries.note('no_match');
  expect(await receiving()).toEqual([['failed', cause(21)]]);
});

it('channels that take nothing, until one does', async () => {
  let isDown = true;
  const channel: Channel = {
    name: 'Slack',
    send: async () => {
      if (isDown) throw new Error('no such host');
    },
  };
  const sender = createNotificationSender({
    db: test.db,
    clock,
    log,
    organisationId: ORG,
    channels: [channel],
  });
  const say = async (dedupeKey: string): Promise<void> => {
    const at = nowDate(clock);
    const message = { organisationId: ORG, kind: 'test', severity: 'warning', text: 'x' } as const;
    await notify(test.db, { ...message, dedupeKey, at });
    await sender.runOnce();
  };
  await say('one');
  expect(await troubles()).toEqual({});
  await say('two');
  expect((await troubles())['notifying']).toMatch(
    /^no channel takes messages, 2 messages waiting: /,
  );
  isDown = false;
  clock.advanceMs(1_000);
  await say('three');
  expect(await troubles()).toEqual({});
});

it('a policy file that cannot be used, until it can', async () => {
  let problem: string | null = 'rules[0]: no such condition\nand more';
  const good = openPolicy({
    path: undefined,
    demonstration: true,
    brands: IDENTITY_BRAND_TOKENS,
    log,
  });
  const policy = { ...good, refresh: () => false, problem: () => problem };
  const keeper = createPolicyWatcher({
    db: test.db,
    clock,
    organisationId: ORG,
    policy,
    author: 'a',
  });
  await keeper.runOnce();
  expect((await troubles())['deciding']).toMatch(
    /^the policy cannot be used since 2026-03-01 12:00 UTC, and version .* stays in force: rules\[0\]: no such condition$/,
  );
  problem = null;
  await keeper.runOnce();
  expect(await troubles()).toEqual({});
});

it('a listener that is gone beside a live worker, until another one is there', async () => {
  const signs = (workerId: string): ReturnType<typeof createListenerSigns> =>
    createListenerSigns({
      db: test.db,
      clock,
      log,
      workerId,
      organisationId: ORG,
      tls: undefined,
    });
  const first = signs('one');
  first.start();
  await first.stop();
  expect(await troubles()).toEqual({});
  clock.advanceMs(36_000);
  expect((await troubles())['receiving']).toBe(
    'no listener for webhooks is alive since 2026-03-01 12:00 UTC',
  );
  const second = signs('two');
  second.start();
  await second.stop();
  expect(await troubles()).toEqual({});
  const rows = await test.db.selectFrom('worker_heartbeat').select('worker_id').execute();
  expect(rows.map(({ worker_id: id }) => id).sort()).toEqual(['two:serve', 'w']);
});

it('an answer that is asked for afresh never comes from before', async () => {
  let isWell = true;
  const late = { ok: false, checks: {}, parts: [] };
  const ask = shareHealth(
    async () => ({ ok: isWell, checks: {}, parts: [] }),
    () => late,
  );
  expect((await ask()).ok).toBe(true);
  isWell = false;
  expect((await ask()).ok).toBe(true);
  expect((await ask(true)).ok).toBe(false);
  expect((await ask()).ok).toBe(false);
});
