/** Guarantee: each contradiction in our own books becomes one finding that closes when it is gone. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CHECKS, runChecks } from '../../../src/alerts/reconcile/checks.ts';
import { listFindings, openFinding } from '../../../src/base/findings/finding.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  alertObject,
  insertAccount,
  insertAlert,
  insertCase,
  insertDispute,
  insertMovement,
  NOW,
  ORG,
} from './rows.ts';

const test = useTestDatabase();
const now = new Date(NOW);
const scope = { organisationId: ORG, now };

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
    'enrolment',
    'representment',
    'entity_change',
    'inbox_id',
    'inbox_event',
    'order_record',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
});

async function openKinds(): Promise<string[]> {
  const rows = await listFindings(test.db, { organisationId: ORG, state: 'open', limit: 50 });
  return rows.map((row) => `${row.kind} ${row.subject_id}`).sort();
}

async function messages(): Promise<string[]> {
  const rows = await test.db.selectFrom('notification').select('kind').orderBy('id').execute();
  return rows.map((row) => row.kind);
}

describe('runChecks', () => {
  it.each([
    ['2026-03-01T11:00:00.000Z', ['refund_not_declared netalrt_1']],
    ['2026-03-01T11:00:00.001Z', []],
  ])('a refund confirmed at %s and not declared at 12:00 gives %j', async (confirmedAt, kinds) => {
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt,
    });
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARE_REFUND', movementId: 'r1' });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(kinds);
  });

  it('opens once, tells once, and closes by itself when the case is declared', async () => {
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt: '2026-03-01T10:31:00Z',
    });
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARE_REFUND', movementId: 'r1' });
    expect(await runChecks(test.db, scope)).toEqual({ opened: 1, closed: 0 });
    expect(await runChecks(test.db, scope)).toEqual({ opened: 0, closed: 0 });
    expect(await messages()).toEqual(['refund_not_declared']);
    await test.db
      .updateTable('alert_case')
      .set({ state: 'DECLARED_REFUND', next_action_at: null })
      .execute();
    expect(await runChecks(test.db, scope)).toEqual({ opened: 0, closed: 1 });
    expect(await openKinds()).toEqual([]);
  });

  it.each([2, 9])('notes %i that are still there with as many statements as one', async (count) => {
    const ids = Array.from({ length: count }, (_, place) => `netalrt_${place}`);
    for (const id of ids) {
      await insertCase(test.db, id, { state: 'HUMAN', missedAt: '2026-03-01T11:00:00Z' });
    }
    expect(await runChecks(test.db, scope)).toEqual({ opened: count, closed: 0 });
    let statements = 0;
    const counted = test.db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const later = new Date('2026-03-01T12:02:00Z');
    expect(await runChecks(counted, { ...scope, now: later })).toEqual({ opened: 0, closed: 0 });
    // One question, one note, one close for the kind that is there; a question and a close for each other kind.
    const kinds = Object.values(CHECKS).filter(({ every }) => every === 'round').length;
    expect(statements).toBe(2 * kinds + 1);
    const rows = await test.db
      .selectFrom('finding')
      .select(['subject_id', 'last_seen_at'])
      .execute();
    expect(rows.map((row) => row.subject_id).sort()).toEqual(ids);
    expect(rows.map((row) => row.last_seen_at)).toEqual(ids.map(() => later));
  });

  it('sees a declared refund that failed afterwards', async () => {
    await insertMovement(test.db, 'r1', {
      state: 'REVERSED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
    });
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND', movementId: 'r1' });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(['declared_refund_reversed netalrt_1']);
  });

  it.each([
    ['CLOSED_REMOTE', 'NOT_REFUNDED', 'RESOLVED', ['resolved_elsewhere_after_refund netalrt_1']],
    ['CONFLICT', 'NOT_REFUNDED', 'RESOLVED', ['resolved_elsewhere_after_refund netalrt_1']],
    ['CLOSED_REMOTE', 'REFUNDED', 'RESOLVED', []],
    ['CLOSED_INVALID', null, 'INVALID', ['invalid_after_refund netalrt_1']],
  ] as const)('case %s with outcome %s, alert %s, our refund confirmed: %j', async (...row) => {
    const [state, outcome, status, kinds] = row;
    await insertAlert(
      test.db,
      alertObject('netalrt_1', { status, transaction_refund_outcome: outcome }),
    );
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt: '2026-03-01T10:31:00Z',
    });
    await insertCase(test.db, 'netalrt_1', { state, movementId: 'r1' });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(kinds);
  });

  it.each([
    ['CONFIRMED', 'ch_1', null, 1],
    ['CONFIRMED', null, 'ch_1', 1],
    ['REJECTED', 'ch_1', null, 0],
    ['REVERSED', 'ch_1', null, 0],
    ['CONFIRMED', 'ch_2', 'ch_2', 0],
  ] as const)(
    'RDR and our %s refund, case charge %s, alert charge %s: %i double payments',
    async (...row) => {
      const [state, caseCharge, alertCharge, count] = row;
      await insertAlert(
        test.db,
        alertObject('netalrt_rdr', {
          enrolment_type: 'NETB_RDR',
          status: 'RESOLVED',
          transaction_refund_outcome: 'REFUNDED',
          integration_transaction_id: alertCharge,
        }),
      );
      await insertCase(test.db, 'netalrt_rdr', {
        state: 'RECONCILED_RDR',
        chargeReference: caseCharge,
      });
      await insertMovement(test.db, 'r1', {
        state,
        charge: 'ch_1',
        alertId: 'netalrt_1',
      });
      await runChecks(test.db, scope);
      expect(await openKinds()).toEqual(count === 1 ? ['double_money ch_1'] : []);
    },
  );

  it('shows what was missed for 30 days', async () => {
    await insertCase(test.db, 'netalrt_old', { missedAt: '2026-01-30T12:00:00Z' });
    await insertCase(test.db, 'netalrt_new', { missedAt: '2026-01-30T12:00:01Z' });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(['missed netalrt_new']);
  });

  it('leaves another organisation alone', async () => {
    await insertCase(test.db, 'netalrt_x', { missedAt: NOW, organisationId: 'org_other' });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual([]);
  });
});

describe('several disputes on one charge', () => {
  const refund = {
    state: 'CONFIRMED',
    charge: 'ch_1',
    confirmedAt: '2026-03-01T10:31:00Z',
  } as const;
  const of = { chargeReference: 'ch_1', disputeId: 'dsp_a' } as const;

  beforeEach(async () => {
    await insertAccount(test.db, 'ch_1', 50_000);
    await insertDispute(test.db, 'dsp_a', { charge: 'ch_1' });
    await insertDispute(test.db, 'dsp_b', { charge: 'ch_1' });
    await insertAlert(test.db, alertObject('netalrt_1'));
  });

  it.each([
    ['dsp_a', 12_990, ['refund_not_declared netalrt_1']],
    ['dsp_a', 12_989, []],
    ['dsp_b', 12_990, []],
    ['dsp_b', 50_000, ['refund_not_declared netalrt_1']],
  ] as const)('the case names no refund; one for %s of %i: %j', async (...row) => {
    const [disputeId, amountMinor, kinds] = row;
    await insertCase(test.db, 'netalrt_1', { ...of, state: 'HUMAN' });
    const fields = { ...refund, alertId: 'netalrt_9', disputeId, amountMinor };
    await insertMovement(test.db, 'r1', fields);
    if (amountMinor === 50_000) {
      await test.db.updateTable('movement').set({ dispute_id: 'dsp_a' }).execute();
    }
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(kinds);
  });

  it.each([
    ['dsp_a', []],
    ['dsp_b', ['declared_refund_reversed netalrt_1']],
  ] as const)('a declared refund was reversed, and a second one is for %s: %j', async (...row) => {
    const [disputeId, kinds] = row;
    await insertCase(test.db, 'netalrt_1', { ...of, state: 'DECLARED_REFUND', movementId: 'r1' });
    const fields = { ...refund, alertId: 'netalrt_1' };
    await insertMovement(test.db, 'r1', { ...fields, state: 'REVERSED', disputeId: 'dsp_a' });
    await insertMovement(test.db, 'r2', { ...fields, disputeId });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(kinds);
  });

  it('a reversed refund that the saga has told of is told once', async () => {
    await insertCase(test.db, 'netalrt_1', { ...of, state: 'DECLARED_REFUND', movementId: 'r1' });
    const fields = { ...refund, state: 'REVERSED', alertId: 'netalrt_1' } as const;
    await insertMovement(test.db, 'r1', { ...fields, disputeId: 'dsp_a' });
    const told = { subject: 'case', subjectId: 'netalrt_1', evidence: {}, nextStep: '-', at: now };
    const kind = 'declared_without_cover';
    await openFinding(test.db, { organisationId: ORG, kind, severity: 'error', ...told });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(['declared_without_cover netalrt_1']);
  });

  it.each([
    ['dsp_a', 12_990, ['double_money ch_1']],
    ['dsp_b', 12_990, []],
    ['dsp_b', 40_000, ['double_money ch_1']],
  ] as const)('RDR of dsp_a, and ours for %s of %i: %j', async (disputeId, amountMinor, kinds) => {
    const rdr = { enrolment_type: 'NETB_RDR', status: 'RESOLVED' } as const;
    await insertAlert(
      test.db,
      alertObject('rdr_1', { ...rdr, transaction_refund_outcome: 'REFUNDED' }),
    );
    await insertCase(test.db, 'rdr_1', { ...of, state: 'RECONCILED_RDR' });
    await insertMovement(test.db, 'n1', { ...refund, kind: 'network', alertId: 'rdr_1' });
    await insertMovement(test.db, 'r1', { ...refund, alertId: 'x', disputeId, amountMinor });
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual(kinds);
  });

  it.each([
    ['dsp_a', 12_990, []],
    ['dsp_a', 12_989, ['declared_amount_differs netalrt_1']],
    ['dsp_b', 12_990, ['declared_amount_differs netalrt_1']],
    ['dsp_b', 50_000, []],
  ] as const)('declared with a refund that answers %s, of %i: %j', async (...row) => {
    const [disputeId, amountMinor, kinds] = row;
    await insertCase(test.db, 'netalrt_1', { ...of, state: 'DECLARED_REFUND', movementId: 'r1' });
    await insertMovement(test.db, 'r1', { ...refund, alertId: 'x', disputeId, amountMinor });
    await runChecks(test.db, { ...scope, slowOnes: true });
    expect(await openKinds()).toEqual(kinds);
  });
});

describe('the hourly checks', () => {
  const hourly = { ...scope, slowOnes: true };

  it('are left out of ordinary rounds', async () => {
    await insertOrder(['order_number']);
    await runChecks(test.db, scope);
    expect(await openKinds()).toEqual([]);
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual(['order_differs order-1']);
    await test.db.updateTable('order_record').set({ difference: null }).execute();
    expect(await runChecks(test.db, hourly)).toEqual({ opened: 0, closed: 1 });
  });

  it.each([
    ['DECLARED_REFUND', 'NOT_REFUNDED', ['outcome_differs netalrt_1']],
    ['DECLARED_REFUND', 'REFUNDED', []],
    ['DECLARED_ACCEPT', 'REFUNDED', ['outcome_differs netalrt_1']],
    ['DECLARED_ACCEPT', 'NOT_REFUNDED', []],
    ['CLOSED_REMOTE', 'REFUNDED', []],
  ] as const)('a case %s whose alert shows %s: %j', async (state, outcome, kinds) => {
    const shown = { status: 'RESOLVED', transaction_refund_outcome: outcome } as const;
    await insertAlert(test.db, alertObject('netalrt_1', shown));
    await insertCase(test.db, 'netalrt_1', { state });
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual(kinds);
  });

  it.each([
    [12_990, 'USD', []],
    [12_989, 'USD', ['declared_amount_differs netalrt_1']],
    [12_990, 'EUR', ['declared_amount_differs netalrt_1']],
  ] as const)('129.90 USD declared with a refund of %i %s: %j', async (...row) => {
    const [amountMinor, currency, kinds] = row;
    await insertAlert(test.db, alertObject('netalrt_1', { status: 'RESOLVED' }));
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      amountMinor,
      currency,
    });
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND', movementId: 'r1' });
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual(kinds);
  });

  const live = [{ descriptor: 'SHOP', match_type: 'STARTS_WITH', status: 'ACTIVE' }];
  const gone = [
    ...live,
    { descriptor: 'SHOP LX', match_type: 'EXACT_MATCH', status: 'SUPPRESSED' },
  ];

  it.each([
    ['ACTION_REQUIRED', live, ['enrolment_needs_action enrl_1']],
    ['ENABLED', gone, ['enrolment_needs_action enrl_1']],
    ['ENABLED', live, []],
    ['PENDING', live, []],
    ['CANCELLED', gone, []],
    ['ENABLED', 'no list', []],
  ] as const)('an enrolment %s with descriptors %j: %j', async (status, descriptors, kinds) => {
    await insertEnrolment(status, { neta_alert: { descriptors } });
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual(kinds);
    expect(await messages()).toEqual(kinds.map(() => 'enrolment_needs_action'));
  });

  it('an enrolment that the look at the estate tells of is told once', async () => {
    await insertEnrolment('ACTION_REQUIRED', {});
    await openFinding(test.db, {
      organisationId: ORG,
      kind: 'estate_enrolment_stuck',
      subject: 'enrolment',
      subjectId: 'enrl_1',
      severity: 'warning',
      evidence: {},
      nextStep: 'Act.',
      at: now,
    });
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual(['estate_enrolment_stuck enrl_1']);
  });

  it('a representment known from an update only; its late creation closes the finding', async () => {
    await insertRepresentment();
    await insertEvent('evt_2', 'representment.updated', 2);
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual(['creation_missing rep_1']);
    await insertEvent('evt_1', 'representment.created', 1);
    await runChecks(test.db, hourly);
    expect(await openKinds()).toEqual([]);
  });

  // Bodies are dropped week by week, the first when they are 22 days old: then nobody knows what arrived.
  it.each([
    [20, ['creation_missing rep_1']],
    [22, []],
  ] as const)('one without a creation among the events, %i days later: %j', async (days, kinds) => {
    await insertRepresentment();
    await runChecks(test.db, { ...hourly, now: new Date(now.getTime() + days * 86_400_000) });
    expect(await openKinds()).toEqual(kinds);
  });
});

describe('the safe repair', () => {
  it('makes an open case due, says so, and moves neither money nor answer', async () => {
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt: '2026-03-01T10:31:00Z',
    });
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARE_REFUND', movementId: 'r1' });
    await runChecks(test.db, scope);
    const row = await test.db.selectFrom('alert_case').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.next_action_at]).toEqual(['DECLARE_REFUND', now]);
    const [finding] = await listFindings(test.db, {
      organisationId: ORG,
      state: 'open',
      limit: 1,
    });
    expect(finding?.repair).toBe('The case was made due at 2026-03-01T12:00:00.000Z.');
  });

  it('leaves a case alone that a worker holds', async () => {
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt: '2026-03-01T10:31:00Z',
    });
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARE_REFUND', movementId: 'r1' });
    const until = new Date(now.getTime() + 1);
    await test.db.updateTable('alert_case').set({ lease_until: until }).execute();
    const before = await test.db.selectFrom('alert_case').select('next_action_at').execute();
    await runChecks(test.db, scope);
    const after = await test.db.selectFrom('alert_case').select('next_action_at').execute();
    expect(after).toEqual(before);
  });
});

async function insertOrder(difference: string[]): Promise<void> {
  await test.db
    .insertInto('order_record')
    .values({
      organisation_id: ORG,
      integration_id: 'int_1',
      reference_id: 'order-1',
      type: 'COMPLETE',
      state: 'CREATED',
      submitted: '{}',
      submitted_hash: Buffer.from('00', 'hex'),
      body: '{}',
      missing: '{}',
      warnings: '[]',
      order_id: 'ord_1',
      difference: JSON.stringify(difference),
      accepted_at: NOW,
      changed_at: NOW,
    })
    .execute();
}

async function insertEnrolment(status: string, snapshot: object): Promise<void> {
  await test.db
    .insertInto('enrolment')
    .values({
      organisation_id: ORG,
      id: 'enrl_1',
      type: 'NETA_ALERT',
      status,
      updated_at: NOW,
      snapshot: JSON.stringify(snapshot),
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: NOW,
      changed_at: NOW,
    })
    .execute();
}

async function insertRepresentment(): Promise<void> {
  await test.db
    .insertInto('representment')
    .values({
      organisation_id: ORG,
      id: 'rep_1',
      dispute_status: 'LOST',
      created_at: '2026-02-20T10:00:00Z',
      updated_at: '2026-03-01T10:00:00Z',
      snapshot: '{}',
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: '2026-03-01T10:00:00Z',
      changed_at: '2026-03-01T10:00:00Z',
    })
    .execute();
}

/** A stored event about the representment, and its line of the history. */
async function insertEvent(eventId: string, type: string, seq: number): Promise<void> {
  const received = '2026-03-01T10:00:00Z';
  const shared = { organisation_id: ORG, event_id: eventId, received_at: received, seq };
  await test.db
    .insertInto('inbox_event')
    .values({
      ...shared,
      secret_id: 's',
      signed_at: received,
      body: Buffer.from(JSON.stringify({ type, data: { object: { id: 'rep_1' } } })),
    })
    .execute();
  await test.db
    .insertInto('inbox_id')
    .values({ ...shared, body_hash: Buffer.from('00', 'hex') })
    .execute();
  await test.db
    .insertInto('entity_change')
    .values({
      organisation_id: ORG,
      entity: 'representment',
      entity_id: 'rep_1',
      changed_at: received,
      source: 'webhook',
      event_id: eventId,
      accepted: true,
      before: null,
      after: '{}',
    })
    .execute();
}
