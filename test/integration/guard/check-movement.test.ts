/**
 * Guarantee: everything that stands above a policy and a person is asked of each refund right before it is sent, in one order,
 * each limit and moment exact; a void is stopped by the switch and the breakers alone.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { GuardAnswer, GuardedMovement } from '../../../src/alerts/guard/check-movement.ts';
import { guardMovement, lockForSending } from '../../../src/alerts/guard/check-movement.ts';
import { readIdentity } from '../../../src/alerts/guard/database-identity.store.ts';
import type { GuardLayer, OtherLayers } from '../../../src/alerts/guard/guard-layers.ts';
import type { Caps, GuardSettings } from '../../../src/alerts/guard/guard-settings.ts';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { pauseMoney } from '../../../src/alerts/guard/pause.store.ts';
import {
  PROCESSOR_BREAKER,
  readProcessorBreaker,
} from '../../../src/alerts/guard/processor-breaker.store.ts';
import { writeAlive, writeRecoveryCheck } from '../../../src/alerts/guard/recovery-check.store.ts';
import { writeUncheckedCharges } from '../../../src/alerts/guard/unchecked-charges.store.ts';
import { lockCharge } from '../../../src/alerts/ledger/ledger.store.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { writeNamedValue } from '../../../src/base/jobs/named-value.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
useSaga((saga) => {
  ({ world } = saga);
});

const A = 'netalrt_a';
const MERCHANT = 'mrch_a';
const DAY_MS = 24 * HOUR_MS;

const now = () => nowDate(world.clock);
const charge = (reference = 'ch_1') => ({
  organisationId: world.organisationId,
  chargeReference: reference,
});

interface Asked extends Partial<GuardSettings> {
  readonly movement?: Partial<GuardedMovement>;
  readonly operator?: string;
  readonly layers?: OtherLayers;
}

/** What the guards answer about 50.00 EUR for the alert, and how many statements they asked. */
async function asked(of: Asked = {}): Promise<{ answer: GuardAnswer; statements: number }> {
  const { movement, operator, layers, ...guards } = of;
  const owner = await world.caseOf(A);
  let statements = 0;
  const counting = world.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return await inTransaction(counting, async (trx) => {
    await lockCharge(trx, charge());
    const standing = await lockForSending(trx, charge());
    statements = 0;
    const answer = await guardMovement(
      trx,
      {
        ...charge(),
        ...{ id: 'mv_a', kind: 'refund', amountMinor: 5000, currency: 'EUR', round: 1 },
        ...{ sentOnChargeMinor: 0, complaintMinor: 0, ...movement },
      },
      {
        ...{ owner, operator, layers, standing, now: now() },
        settings: { ...DEFAULT_GUARDS, ...guards },
      },
    );
    return { answer, statements };
  });
}

const ask = async (of: Asked = {}): Promise<GuardAnswer> => (await asked(of)).answer;

const SENT = { refusal: undefined, customer: [] };
const refused = (refusal: string, layer?: string) =>
  layer === undefined ? { refusal } : { refusal, layer };

/** An alert is to be refunded, and nothing was asked yet. */
async function open(): Promise<void> {
  await world.open({ alertId: A });
}

/** Whose charge it is, by an order of ours. */
async function sold(reference: string, account: string): Promise<void> {
  const { db, organisationId } = world;
  await db
    .insertInto('order_record')
    .values({
      organisation_id: organisationId,
      integration_id: 'int_1',
      reference_id: `order_${reference}`,
      type: 'COMPLETE',
      state: 'HELD',
      reason: 'for the test',
      submitted: '{}',
      submitted_hash: Buffer.alloc(32),
      body: JSON.stringify({ customer_account_id: account }),
      accepted_at: now(),
      changed_at: now(),
    } as never)
    .execute();
  await db
    .insertInto('charge')
    .values({
      organisation_id: organisationId,
      reference,
      order_reference: `order_${reference}`,
      source: 'order',
      amount_minor: 5000,
      currency: 'EUR',
      known_at: now(),
    })
    .execute();
}

