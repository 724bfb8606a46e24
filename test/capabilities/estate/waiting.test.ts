/** Guarantee: waiting for ENABLED ends when nothing is in progress any more, or when its time is over. */
import { describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { EstateClient } from '../../../src/capabilities/estate/plan/remote-estate.ts';
import type { WaitingEnrolment } from '../../../src/capabilities/estate/plan/waiting.ts';
import { progressOf, waitForEnabled } from '../../../src/capabilities/estate/plan/waiting.ts';
import type { ServiceErrorFacts } from '../../../src/service/client/service-error.ts';
import { ServiceError } from '../../../src/service/client/service-error.ts';
import { enrolmentSchema } from '../../../src/service/wire/enrolment.ts';

const HOUR_MS = 3_600_000;
const STARTED = new Date('2026-11-22T00:00:00Z');

const enrolment = (status: string) =>
  enrolmentSchema.parse({
    ...{
      id: 'enrl_1',
      organisation_id: 'org_1',
      merchant_ids: ['mrch_1'],
      type: 'NETB_RDR',
      status,
    },
    ...{ created_at: '2026-11-22T00:00:00Z', updated_at: '2026-11-22T00:00:00Z' },
  });

const away = () =>
  new ServiceError('The service is away.', {
    ...{ code: 'SERVER_ERROR', retryable: true, kind: 'server', requestKind: 'read' },
    ...{ outcome: 'not_done', endpoint: 'GET /v2/enrolments/{enrolment_id}', httpStatus: 503 },
  } as unknown as ServiceErrorFacts);

/** Which status the enrolment has, by the hour; how it ended, when, and how often was asked. */
async function wait(statusAt: (hours: number) => string, timeoutMs: number) {
  const clock = createFixedClock(STARTED.getTime());
  const hours = (): number => (clock.nowMs() - STARTED.getTime()) / HOUR_MS;
  const asked: number[] = [];
  const changes: string[] = [];
  const client = {
    enrolments: {
      get: async () => {
        asked.push(hours());
        const status = statusAt(hours());
        if (status === 'AWAY') throw away();
        return enrolment(status);
      },
    },
  } as unknown as Pick<EstateClient, 'enrolments'>;
  const ended: WaitingEnrolment[] = await waitForEnabled(
    [progressOf('rdr', enrolment('PENDING'))],
    {
      client,
      clock,
      wait: async (durationMs) => clock.advanceMs(durationMs),
      timeoutMs,
      onChange: ({ status }) => changes.push(status),
    },
  );
  return { stage: ended[0]?.stage, hours: hours(), asked, changes };
}

describe('waiting', () => {
  it('ends once the enrolment is enabled, and tells each change', async () => {
    const status = (hours: number): string => (hours >= 48 ? 'ENABLED' : 'IN_PROGRESS');
    const { stage, hours, asked, changes } = await wait(status, 168 * HOUR_MS);
    expect(stage).toBe('enabled');
    expect(changes).toEqual(['IN_PROGRESS', 'ENABLED']);
    // Not later than one pause of two hours, and with few calls.
    expect(hours >= 48 && hours <= 50).toBe(true);
    expect(asked.length).toBeLessThan(40);
  });

  it('asks within minutes at first, and every two hours from then on', async () => {
    const { asked } = await wait(() => 'PENDING', 12 * HOUR_MS);
    expect(asked.slice(0, 3)).toEqual([1 / 60, 3 / 60, 7 / 60]);
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(Math.max(...pauses)).toBeCloseTo(2);
  });

  it('ends exactly when its time is over', async () => {
    const { stage, hours } = await wait(() => 'IN_PROGRESS', 5 * HOUR_MS);
    expect([stage, hours]).toEqual(['in progress', 5]);
    expect((await wait(() => 'ENABLED', 0)).asked).toEqual([]);
  });

  it('continues through an outage of the service', async () => {
    const { stage } = await wait((hours) => (hours < 9 ? 'AWAY' : 'ENABLED'), 168 * HOUR_MS);
    expect(stage).toBe('enabled');
  });

  it.each([
    ['ACTION_REQUIRED', 'needs a person'],
    ['CANCELLED', 'ended'],
    ['SOMETHING_NEW', 'unknown'],
  ])('does not wait for what waiting does not help: %s', async (status, stage) => {
    const result = await wait(() => status, 168 * HOUR_MS);
    expect([result.stage, result.asked.length]).toEqual([stage, 1]);
  });
});
