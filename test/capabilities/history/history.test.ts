/** Guarantee: one timeline, oldest first, in which cause stands before effect, and every step says who took it. */
import { describe, expect, test } from 'vitest';
import { entryOf, timelineOf } from '../../../src/capabilities/history/history.ts';
import { auditEntry } from '../../../src/capabilities/history/our-entries.ts';
import { serviceEntry } from '../../../src/capabilities/history/service-entries.ts';

const at = (time: string, kind: 'alert' | 'refund' | 'case', text: string) =>
  entryOf({
    at: `2026-03-10T${time}Z`,
    kind,
    actor: 'service',
    text,
    subject: 's',
    subjectId: '1',
  });

describe('the timeline', () => {
  test('is sorted by moment, and within one by cause', () => {
    const entries = [
      ...at('10:00:00', 'refund', 'third'),
      ...at('10:00:00', 'alert', 'second'),
      ...at('09:59:59.999', 'case', 'first'),
    ];
    expect(timelineOf(entries).map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  });

  test.each([null, 'no moment'])('what has no moment (%s) has no place', (moment) => {
    const entry = { kind: 'order', actor: 'merchant', text: '', subject: 's', subjectId: '1' };
    expect(entryOf({ ...entry, kind: 'order', at: moment })).toEqual([]);
  });

  test('a moment in another zone is told in UTC', () => {
    const [entry] = entryOf({
      at: '2026-03-10T01:00:00+02:00',
      kind: 'order',
      actor: 'merchant',
      text: '',
      subject: 's',
      subjectId: '1',
    });
    expect(entry?.at).toBe('2026-03-09T23:00:00.000Z');
  });
});

describe('what the service told', () => {
  const change = (after: Record<string, unknown>, before: Record<string, unknown> | null = null) =>
    serviceEntry({ entity: 'alert', entityId: 'netalrt_1', at: new Date(0), before, after }, null);

  test('an alert is an alert, and RDR is RDR', () => {
    expect(change({ status: 'ACTION_REQUIRED', chargeback_reason_code: '10.4' })).toMatchObject([
      { kind: 'alert', text: 'alert ACTION_REQUIRED, reason 10.4', alertId: 'netalrt_1' },
    ]);
    const rdr = {
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      transaction_refund_outcome: 'REFUNDED',
    };
    expect(change(rdr)).toMatchObject([{ kind: 'rdr', text: 'RDR RESOLVED, REFUNDED' }]);
  });

  test('an update that changes nothing a person would tell is left out', () => {
    const first = { status: 'ACTION_REQUIRED', note: null };
    expect(change({ ...first, note: 'seen' }, first)).toEqual([]);
    expect(change({ ...first, status: 'INVALID' }, first)).toHaveLength(1);
  });

  test('amounts that are none are left out', () => {
    const odd = { status: 'X', transaction_amount_in_cents: '29.90', transaction_currency_code: 7 };
    expect(change(odd)).toMatchObject([{ amountMinor: null, currency: null }]);
  });

  test.each([
    [
      'lookup',
      { type: 'NETB_ORDER_INSIGHT', lookup_status: 'PENDING', deflection_status: 'NOT_ATTEMPTED' },
      'lookup NETB_ORDER_INSIGHT PENDING, deflection NOT_ATTEMPTED',
    ],
    [
      'scheme_notice',
      { scheme_notice_type: 'TC40', is_revoked: true },
      'scheme notice TC40, taken back',
    ],
    [
      'representment',
      { dispute_status: 'LOST', dispute_due_by: '2026-04-01T00:00:00Z' },
      'representment LOST, due 2026-04-01T00:00:00Z',
    ],
  ] as const)('%s', (entity, after, text) => {
    const change = { entity, entityId: 'x', at: new Date(0), before: null, after };
    expect(serviceEntry(change, 'reference')).toMatchObject([
      { kind: entity, text, link: 'reference', alertId: null },
    ]);
  });
});

test('a step of ours says from where to where, and who took it', () => {
  const row = {
    id: 1,
    organisation_id: 'org_1',
    at: new Date(0),
    subject: 'case',
    subject_id: 'netalrt_1',
    alert_id: 'netalrt_1',
    actor: 'operator:ada',
    what: 'charge named by a person',
    from_state: 'HUMAN',
    to_state: 'MATCHED',
    detail: {},
  } as const;
  expect(auditEntry(row)).toMatchObject([
    { kind: 'case', actor: 'operator:ada', text: 'charge named by a person (HUMAN to MATCHED)' },
  ]);
  expect(auditEntry({ ...row, subject: 'system' })).toEqual([]);
});