let sales = 0;

/** A refund of 30.00 EUR on a charge of its own leaves now. */
async function sendAnother({ of = world, account }: { of?: SagaWorld; account?: string } = {}) {
  sales += 1;
  const reference = `ch_other_${sales}`;
  of.processor.addCharge(reference, { amountMinor: 3000 });
  if (account !== undefined) await sold(reference, account);
  const alertId = `netalrt_other_${sales}`;
  await of.open({ alertId, chargeReference: reference, amountMinor: 3000 });
  await of.settle([of.worker('w1')]);
  expect(of.processor.ours(reference)).toBe(3000);
}

describe('nothing is sent', () => {
  beforeEach(open);

  const KINDS = ['refund', 'void'] as const;

  it.each(KINDS)('while the kill switch is on: a %s', async (kind) => {
    await pauseMoney(world.db, { ...charge(), operator: 'ada', reason: '', now: now() });
    expect(await ask({ movement: { kind } })).toStrictEqual(refused('paused'));
    expect(await ask({ movement: { kind }, operator: 'ada' })).toStrictEqual(refused('paused'));
  });

  /** Three in a row were refused because of our own account. */
  async function processorRefuses(): Promise<void> {
    const value = {
      inRow: 3,
      openedAt: now().toISOString(),
      nextProbeAt: new Date(now().getTime() + 15 * MINUTE_MS).toISOString(),
      code: 'bad_key',
    };
    const { organisationId } = world;
    await writeNamedValue(world.db, { organisationId, name: PROCESSOR_BREAKER, value, at: now() });
  }

  const nextProbeMs = async (): Promise<number> =>
    Date.parse((await readProcessorBreaker(world.db, world.organisationId))?.nextProbeAt ?? '');

  it.each(KINDS)(
    'while the processor refuses us, but one try a quarter of an hour: a %s',
    async (kind) => {
      await processorRefuses();
      const next = await nextProbeMs();
      world.clock.setMs(next - 1);
      expect(await ask({ movement: { kind } })).toStrictEqual(refused('processor_refuses_us'));
      world.clock.setMs(next);
      expect((await ask({ movement: { kind } })).refusal).toBeUndefined();
      // That was the one.
      expect(await nextProbeMs()).toBe(next + 15 * MINUTE_MS);
      expect(await ask({ movement: { kind } })).toStrictEqual(refused('processor_refuses_us'));
    },
  );

  it('and what another guard stops takes no turn of what would be sent', async () => {
    await processorRefuses();
    const next = await nextProbeMs();
    world.clock.setMs(next);
    expect(await ask({ caps: { hour: { count: 0 } } })).toStrictEqual(refused('hourly_limit'));
    expect(await nextProbeMs()).toBe(next);
  });
});

describe('what is locked and read before', () => {
  beforeEach(open);

  const awaits = async (reference = 'ch_1'): Promise<boolean> =>
    await inTransaction(
      world.db,
      async (trx) => (await lockForSending(trx, charge(reference))).awaitsCheck,
    );

  it('waits for no check in a database that is known', async () => {
    expect(await awaits()).toBe(false);
    const identity = await readIdentity(world.db, 'full');
    const sign = { kind: 'full', identity, atMs: now().getTime() } as const;
    await inTransaction(world.db, (trx) => writeAlive(trx, world.organisationId, sign));
    expect(await awaits()).toBe(false);
  });

  it('waits for one in a database that was restored', async () => {
    const sign = { kind: 'full', identity: 'another', atMs: now().getTime() } as const;
    await inTransaction(world.db, (trx) => writeAlive(trx, world.organisationId, sign));
    expect(await awaits()).toBe(true);
  });

  it('waits for one that is under way', async () => {
    const since = now().toISOString();
    const check = { since, alive: null, reason: 'asked', waitsFor: 'the service' } as const;
    await writeRecoveryCheck(world.db, world.organisationId, { check, now: now() });
    expect(await awaits()).toBe(true);
  });

  it('waits for the charge that could not be asked about', async () => {
    const unchecked = new Map([['ch_1', 'away']]);
    const held = { unchecked, now: now() };
    await inTransaction(world.db, (trx) => writeUncheckedCharges(trx, world.organisationId, held));
    expect([await awaits(), await awaits('ch_2')]).toEqual([true, false]);
  });
});

