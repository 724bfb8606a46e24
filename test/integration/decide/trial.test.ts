/**
 * Guarantee: a trial only turns a rule's refund into an acceptance, never beyond its amount, budget, count and room, not
 * in flight either; the arm is the customer's, stable, and what stands above a trial comes first.
 */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import { insertingDecision } from '../../../src/alerts/decide/decision.store.ts';
import type { Trial } from '../../../src/alerts/decide/explore.ts';
import {
  drawnBefore,
  hasBudget,
  takeFromBudget,
  trialKey,
} from '../../../src/alerts/decide/trial.store.ts';
import { armOf, drawOf, keptOut } from '../../../src/alerts/decide/trial.ts';
import { tryDecision } from '../../../src/alerts/decide/try-decision.ts';
import { carryKeys } from '../../../src/base/db/carried-keys.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { PolicyError } from '../../../src/policy/source.ts';
import { reseal } from '../../../src/running/privacy/reseal.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  decideTried,
  runTrial,
  TRIAL_ORGANISATION,
  triable,
  trialPolicy,
} from '../../support/trial-world.ts';
import type { FactsOver } from '../../unit/decide/fixtures.ts';
import { account, chargeHistory, customerFacts, orderFacts } from '../../unit/decide/fixtures.ts';

const test = useTestDatabase();
const WHOLE =
  '{name: small ones, share: 10 %, largest: 40.00 USD, budget: 200.00 USD, disputes: 8, stop_when: {ratio_headroom: {below: 50}}}';

beforeEach(async () => {
  await test.db.deleteFrom('policy_trial_month').execute();
});

const month = async () =>
  await test.db
    .selectFrom('policy_trial_month')
    .select(['cases', 'amount_minor'])
    .executeTakeFirst();

