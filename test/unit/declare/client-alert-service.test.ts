/** Guarantee: of the client's errors only a clear refusal is one; all else is "ask again". */
import { describe, expect, it } from 'vitest';
import { createClientAlertService } from '../../../src/alerts/cases/client-alert-service.ts';
import type { ServiceErrorFacts } from '../../../src/service/client/service-error.ts';
import { ServiceError } from '../../../src/service/client/service-error.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';

const ALERT: Alert = {
  id: 'netalrt_1',
  organisation_id: 'org_1',
  enrolment_type: 'NETA_ALERT',
  status: 'RESOLVED',
  note: 'refund re_1',
  action_required_deadline: '2026-03-04T08:00:00Z',
  transaction_amount_in_cents: 5000,
  transaction_currency_code: 'EUR',
  transaction_refund_outcome: 'REFUNDED',
  created_at: '2026-03-02T08:00:00Z',
  updated_at: '2026-03-02T08:00:00Z',
  a_field_of_tomorrow: true,
};

function serviceThat(end: () => Promise<Alert>) {
  return createClientAlertService({ get: end, act: end });
}

function failing(code: string, facts: Partial<ServiceErrorFacts> = {}) {
  return serviceThat(async () => {
    throw new ServiceError('no', {
      kind: 'refused',
      code,
      retryable: false,
      requestKind: 'write',
      outcome: 'refused',
      endpoint: 'PATCH /v1/alerts/{alert_id}',
      ...facts,
    });
  });
}

const ANSWER = { action: 'REFUND', note: 'refund re_1', deadlineMs: 1 } as const;
const signal = AbortSignal.timeout(60_000);

describe('the adapter', () => {
  it('reduces an alert and keeps the whole object', async () => {
    const read = await serviceThat(async () => ALERT).get('netalrt_1', signal);
    expect(read).toEqual({
      kind: 'found',
      alert: {
        id: 'netalrt_1',
        status: 'RESOLVED',
        enrolmentType: 'NETA_ALERT',
        refundOutcome: 'REFUNDED',
        note: 'refund re_1',
        amountMinor: 5000,
        currency: 'EUR',
        deadlineAt: '2026-03-04T08:00:00Z',
      },
      object: ALERT,
    });
  });

  it('takes nothing from another alert than the one it asked about', async () => {
    const service = serviceThat(async () => ({ ...ALERT, id: 'netalrt_2' }));
    const none = { kind: 'unavailable', reason: 'the service showed another alert' };
    expect(await service.get('netalrt_1', signal)).toEqual(none);
    expect(await service.act('netalrt_1', ANSWER, signal)).toEqual(none);
  });

  it('passes action, note and the deadline as priority', async () => {
    const calls: unknown[] = [];
    const service = createClientAlertService({
      get: async () => ALERT,
      act: async (...args) => {
        calls.push(args);
        return ALERT;
      },
    });
    const acted = await service.act('netalrt_1', ANSWER, signal);
    expect(acted).toMatchObject({ kind: 'answered', alert: { id: 'netalrt_1' }, object: ALERT });
    expect(calls).toEqual([
      ['netalrt_1', { action: 'REFUND', note: 'refund re_1' }, { signal, priority: 1 }],
    ]);
  });

  it('reads once and no more: the saga plans its own next look', async () => {
    const calls: unknown[] = [];
    const service = createClientAlertService({
      get: async (...args) => {
        calls.push(args);
        return ALERT;
      },
      act: async () => ALERT,
    });
    await service.get('netalrt_1', signal, 7);
    expect(calls).toEqual([['netalrt_1', { signal, priority: 7, attemptsMax: 1 }]]);
  });

  it('asks about the key with an answer to no alert, which the service may even take', async () => {
    const calls: unknown[][] = [];
    const service = createClientAlertService({
      get: async () => ALERT,
      act: async (...args) => {
        calls.push(args);
        return ALERT;
      },
    });
    expect(await service.mayAnswer(signal)).toEqual({ kind: 'yes' });
    expect(calls).toEqual([
      [
        'netalrt_00000000000000000000000000',
        { action: 'ACCEPT_DISPUTE', note: 'may this key answer?' },
        { signal },
      ],
    ]);
  });

  it('says where an answer is missing', async () => {
    expect(await failing('TIMEOUT', { kind: 'timeout', retryable: true }).get('a', signal)).toEqual(
      {
        kind: 'unavailable',
        reason: 'TIMEOUT from PATCH /v1/alerts/{alert_id}',
      },
    );
  });

  it.each<[string, Partial<ServiceErrorFacts>, string, string]>([
    ['UNAUTHORISED', {}, 'unauthorised', 'unauthorised'],
    ['FORBIDDEN', {}, 'unauthorised', 'unauthorised'],
    ['NOT_FOUND', {}, 'not_found', 'refused'],
    ['INVALID_ACTION', {}, 'unavailable', 'already_resolved'],
    ['VALIDATION_ERROR', {}, 'unavailable', 'refused'],
    ['HTTP_400', {}, 'unavailable', 'refused'],
    ['INVALID_REQUEST', { kind: 'invalid_request' }, 'unavailable', 'refused'],
    ['HTTP_408', { retryable: true, outcome: 'unknown' }, 'unavailable', 'unavailable'],
    ['RATE_LIMITED', { kind: 'rate_limited', retryable: true }, 'unavailable', 'unavailable'],
    ['SERVER_ERROR', { kind: 'server', retryable: true }, 'unavailable', 'unavailable'],
    ['TIMEOUT', { kind: 'timeout', retryable: true }, 'unavailable', 'unavailable'],
    ['NETWORK', { kind: 'network', retryable: true }, 'unavailable', 'unavailable'],
    ['UNREADABLE', { kind: 'unreadable', retryable: true }, 'unavailable', 'unavailable'],
    ['REDIRECTED', { kind: 'redirected' }, 'unavailable', 'unavailable'],
  ])('%s', async (code, facts, onGet, onAct) => {
    const service = failing(code, facts);
    expect((await service.get('netalrt_1', signal)).kind).toBe(onGet);
    expect((await service.act('netalrt_1', ANSWER, signal)).kind).toBe(onAct);
  });

  it('lets a defect through', async () => {
    const service = serviceThat(async () => {
      throw new TypeError('bug');
    });
    await expect(service.get('netalrt_1', signal)).rejects.toThrow(TypeError);
    await expect(service.act('netalrt_1', ANSWER, signal)).rejects.toThrow(TypeError);
  });

  it.each<[string, string]>([
    ['NOT_FOUND', 'yes'],
    ['FORBIDDEN', 'unauthorised'],
    ['UNAUTHORISED', 'unauthorised'],
    ['RATE_LIMITED', 'unavailable'],
    ['VALIDATION_ERROR', 'unavailable'],
  ])('asks whether the key may answer: %s means %s', async (code, kind) => {
    expect((await failing(code).mayAnswer(signal)).kind).toBe(kind);
  });
});