describe('the caps of a charge', () => {
  beforeEach(open);

  it.each<[string, Caps['charge'], Partial<GuardedMovement>, string | undefined]>([
    ['the last of its refunds', { count: 2 }, { round: 2 }, undefined],
    ['one more', { count: 2 }, { round: 3 }, 'charge_limit'],
    ['up to its sum', { amountMinor: { EUR: 6000 } }, { sentOnChargeMinor: 1000 }, undefined],
    ['a cent above', { amountMinor: { EUR: 6000 } }, { sentOnChargeMinor: 1001 }, 'charge_limit'],
    ['in another currency', { amountMinor: { USD: 6000 } }, {}, 'currency_unlimited'],
  ])('%s', async (_what, cap, movement, refusal) => {
    const answer = await ask({ caps: { charge: cap }, movement });
    expect(answer).toStrictEqual(refusal === undefined ? SENT : refused(refusal));
  });
});

describe.each([
  ['hour', HOUR_MS, 'hourly_limit'],
  ['day', DAY_MS, 'daily_limit'],
] as const)('the caps of an %s', (window, lengthMs, reason) => {
  it.each([
    [{ count: 2 }, undefined],
    [{ count: 1 }, reason],
    [{ amountMinor: { EUR: 8000 } }, undefined],
    [{ amountMinor: { EUR: 7999 } }, reason],
  ])('beside 30.00 EUR that left: %j', async (cap, refusal) => {
    await sendAnother();
    await open();
    const answer = await ask({ caps: { [window]: cap } });
    expect(answer).toStrictEqual(refusal === undefined ? SENT : refused(refusal));
  });

  it('count what left within it, to the millisecond', async () => {
    await sendAnother();
    await open();
    world.clock.advanceMs(lengthMs - 1);
    const caps = { [window]: { count: 1 } };
    expect(await ask({ caps })).toStrictEqual(refused(reason));
    world.clock.advanceMs(1);
    expect(await ask({ caps })).toStrictEqual(SENT);
  });

  it.each([
    [{ count: 1 }, { count: 9 }],
    [{ amountMinor: { EUR: 7999 } }, { amountMinor: { EUR: 90_000 } }],
  ])('do so beside a wide one of the other length: %j', async (cap, wide) => {
    await sendAnother();
    await open();
    world.clock.advanceMs(lengthMs - 1);
    const caps = { hour: wide, day: wide, [window]: cap };
    expect(await ask({ caps })).toStrictEqual(refused(reason));
    world.clock.advanceMs(1);
    expect(await ask({ caps })).toStrictEqual(SENT);
  });
});

describe('the caps of a customer', () => {
  const caps = { customer: { count: 1, days: 2 } };

  it('count what left for them, by how many days the cap says', async () => {
    await sendAnother({ account: 'a-1' });
    await sold('ch_1', 'a-1');
    await open();
    world.clock.advanceMs(2 * DAY_MS - 1);
    expect(await ask({ caps })).toStrictEqual(refused('customer_limit'));
    world.clock.advanceMs(1);
    expect((await ask({ caps })).refusal).toBeUndefined();
  });

  it('count nothing of anybody else', async () => {
    await sendAnother({ account: 'a-2' });
    await sold('ch_1', 'a-1');
    await open();
    const answer = await ask({ caps });
    expect(answer).toStrictEqual({ refusal: undefined, customer: [expect.any(String)] });
  });

  it('leave a charge to a person whose customer nobody knows', async () => {
    await open();
    expect(await ask({ caps })).toStrictEqual(refused('customer_unknown'));
  });

  it('say whose refund it is also where nothing is counted', async () => {
    await sold('ch_1', 'a-1');
    await open();
    expect((await ask()).customer).toHaveLength(1);
  });
});