describe('a budget', () => {
  it.each([
    ['count', WHOLE, 500],
    ['money', WHOLE.replace('budget: 200.00', 'budget: 60.00'), 500],
    ['room until the next line', WHOLE.replace('disputes: 8', 'disputes: 900'), 53],
  ])('of %s is not passed by three workers at once', async (_of, written, headroom) => {
    const policy = trialPolicy(written);
    const { accepted, acceptedMinor, arms } = await runTrial(test.db, {
      ...{ policy, alerts: 600, workers: 3, headroom },
    });
    const { explore } = policy;
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThanOrEqual(Math.min(explore?.disputes ?? 0, headroom - 50));
    expect(acceptedMinor).toBeLessThanOrEqual(explore?.budget.amountMinor ?? 0);
    expect(await month()).toEqual({ cases: accepted, amount_minor: acceptedMinor });
    for (const of of arms.values()) expect(of.size).toBe(1);
  });

  it('is asked of its row itself, whatever was seen before', async () => {
    const { explore } = trialPolicy(WHOLE);
    if (explore === undefined) throw new Error('no trial');
    const take = (headroom: number, amountMinor = 1_00) =>
      inTransaction(test.db, (trx) =>
        takeFromBudget(trx, {
          ...{ organisationId: TRIAL_ORGANISATION, explore, amountMinor, headroom },
          now: new Date('2026-03-11T12:00:00Z'),
        }),
      );
    const taken = [
      await take(52),
      await take(52),
      await take(52),
      await take(90, 198_01),
      await take(90, 198_00),
    ];
    expect(taken).toEqual([true, true, false, false, true]);
    expect(await take(50)).toBe(false);
  });

  it('is asked before an arm is drawn: without room nobody is in the trial, of either arm', async () => {
    const { explore } = trialPolicy(WHOLE);
    if (explore === undefined) throw new Error('no trial');
    const has = (headroom: number, amountMinor = 1_00) =>
      hasBudget(test.db, {
        ...{ organisationId: TRIAL_ORGANISATION, explore, amountMinor, headroom },
        now: new Date('2026-07-11T12:00:00Z'),
      });
    // Below 50 it stops, and a case needs one of what is left above.
    expect([await has(50), await has(50.5), await has(51)]).toEqual([false, false, true]);
    expect([await has(90, 200_00), await has(90, 200_01)]).toEqual([true, false]);
  });

  it('is given back with a transaction that ends badly, and begins again with the month', async () => {
    const policy = trialPolicy(WHOLE.replace('disputes: 8', 'disputes: 1'));
    const n = await accepting(policy);
    await expect(
      inTransaction(test.db, async (trx) => {
        const known = triable(n);
        const { action } = await tryDecision(trx, {
          organisationId: TRIAL_ORGANISATION,
          ...{ policy, facts: known, decision: decide(policy, known), now: new Date(known.now) },
        });
        expect(action).toBe('ACCEPT_DISPUTE');
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect(await month()).toBeUndefined();
    expect((await decideTried(test.db, { policy, facts: triable(n) })).action).toBe(
      'ACCEPT_DISPUTE',
    );
    expect((await decideTried(test.db, { policy, facts: triable(n) })).trial).toBeUndefined();
    const now = new Date('2026-04-01T00:00:00Z');
    expect((await decideTried(test.db, { policy, facts: triable(n), now })).action).toBe(
      'ACCEPT_DISPUTE',
    );
  });
});

/** A customer who is in the arm that accepts. */
async function accepting(policy: ReturnType<typeof trialPolicy>): Promise<number> {
  const key = await inTransaction(test.db, (trx) => trialKey(trx, TRIAL_ORGANISATION, new Date()));
  const { explore } = policy;
  if (explore === undefined) throw new Error('no trial');
  let n = 0;
  while (armOf(key, explore, `account C-${n}`).arm !== 'accept') n += 1;
  return n;
}

describe('what is kept and said', () => {
  it('the arm, how likely it was, and why, in the sentence of the decision', async () => {
    const policy = trialPolicy(WHOLE);
    const decision = await decideTried(test.db, {
      policy,
      facts: triable(await accepting(policy)),
    });
    expect(decision).toMatchObject({
      ...{ action: 'ACCEPT_DISPUTE', decidedBy: 'policy', rule: 'small', amountMinor: null },
      trial: { experiment: 'small ones', arm: 'accept', propensity: 0.1 },
      sentence:
        'Accept the dispute of 29.90 USD as part of the trial "small ones": rule "small" would refund it, and 10 % of such cases, drawn by customer, are accepted to learn what accepting costs.',
    });
  });

  it('of a case that is compared, too; without a trial nothing', async () => {
    const policy = trialPolicy(WHOLE);
    const n = await accepting(policy);
    const other = await decideTried(test.db, { policy, facts: triable(n + 100_000) });
    if (other.trial?.arm === 'refund') expect(other.trial.propensity).toBeCloseTo(0.9, 12);
    const { explore: _explore, ...plain } = policy;
    expect(await decideTried(test.db, { policy: plain, facts: triable(n) })).toEqual(
      decide(policy, triable(n)),
    );
  });
});

describe('what stands above a trial', () => {
  it.each<[string, FactsOver, number?]>([
    ['a larger amount', {}, 40_01],
    ['shadow mode', { mode: 'shadow' }],
    ['a claim', { alert: { enrolmentType: 'WITHDRAWAL' } }],
    [
      'RDR on the charge',
      { history: chargeHistory({ fraudNotice: false, fraudWarning: false, rdr: true }) },
    ],
    ['a fraud notice', { history: chargeHistory({ fraudWarning: false }) }],
    ['a fraud warning', { history: chargeHistory({ fraudNotice: false, fraudWarning: true }) }],
    ['a past that is not known', { history: null }],
    ['a subscription that bills again', { order: orderFacts({ subscription: true }) }],
    ['an order that is not known', { order: null }],
    ['a further complaint', { account: account({ dispute: 'further' }) }],
    ['a ratio that is not known', { ratio: null }],
    [
      'too little room',
      { ratio: { percent: 1, headroom: 50, line: null, measuredAt: '2026-03-11T11:00:00.000Z' } },
    ],
    ['another currency', { alert: { currency: 'EUR' } }],
  ])('%s', async (_what, over, amountMinor = 2990) => {
    const policy = trialPolicy(WHOLE);
    const n = await accepting(policy);
    const { alert, ...rest } = over;
    const plain = triable(n, rest, amountMinor);
    const known = { ...plain, alert: { ...plain.alert, ...alert } };
    const { explore } = policy;
    if (explore !== undefined)
      expect(keptOut(explore, decide(policy, triable(n)), known)).toBeDefined();
    expect((await decideTried(test.db, { policy, facts: known })).trial).toBeUndefined();
    expect(await month()).toBeUndefined();
  });

  it('and a subscription that was cancelled does not', async () => {
    const policy = trialPolicy(WHOLE);
    const order = orderFacts({ subscription: true, subscriptionCancelled: true });
    const known = triable(await accepting(policy), { order });
    expect((await decideTried(test.db, { policy, facts: known })).action).toBe('ACCEPT_DISPUTE');
  });
});

describe('the arm', () => {
  const key = Buffer.alloc(32, 7);

  it('is drawn by HMAC of experiment and unit, as openssl says', () => {
    // printf 'small ones\0account C-1' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07
    expect(drawOf(key, 'small ones', 'account C-1')).toBeCloseTo(0.8768791696246225, 12);
    expect(drawOf(key, 'other', 'account C-1')).not.toBe(drawOf(key, 'small ones', 'account C-1'));
  });

  it('is the card’s where no customer is known, and none where neither is', async () => {
    const policy = trialPolicy(WHOLE);
    const card = { cardBin: '411111', cardLast4: '1111' };
    const known = triable(1, { customer: null });
    const arms = new Set<string | undefined>();
    for (const id of ['netalrt_a', 'netalrt_b', 'netalrt_c']) {
      const { trial } = await decideTried(test.db, {
        policy,
        facts: { ...known, alert: { ...known.alert, ...card, id } },
      });
      arms.add(trial?.arm);
    }
    expect(arms.size).toBe(1);
    const bare = {
      ...known,
      alert: { ...known.alert, cardBin: null },
      customer: customerFacts({ accountId: null, emailHash: null }),
    };
    expect((await decideTried(test.db, { policy, facts: bare })).trial).toBeUndefined();
  });
});

describe('what was drawn for a charge before', () => {
  const about = (chargeReference: string) => ({
    ...{ organisationId: TRIAL_ORGANISATION, alertId: 'netalrt_now' },
    ...{ chargeReference, experiment: 'small ones' },
  });

  /** Another alert of the charge that was decided so. */
  async function decidedBefore(
    n: number,
    of: { readonly trial?: Trial; readonly action?: 'ACCEPT_DISPUTE' },
  ): Promise<string> {
    const policy = trialPolicy(WHOLE);
    const known = triable(n);
    const { trial, action } = of;
    const refund = decide(policy, known);
    const decision = action === undefined ? refund : { ...refund, action, amountMinor: null };
    await inTransaction(test.db, async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, charge_reference, changed_at)
        values (${TRIAL_ORGANISATION}, ${`netalrt_${n}`}, 'DECLARED_REFUND', ${known.now}, ${known.now}, ${`ch_${n}`}, ${known.now})`.execute(
        trx,
      );
      await insertingDecision(trx, {
        ...{ organisationId: TRIAL_ORGANISATION, alertId: `netalrt_${n}`, facts: known },
        ...{ decision: trial === undefined ? decision : { ...decision, trial } },
        now: new Date(known.now),
      }).execute(trx);
    });
    return `ch_${n}`;
  }

  it('a refund outside of this trial keeps it out; an arm of it is the twin’s too', async () => {
    const trial = { experiment: 'small ones', arm: 'accept', propensity: 0.1 } as const;
    const plain = await decidedBefore(700_001, {});
    const inTrial = await decidedBefore(700_002, { trial, action: 'ACCEPT_DISPUTE' });
    const other = await decidedBefore(700_003, { trial: { ...trial, experiment: 'another' } });
    const fresh = 'ch_700004';
    expect(await drawnBefore(test.db, about(plain))).toEqual({ isElsewhere: true, trial: null });
    expect(await drawnBefore(test.db, about(inTrial))).toEqual({ isElsewhere: false, trial });
    expect(await drawnBefore(test.db, about(other))).toMatchObject({ isElsewhere: true });
    expect(await drawnBefore(test.db, about(fresh))).toEqual({ isElsewhere: false, trial: null });
    // Of another organisation nothing is seen.
    const elsewhere = { ...about(plain), organisationId: 'org_none' };
    expect(await drawnBefore(test.db, elsewhere)).toEqual({ isElsewhere: false, trial: null });
    // The twin is accepted as the first was, and takes nothing more of the budget.
    const known = triable(700_002);
    const decision = await decideTried(test.db, {
      policy: trialPolicy(WHOLE),
      facts: { ...known, alert: { ...known.alert, id: 'netalrt_now' } },
    });
    expect(decision).toMatchObject({ action: 'ACCEPT_DISPUTE', trial });
    expect(await month()).toBeUndefined();
    const kept = triable(700_001);
    expect(
      (
        await decideTried(test.db, {
          policy: trialPolicy(WHOLE),
          facts: { ...kept, alert: { ...kept.alert, id: 'netalrt_now' } },
        })
      ).trial,
    ).toBeUndefined();
  });
});

describe('the key', () => {
  it('lies sealed where data keys are set, and arms stay the same through sealing, rotation and opening', async () => {
    const now = new Date('2026-03-11T12:00:00Z');
    const named = (name: string): string =>
      `${name}:${Buffer.from(name.padEnd(32, 'k')).toString('base64')}`;
    const carrying = (text: string) =>
      carryKeys(parseDataKeys(text)).reduce((handle, each) => handle.withPlugin(each), test.db);
    const keyOf = (db: typeof test.db, organisation = 'org_sealed') =>
      inTransaction(db, (trx) => trialKey(trx, organisation, now));
    const stored = () =>
      test.db
        .selectFrom('policy_trial_key')
        .select(['key', 'key_id'])
        .where('organisation_id', '=', 'org_sealed')
        .executeTakeFirstOrThrow();
    const made = await keyOf(carrying(named('first')));
    expect(made).toHaveLength(32);
    expect((await stored()).key_id).toBe('first');
    expect((await stored()).key.includes(made)).toBe(false);
    await expect(keyOf(test.db)).rejects.toThrow('FORESTALL_DATA_KEYS');
    const both = `${named('second')},${named('first')}`;
    await reseal(carrying(both), { organisationId: 'org_sealed', keys: parseDataKeys(both) });
    expect((await stored()).key_id).toBe('second');
    expect(await keyOf(carrying(named('second')))).toEqual(made);
    const open = `open,${named('second')}`;
    await reseal(carrying(open), { organisationId: 'org_sealed', keys: parseDataKeys(open) });
    expect(await stored()).toEqual({ key: made, key_id: null });
    // Another organisation has another key.
    expect(await keyOf(test.db, 'org_other')).not.toEqual(made);
  });
});

describe('a slip in explore', () => {
  it.each([
    [WHOLE.replace('200.00 USD', '200.00'), 'is not an amount. Write it like 49.90 USD.'],
    [WHOLE.replace('10 %', '11 %'), 'a share of 11 % is too much for a trial: at most 10 %.'],
    [WHOLE.replace(', stop_when: {ratio_headroom: {below: 50}}', ''), '"stop_when" is missing'],
    [WHOLE.replace('200.00 USD', '200.00 EUR'), 'Write both in one currency.'],
    [WHOLE.replace('disputes: 8', 'disputes: many'), '"many" is no count.'],
    [WHOLE.replace('share: 10 %', 'share: 0 %'), 'tries nothing'],
  ])('%s', (written, said) => {
    expect(() => trialPolicy(written)).toThrow(PolicyError);
    expect(() => trialPolicy(written)).toThrow(said);
  });
});
