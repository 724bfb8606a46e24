/**
 * Guarantee: the terms of a report are counted from rows of their own, so that an event without a trace,
 * an alert without a case and money nobody knows of each break a sum, become a finding, and heal it.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { writeBookCheck } from '../../../src/alerts/reconcile/book-check.store.ts';
import { reportOn } from '../../../src/alerts/reconcile/make-report.ts';
import type { ReconcileReport } from '../../../src/alerts/reconcile/report.ts';
import { openFinding } from '../../../src/base/findings/finding.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertDispute,
  insertMovement,
  ORG,
  openTotals,
} from './rows.ts';

const FROM = new Date('2026-03-01T00:00:00Z');
const TO = new Date('2026-03-02T00:00:00Z');
const NOW = new Date('2026-03-02T03:17:00Z');

const test = useTestDatabase();

beforeEach(async () => {
  for (const table of [
    'finding',
    'notification',
    'alert_case',
    'cover',
    'movement',
    'dispute',
    'charge_account',
    'alert',
    'inbox_event',
    'inbox_work',
    'quarantine',
    'book_check',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
});

async function report(): Promise<ReconcileReport> {
  const scope = { organisationId: ORG, from: FROM, to: TO, now: NOW };
  return await reportOn(test.db, { ...scope, name: '2026-03-01' });
}

async function insertEvent(seq: number, body: Buffer | string): Promise<void> {
  await test.db
    .insertInto('inbox_event')
    .values({
      seq,
      received_at: '2026-03-01T08:00:00Z',
      organisation_id: ORG,
      event_id: `evt_${seq}`,
      secret_id: 's',
      signed_at: '2026-03-01T08:00:00Z',
      body: Buffer.from(body as string),
    })
    .execute();
}

const about = (id: string): string =>
  JSON.stringify({ type: 'alert.created', data: { object: { id } } });

async function quarantine(seq: number | null, reason = 'event_malformed'): Promise<void> {
  await test.db
    .insertInto('quarantine')
    .values({
      organisation_id: ORG,
      event_id: `evt_${seq ?? 'reused'}`,
      seq,
      reason,
      quarantined_at: '2026-03-01T08:00:00Z',
    })
    .execute();
}

describe('events', () => {
  it('are applied, quarantined or waiting; one without a trace breaks the sum until it is there', async () => {
    await insertAlert(test.db, alertObject('netalrt_1', { status: 'RESOLVED' }));
    await insertCase(test.db, 'netalrt_1', { state: 'CLOSED_REMOTE' });
    await insertEvent(1, about('netalrt_1'));
    await insertEvent(2, about('netalrt_2'));
    await insertEvent(3, Buffer.from([0xff, 0xfe, 0x00]));
    await insertEvent(4, about('netalrt_lost'));
    await test.db
      .insertInto('inbox_work')
      .values({
        seq: 2,
        received_at: '2026-03-01T08:00:00Z',
        organisation_id: ORG,
        event_id: 'evt_2',
      })
      .execute();
    await quarantine(3);
    await quarantine(null, 'id_reused');
    const wrong = await report();
    expect(wrong.events).toEqual({ received: 5, applied: 1, quarantined: 2, waiting: 1 });
    expect(wrong.addsUp).toBe(false);
    expect(await openTotals(test.db)).toEqual(['2026-03-01:events']);

    const late = alertObject('netalrt_lost', { status: 'RESOLVED' });
    await insertAlert(test.db, late);
    await insertCase(test.db, 'netalrt_lost', { state: 'CLOSED_REMOTE' });
    expect((await report()).mismatches).toEqual([]);
    expect(await openTotals(test.db)).toEqual([]);
  });

  it('that a person dismissed stay quarantined', async () => {
    await insertEvent(1, Buffer.from([0xff]));
    await quarantine(1);
    await test.db
      .updateTable('quarantine')
      .set({ resolved_at: NOW, resolved_by: 'operator:a' })
      .execute();
    expect((await report()).events).toMatchObject({ received: 1, quarantined: 1, applied: 0 });
  });
});

describe('alerts', () => {
  it.each([
    ['DECLARED_REFUND', 'RESOLVED', { resolved: 1 }],
    ['CLOSED_INVALID', 'INVALID', { resolved: 1 }],
    ['HUMAN', 'ACTION_REQUIRED', { inReview: 1 }],
    ['CONFLICT', 'RESOLVED', { inReview: 1 }],
    ['REFUNDING', 'ACTION_REQUIRED', { underWay: 1 }],
  ] as const)('a case %s with the alert %s counts as %j', async (state, status, expected) => {
    await insertAlert(test.db, alertObject('netalrt_1', { status }));
    await insertCase(test.db, 'netalrt_1', { state });
    const { alerts, addsUp } = await report();
    expect(alerts).toMatchObject({ actionable: 1, ...expected });
    expect(addsUp).toBe(true);
  });

  it('a missed one is missed whatever its state', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', missedAt: '2026-03-01T20:00:00Z' });
    expect((await report()).alerts).toMatchObject({ actionable: 1, missed: 1, inReview: 0 });
  });

  it.each([
    ['RESOLVED', 'REFUNDED', 1],
    ['RESOLVED', 'NOT_REFUNDED', 0],
    ['INVALID', 'REFUNDED', 0],
  ] as const)(
    'an RDR alert is not actionable; %s and %s is %i refund of the network',
    async (status, outcome, networkRefunds) => {
      const rdr = { enrolment_type: 'NETB_RDR', status, transaction_refund_outcome: outcome };
      await insertAlert(test.db, alertObject('netalrt_1', rdr));
      expect((await report()).alerts).toMatchObject({ actionable: 0, networkRefunds });
    },
  );

  it.each([
    ['has no case', undefined],
    ['is over with us and open at the service', 'DECLARED_REFUND'],
  ] as const)('one that %s breaks the sum', async (_name, state) => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    if (state !== undefined) await insertCase(test.db, 'netalrt_1', { state });
    expect((await report()).mismatches.map(({ total }) => total)).toEqual(['alerts']);
    expect(await openTotals(test.db)).toEqual(['2026-03-01:alerts']);
  });
});

describe('money', () => {
  async function refunded(confirmedAt: string): Promise<void> {
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt,
    });
  }

  it('is declared once the service shows it', async () => {
    await refunded('2026-03-01T10:00:00Z');
    const shown = { status: 'RESOLVED', transaction_refund_outcome: 'REFUNDED' } as const;
    await insertAlert(test.db, alertObject('netalrt_1', shown));
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND', movementId: 'r1' });
    const { money, addsUp } = await report();
    expect(money).toMatchObject([{ refundedMinor: 12_990, declaredMinor: 12_990 }]);
    expect(addsUp).toBe(true);
  });

  it('that nobody knows of breaks the sum, until a finding tells of it', async () => {
    await refunded('2026-03-01T10:00:00Z');
    expect((await report()).mismatches.map(({ total }) => total)).toEqual(['money']);
    await openFinding(test.db, {
      organisationId: ORG,
      kind: 'refund_not_declared',
      severity: 'error',
      subject: 'case',
      subjectId: 'netalrt_1',
      evidence: { refund_id: 'r1' },
      nextStep: 'look',
      at: NOW,
    });
    const healed = await report();
    expect(healed.money).toMatchObject([{ refundedMinor: 12_990, findingsMinor: 12_990 }]);
    expect(healed.addsUp).toBe(true);
    expect(await openTotals(test.db)).toEqual([]);
  });

  it.each([
    ['a part of the alert’s amount is under way', 1_000, []],
    ['the whole of it breaks the sum', 12_990, ['money']],
  ] as const)('while a case is open, %s', async (_what, amountMinor, mismatches) => {
    await insertDispute(test.db, 'dsp_1', { charge: 'ch_1', amountMinor: 12_990 });
    await insertAlert(test.db, alertObject('netalrt_1'));
    const of = { chargeReference: 'ch_1', disputeId: 'dsp_1' } as const;
    await insertCase(test.db, 'netalrt_1', { ...of, state: 'HUMAN' });
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt: '2026-03-01T10:00:00Z',
      amountMinor,
      disputeId: 'dsp_1',
    });
    const { money, mismatches: found } = await report();
    expect(found.map(({ total }) => total)).toEqual(mismatches);
    expect(money).toMatchObject([{ underWayMinor: amountMinor === 1_000 ? 1_000 : 0 }]);
  });

  it('of two disputes is seen at the processor once each', async () => {
    const shown = { status: 'RESOLVED', transaction_refund_outcome: 'REFUNDED' } as const;
    for (const [each, amountMinor] of [
      ['a', 2_500],
      ['b', 2_000],
    ] as const) {
      await insertDispute(test.db, `dsp_${each}`, { charge: 'ch_1', amountMinor });
      await insertAlert(test.db, alertObject(`netalrt_${each}`, shown));
      const disputeId = `dsp_${each}`;
      const state = 'DECLARED_REFUND';
      await insertCase(test.db, `netalrt_${each}`, { state, chargeReference: 'ch_1', disputeId });
      await insertMovement(test.db, `r_${each}`, {
        state: 'CONFIRMED',
        charge: 'ch_1',
        alertId: `netalrt_${each}`,
        confirmedAt: '2026-03-01T10:00:00Z',
        amountMinor,
        disputeId,
      });
      await writeBookCheck(test.db, {
        organisationId: ORG,
        alertId: `netalrt_${each}`,
        at: NOW,
        nextAt: null,
        answer: 'found',
        refundedMinor: amountMinor,
        currency: 'USD',
      });
    }
    await insertMovement(test.db, 'r_c', {
      kind: 'external',
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'x',
      confirmedAt: '2026-03-01T10:00:00Z',
    });
    const { money, addsUp } = await report();
    expect(money).toMatchObject([
      { refunds: 2, refundedMinor: 4_500, declaredMinor: 4_500, seenAtProcessorMinor: 4_500 },
    ]);
    expect(addsUp).toBe(true);
  });

  it('confirmed within the hour is under way', async () => {
    await refunded('2026-03-01T23:59:59Z');
    const early = {
      organisationId: ORG,
      from: FROM,
      to: TO,
      now: new Date('2026-03-02T00:30:00Z'),
    };
    const { money } = await reportOn(test.db, { ...early, name: 'asked' });
    expect(money).toMatchObject([{ underWayMinor: 12_990 }]);
  });
});