describe('what is not asked', () => {
  beforeEach(open);

  it('of a void, which moves no money: caps and a second person', async () => {
    const none = { caps: { hour: { count: 0 } }, approvalAboveMinor: { EUR: 0 } };
    const movement = { kind: 'void', amountMinor: 0 } as const;
    expect(await ask({ ...none, movement })).toStrictEqual({ refusal: undefined });
  });

  it.each<[string, Caps, number]>([
    ['no cap', {}, 0],
    ['one of the charge', { charge: { count: 1 } }, 0],
    ['one of an hour', { hour: { count: 1 } }, 1],
    ['one of a day', { day: { count: 1 } }, 1],
    ['one of each', { hour: { count: 1 }, day: { count: 1 } }, 1],
  ])('of the database with %s', async (_which, caps, statements) => {
    expect(await asked({ caps, operator: 'ada' })).toStrictEqual({ answer: SENT, statements });
  });
});

describe('a second person', () => {
  beforeEach(open);

  it.each([
    [5000, undefined],
    [4999, 'approval_needed'],
  ])('is asked above %i: for 50.00', async (limitMinor, refusal) => {
    const answer = await ask({ approvalAboveMinor: { EUR: limitMinor } });
    expect(answer).toStrictEqual(refusal === undefined ? SENT : refused(refusal));
  });

  it('is asked about exactly this refund, until the deadline of its alert', async () => {
    await ask({ approvalAboveMinor: { EUR: 0 }, operator: 'ada' });
    const rows = await world.db
      .selectFrom('refund_approval')
      .selectAll()
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(rows).toMatchObject([
      {
        alert_id: A,
        kind: 'REFUND',
        state: 'PENDING',
        movement_id: 'mv_a',
        charge_reference: 'ch_1',
        amount_minor: 5000,
        currency: 'EUR',
        reference: null,
        asked_at: now(),
        ends_at: (await world.caseOf(A)).deadline_at,
      },
    ]);
    const first = await world.db
      .selectFrom('refund_approver')
      .select('operator')
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(first).toEqual([{ operator: 'ada' }]);
  });

  it('makes it go, although alerts come in a flood: that is no automatic refund', async () => {
    const of = {
      approvalAboveMinor: { EUR: 0 },
      breaker: { ...DEFAULT_BREAKER, above: 0 },
    };
    expect(await ask(of)).toStrictEqual(refused('approval_needed'));
    // Who decides it agrees to it.
    expect(await ask({ ...of, operator: 'ada' })).toStrictEqual(refused('approval_needed'));
    expect(await ask(of)).toStrictEqual(refused('approval_needed'));
    expect(await ask({ ...of, operator: 'noor' })).toStrictEqual(SENT);
    expect(await ask(of)).toStrictEqual(SENT);
    // What they agreed to is this amount.
    expect(await ask({ ...of, movement: { amountMinor: 4999 } })).toStrictEqual(
      refused('approval_needed'),
    );
  });

  it('is not asked what a cap stops', async () => {
    const of = { approvalAboveMinor: { EUR: 0 }, caps: { hour: { count: 0 } } };
    expect(await ask(of)).toStrictEqual(refused('hourly_limit'));
  });
});

const DEFAULT_BREAKER = {
  windowMs: HOUR_MS,
  usualOverMs: DAY_MS,
  times: 5,
  atLeast: 50,
};

describe('a flood of alerts', () => {
  beforeEach(open);

  it.each(['refund', 'void'] as const)(
    'stops what goes by itself, and nothing that a person decided: a %s',
    async (kind) => {
      const of = { breaker: { ...DEFAULT_BREAKER, above: 0 }, movement: { kind } };
      expect(await ask(of)).toStrictEqual(refused('breaker_open'));
      expect((await ask({ ...of, operator: 'ada' })).refusal).toBeUndefined();
    },
  );

  it('is none up to as many as are allowed, nor where the breaker is off', async () => {
    expect(await ask({ breaker: { ...DEFAULT_BREAKER, above: 1 } })).toStrictEqual(SENT);
    expect(await ask({ breaker: null })).toStrictEqual(SENT);
  });
});

describe('the layers beside the organisation’s own', () => {
  let other: SagaWorld;

  beforeEach(() => {
    other = createSagaWorld(world.db, { clock: world.clock });
  });

  const installation = (caps: Caps): OtherLayers => ({
    installation: {
      scope: {
        kind: 'installation',
        organisationIds: () => [world.organisationId, other.organisationId],
      },
      caps,
    },
    merchants: [],
  });

  const merchant = (guards: Partial<GuardLayer>, id = MERCHANT): OtherLayers => ({
    merchants: [{ scope: { kind: 'merchant', id }, caps: {}, ...guards }],
  });

  /** The alert, which names the merchant. */
  async function openFor(): Promise<void> {
    await open();
    await world.db
      .updateTable('alert')
      .set({ merchant_id: MERCHANT })
      .where('organisation_id', '=', world.organisationId)
      .where('id', '=', A)
      .execute();
  }

  it('count over all organisations, where the organisation’s own count nothing', async () => {
    await sendAnother({ of: other });
    await open();
    const layers = installation({ hour: { count: 1 } });
    expect(await ask({ layers })).toStrictEqual(refused('hourly_limit', 'installation'));
    expect(await ask({ caps: { hour: { count: 1 } } })).toStrictEqual(SENT);
    expect(await ask({ layers: installation({ hour: { count: 2 } }) })).toStrictEqual(SENT);
  });

  it('are asked from the outermost on; the organisation’s own has no name', async () => {
    await open();
    const none = { hour: { count: 0 } };
    const layers = installation({ day: { count: 0 } });
    expect(await ask({ caps: none, layers })).toStrictEqual(refused('daily_limit', 'installation'));
    const inner = merchant({ caps: { day: { count: 0 } } });
    expect(await ask({ caps: none, layers: inner })).toStrictEqual(refused('hourly_limit'));
  });

  it('hold for the merchant that the alert names, and for no other', async () => {
    await openFor();
    const caps = { hour: { count: 0 } };
    expect(await ask({ layers: merchant({ caps }) })).toStrictEqual(
      refused('hourly_limit', `merchant ${MERCHANT}`),
    );
    expect(await ask({ layers: merchant({ caps }, 'mrch_b') })).toStrictEqual(SENT);
  });

  it('ask a second person, in the name of who asks', async () => {
    await openFor();
    const layers = merchant({ approvalAboveMinor: { EUR: 4999 } });
    const byMerchant = refused('approval_needed', `merchant ${MERCHANT}`);
    expect(await ask({ layers })).toStrictEqual(byMerchant);
    const own = { approvalAboveMinor: { EUR: 4999 } };
    expect(await ask({ ...own, layers })).toStrictEqual(refused('approval_needed'));
    expect(await ask({ layers: merchant({ approvalAboveMinor: { EUR: 5000 } }) })).toStrictEqual(
      SENT,
    );
  });

  it('stop what goes by itself in a flood of the merchant’s alerts', async () => {
    await openFor();
    const flood = (above: number) => merchant({ flood: { windowMs: HOUR_MS, above } });
    expect(await ask({ layers: flood(0) })).toStrictEqual(
      refused('breaker_open', `merchant ${MERCHANT}`),
    );
    expect(await ask({ layers: flood(0), operator: 'ada' })).toStrictEqual(SENT);
    expect(await ask({ layers: flood(1) })).toStrictEqual(SENT);
    world.clock.advanceMs(HOUR_MS);
    expect(await ask({ layers: flood(0) })).toStrictEqual(SENT);
  });
});
