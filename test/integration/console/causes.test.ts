/**
 * Guarantee: what begins to fail is named on the System page, and above every page where it does not work, with the next
 * step: from its second failure on, or at once where a person did it. An open page hears of it within ten seconds.
 *
 * Each fault is planted by what the stage itself writes when it meets it, at a fixed clock.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeWorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { recordKeyRefused } from '../../../src/alerts/guard/declare-health.store.ts';
import { pauseMoney } from '../../../src/alerts/guard/pause.store.ts';
import { noteRefusal } from '../../../src/alerts/guard/processor-breaker.store.ts';
import { createProcessorWatch } from '../../../src/alerts/guard/processor-watch.ts';
import { writeRecoveryCheck } from '../../../src/alerts/guard/recovery-check.store.ts';
import { createDeliveryLog, WRITE_EVERY_MS } from '../../../src/alerts/receive/delivery-log.ts';
import { setAlarm } from '../../../src/alerts/reconcile/poll-alarm.ts';
import { judgeFailure } from '../../../src/alerts/reconcile/poll-failure.ts';
import { RECONCILE_FACTS } from '../../../src/alerts/reconcile/reconcile-facts.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { beat } from '../../../src/base/jobs/heartbeat.store.ts';
import { writeNamedValue } from '../../../src/base/jobs/named-value.store.ts';
import { CERTIFICATE_END } from '../../../src/base/jobs/value-names.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Channel } from '../../../src/base/notify/channel.ts';
import { notify } from '../../../src/base/notify/notification.store.ts';
import { createNotificationSender } from '../../../src/base/notify/sender.ts';
import { readHealth } from '../../../src/health/health.ts';
import { stopIntegration } from '../../../src/orders/feed-brake.store.ts';
import { createPolicyWatcher } from '../../../src/policy/policy-watcher.ts';
import { createListenerSigns } from '../../../src/running/roles/listener-signs.ts';
import { openPolicy } from '../../../src/running/roles/policy-source.ts';
import { SHARED_MS } from '../../../src/running/roles/shared-health.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import type { Processor, RefundOutcome } from '../../../src/service/wire/processor.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { startConsole } from './support.ts';

const log = createLog({ level: 'silent' });
const test = useTestDatabase();
const SETTINGS: Parameters<typeof writeWorkerSettings>[2] = {
  ...{ mode: 'live', hasProcessor: true, channels: ['Slack'], pollSeconds: 120 },
};
let clock: FixedClock;
let site: TestConsole;
let cookie: string;
/** How many seconds ago the worker last said that it lives. */
let workerSilentSeconds: number;

const scope = (): { organisationId: string; now: Date } => ({
  organisationId: ORG,
  now: nowDate(clock),
});
const later = (seconds: number): void => clock.advanceMs(seconds * 1_000);

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock, {
    health: async () => ({ ok: true, parts: await readHealth(test.db, scope()) }),
  });
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  workerSilentSeconds = 0;
  for (const table of [
    ...(['alert_case', 'alert', 'inbox_work', 'feed_brake', 'money_pause', 'fact'] as const),
    ...(['finding', 'delivery_minute', 'worker_heartbeat', 'notification'] as const),
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  clock.setMs(Date.parse(NOW));
  ({ cookie } = await site.signIn());
  await writeWorkerSettings(test.db, scope(), SETTINGS);
  await polled();
});

/** A poll has read everything. */
async function polled(): Promise<void> {
  const { organisationId, now } = scope();
  const value = now.toISOString();
  await writeNamedValue(test.db, {
    organisationId,
    name: RECONCILE_FACTS.lastPollAt,
    value,
    at: now,
  });
}

function words(markup: string): string {
  return markup
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"');
}

/** What the System page says of each part, and what stands above the page. */
async function shown(): Promise<{ readonly system: string; readonly banner: string }> {
  const { organisationId, now } = scope();
  const at = new Date(now.getTime() - workerSilentSeconds * 1_000);
  await beat(test.db, { workerId: 'w', organisationId, role: 'work', now: at });
  const page = await (await site.get('/system', { cookie })).text();
  const [, banner = 'no region'] = /<div id="health"[^>]*>(.*?)<\/div>/s.exec(page) ?? [];
  const [, system = 'no table'] = /<h2>Health<\/h2>(.*?)<h2>/s.exec(page) ?? [];
  return { system: words(system), banner: words(banner) };
}

/** A processor that answers so, watched as the worker watches it. */
function watched(answers: { isAway: boolean; refund?: RefundOutcome }): Processor {
  const processor: Processor = {
    ...createNoProcessor(),
    name: 'pay.example',
    readCharge: async () =>
      answers.isAway ? { kind: 'unavailable', reason: 'answered 401' } : { kind: 'absent' },
    refund: async () => answers.refund ?? { kind: 'unknown', reason: 'nothing came' },
  };
  return createProcessorWatch({ db: test.db, clock, log, organisationId: ORG }).watched(processor);
}

const REFUND = {
  ...{ idempotencyKey: 'k', chargeReference: 'ch_1', alertId: 'netalrt_1', reason: 'r' },
  ...{ amountMinor: 100, currency: 'USD' },
};

async function delivered(
  verdict: 'no_match' | 'too_old' | 'too_new',
  times: number,
): Promise<void> {
  const deliveries = createDeliveryLog({ db: test.db, clock, log, organisationId: ORG });
  for (let time = 0; time < times; time += 1) deliveries.note(verdict);
  await deliveries.write();
}

const alarm =
  (name: Parameters<typeof setAlarm>[1], codes: readonly string[] = []): Plant['plant'] =>
  async () => {
    await setAlarm(test.db, name, { ...scope(), isOn: true, evidence: { codes } });
  };

async function set(change: Partial<Parameters<typeof writeWorkerSettings>[2]>): Promise<void> {
  await writeWorkerSettings(test.db, scope(), { ...SETTINGS, ...change });
}

const keepFact = async (name: string, value: unknown): Promise<void> => {
  const { organisationId, now: at } = scope();
  await writeNamedValue(test.db, { organisationId, name, value, at });
};

interface Plant {
  readonly fault: string;
  /** What happens before it counts as a failure. */
  readonly once?: () => Promise<unknown>;
  /** The second failure, or what a person does. */
  readonly plant: () => Promise<unknown>;
  /** The parts above every page; absent where they only need attention. */
  readonly stops?: string;
  readonly cause: string;
  readonly step: string;
}

const SINCE = '2026-03-01 12:00 UTC';
const away = { isAway: true };
const refuses: RefundOutcome = { kind: 'rejected', failureCode: 'no_right', failureClass: 'ours' };
let processor: Processor;
let sender: ReturnType<typeof createNotificationSender>;
const down: Channel = {
  name: 'Slack',
  send: async () => {
    throw new Error('no such host');
  },
};
const say = async (dedupeKey: string): Promise<void> => {
  const message = { organisationId: ORG, kind: 'test', severity: 'warning', text: 'x' } as const;
  await notify(test.db, { ...message, dedupeKey, at: nowDate(clock) });
  await sender.runOnce();
};

/** What runs, and fails. */
const RUNNING: readonly Plant[] = [
  {
    fault: 'a processor that gives no answer',
    once: async () => {
      processor = watched(away);
      await processor.readCharge('ch_1');
    },
    plant: () => processor.readCharge('ch_1'),
    stops: 'Deciding and refunding do not work',
    cause: `the processor pay.example gives no answer since ${SINCE} (answered 401)`,
    step: 'See whether it runs, and whether its address and secret are right',
  },
  {
    fault: 'a processor that takes no refund',
    once: async () => {
      processor = watched({ isAway: false, refund: refuses });
      await processor.refund(REFUND, AbortSignal.timeout(1_000));
    },
    plant: () => processor.refund(REFUND, AbortSignal.timeout(1_000)),
    stops: 'Refunding does not work',
    cause: `the processor pay.example takes no refund since ${SINCE} (no_right)`,
    step: 'See what it says about refunds',
  },
  {
    fault: 'webhooks whose signatures are too old',
    once: () => delivered('too_old', 1),
    plant: () => delivered('too_old', 1),
    stops: 'Receiving does not work',
    cause: `every webhook since ${SINCE} is refused, 2 so far: their signatures are too old`,
    step: 'Compare the clock of the database machine (NTP)',
  },
  {
    fault: 'webhooks from the future',
    once: () => delivered('too_new', 1),
    plant: () => delivered('too_new', 1),
    stops: 'Receiving does not work',
    cause: `every webhook since ${SINCE} is refused, 2 so far: their signatures are from the future`,
    step: 'Set the clock of the database machine (NTP): it is late.',
  },
  {
    fault: 'webhooks signed with another secret, or sent by a stranger',
    once: () => delivered('no_match', 1),
    plant: () => delivered('no_match', 1),
    cause: `every webhook since ${SINCE} is refused, 2 so far: they are signed with another secret, or a stranger sent them`,
    step: 'Compare FORESTALL_WEBHOOK_SECRETS with the secret',
  },
  {
    fault: 'channels that take nothing',
    once: async () => {
      const channels = [down];
      sender = createNotificationSender({ db: test.db, clock, log, organisationId: ORG, channels });
      await say('one');
    },
    plant: () => say('two'),
    stops: 'Notifying does not work',
    cause: 'no channel takes messages, 2 messages waiting: ',
    step: 'Try the channels with: forestall notify test',
  },
  {
    fault: 'open alerts that cannot be read',
    once: () => failedRounds(1),
    plant: () => failedRounds(2),
    stops: 'Polling does not work',
    cause: `the open alerts cannot be read since ${SINCE} (SERVICE_UNAVAILABLE)`,
    step: 'Check FORESTALL_SERVICE_URL and FORESTALL_API_KEY',
  },
  {
    fault: 'changes that polling finds and no webhook brings',
    plant: async () => {
      const firstFoundMs = clock.nowMs();
      await keepFact(RECONCILE_FACTS.webhookSilence, { watchSinceMs: 0, changes: 2, firstFoundMs });
      // A poll may overtake a webhook by so much.
      later(20);
    },
    cause: `polling found 2 changes since ${SINCE}, and no webhook has come`,
    step: 'compare the address, and enable the endpoint',
  },
  {
    fault: 'a listener that is gone',
    once: async () => {
      const signs = { db: test.db, clock, log, workerId: 'one', organisationId: ORG };
      const listener = createListenerSigns({ ...signs, tls: undefined });
      listener.start();
      await listener.stop();
      later(30);
    },
    plant: async () => later(6),
    stops: 'Receiving does not work',
    cause: `no listener for webhooks is alive since ${SINCE}`,
    step: 'Start one with "forestall serve" or "forestall start"',
  },
  {
    fault: 'a worker that is gone',
    plant: async () => {
      workerSilentSeconds = 36;
    },
    stops:
      'Worker, applying, deciding, refunding, declaring, polling, feeding and notifying do not work',
    cause: 'no worker is alive',
    step: 'Start one with "forestall work" or "forestall start".',
  },
];

async function failedRounds(rounds: number): Promise<void> {
  const failure = { code: 'SERVICE_UNAVAILABLE', passing: true, stops: true };
  let record: Parameters<typeof judgeFailure>[0];
  for (let round = 0; round < rounds; round += 1) {
    record = judgeFailure(record, [failure], clock.nowMs()).record ?? undefined;
  }
  await keepFact(RECONCILE_FACTS.pollFailure, record);
}

/** What a person did, or what is proven by one refusal. */
const AT_ONCE: readonly Plant[] = [
  {
    fault: 'refunds that a person stopped',
    plant: () => pauseMoney(test.db, { ...scope(), operator: 'ada', reason: 'a flood' }),
    stops: 'Refunding does not work',
    cause: `refunds are stopped since ${SINCE} by ada`,
    step: 'An administrator lets them go again on the System page',
  },
  {
    fault: 'a policy file that cannot be used',
    plant: async () => {
      const brands = IDENTITY_BRAND_TOKENS;
      const good = openPolicy({ path: undefined, demonstration: true, brands, log });
      const problem = (): string => 'rules[0]: no such condition\nand more';
      const policy = { ...good, refresh: () => false, problem };
      const about = { db: test.db, clock, organisationId: ORG, author: 'a' };
      await createPolicyWatcher({ ...about, policy }).runOnce();
    },
    cause: `the policy cannot be used since ${SINCE}, and version `,
    step: 'forestall policy check',
  },
  {
    fault: 'a key that the service refuses',
    plant: () => recordKeyRefused(test.db, { ...scope(), code: 'FORBIDDEN' }),
    stops: 'Refunding and declaring do not work',
    cause: 'the service refuses our API key (FORBIDDEN)',
    step: 'Set FORESTALL_API_KEY to a key that the dashboard shows as active',
  },
  {
    fault: 'a key that polling is refused with',
    plant: alarm('poll_failing', ['UNAUTHORISED']),
    stops: 'Refunding, declaring, polling and feeding do not work',
    cause: 'the service refuses our API key (UNAUTHORISED)',
    step: 'Set FORESTALL_API_KEY',
  },
  {
    fault: 'a key of another organisation',
    plant: alarm('foreign_alerts'),
    stops: 'Polling does not work',
    cause: 'the API key shows alerts of another organisation',
    step: 'Compare FORESTALL_API_KEY with FORESTALL_ORGANISATION_ID.',
  },
  {
    fault: 'a partner key that reads no enrolments',
    plant: alarm('enrolments_unreadable'),
    cause: 'enrolments cannot be read with the partner key',
    step: 'Check FORESTALL_PARTNER_API_KEY',
  },
  {
    fault: 'webhooks that have been silent',
    plant: alarm('webhooks_silent'),
    stops: 'Receiving does not work',
    cause: 'polling finds changes that no webhook brings',
    step: 'compare the address and the secret, enable the endpoint',
  },
  {
    fault: 'a clock that is wrong',
    plant: alarm('clock_skew'),
    cause: 'our clock and the service’s differ',
    step: 'Switch time synchronisation (NTP) on',
  },
  {
    fault: 'a processor that refuses us as such',
    plant: () =>
      inTransaction(test.db, async (trx) => {
        const settlement = {
          to: 'REJECTED',
          failureCode: 'no_right',
          failureClass: 'ours',
        } as const;
        for (let time = 0; time < 3; time += 1) await noteRefusal(trx, { ...scope(), settlement });
      }),
    stops: 'Refunding does not work',
    cause: `the processor refuses us since ${SINCE} (no_right)`,
    step: 'Correct its credentials or rights, then: forestall resume --processor',
  },
  {
    fault: 'a restore that is being looked into',
    plant: () => {
      const { organisationId, now } = scope();
      const check = {
        ...{ since: now.toISOString(), alive: null, reason: 'forgotten' as const },
        waitsFor: 'the processor',
      };
      return writeRecoveryCheck(test.db, organisationId, { check, now });
    },
    stops: 'Refunding and declaring do not work',
    cause: `reconciling first since ${SINCE}, because `,
    step: 'It ends by itself once the service and the processor have answered.',
  },
  {
    fault: 'orders that are refused alike',
    plant: () =>
      inTransaction(test.db, (trx) =>
        stopIntegration(trx, ORG, {
          ...{ integrationId: 'int_1', code: 'VALIDATION_FAILED', reason: 'no such field' },
          ...{ referenceId: 'order_1', since: nowDate(clock), at: nowDate(clock) },
          nextProbeAt: nowDate(clock),
        }),
      ),
    stops: 'Feeding does not work',
    cause: 'orders of int_1 are not sent: most were refused with VALIDATION_FAILED',
    step: 'then: forestall orders resume int_1',
  },
  {
    fault: 'a certificate that has ended',
    plant: () => keepFact(CERTIFICATE_END, NOW),
    stops: 'Receiving does not work',
    cause: `our certificate ended at ${SINCE}`,
    step: 'Renew FORESTALL_TLS_CERT and FORESTALL_TLS_KEY',
  },
  {
    fault: 'a certificate that ends within a fortnight',
    plant: () => keepFact(CERTIFICATE_END, '2026-03-10T00:00:00.000Z'),
    cause: 'our certificate ends at 2026-03-10 00:00 UTC',
    step: 'Renew FORESTALL_TLS_CERT and FORESTALL_TLS_KEY',
  },
  {
    fault: 'a worker without a processor',
    plant: () => set({ hasProcessor: false }),
    cause: 'no processor is set: every refund waits for a person',
    step: 'Set FORESTALL_PROCESSOR',
  },
  {
    fault: 'a worker without a channel',
    plant: () => set({ channels: [] }),
    cause: 'no channel is set, so messages go to the log only: 0 in the last day',
    step: 'Set FORESTALL_NOTIFY_URL',
  },
  {
    fault: 'shadow mode',
    plant: () => set({ mode: 'shadow' }),
    cause: 'shadow mode: decisions are recorded and nothing is done',
    step: 'Set FORESTALL_MODE=live',
  },
  {
    fault: 'events that are not applied',
    plant: async () => {
      const row = { seq: 1, received_at: nowDate(clock), organisation_id: ORG, event_id: 'evt_1' };
      await test.db.insertInto('inbox_work').values(row).execute();
      later(301);
      await polled();
    },
    stops: 'Applying does not work',
    cause: 'the oldest of 1 received event waits for 301 s',
    step: 'Read the worker’s log; it says what fails.',
  },
  {
    fault: 'alerts that nobody works on',
    plant: async () => {
      await insertAlert(test.db, alertObject('netalrt_1'));
      await insertCase(test.db, 'netalrt_1', { state: 'MATCHED', chargeReference: 'ch_1' });
      await test.db
        .updateTable('alert_case')
        .set({ next_action_at: nowDate(clock) })
        .execute();
      later(301);
      await polled();
    },
    cause: 'late by more than 5 minutes: 1 open alert',
    step: 'Read the worker’s log, and the last error on the alerts’ pages.',
  },
  {
    fault: 'polling that stands still',
    plant: async () => later(600),
    stops: 'Polling does not work',
    cause: `the open alerts were last read at ${SINCE}`,
    step: 'Read the worker’s log; it says why polling stands still.',
  },
];

describe('an open page', () => {
  it('hears within ten seconds of what is noted', async () => {
    const page = await (await site.get('/', { cookie })).text();
    const seconds = Number(/id="health"[^>]*hx-trigger="every (\d+)s/.exec(page)?.[1]);
    expect(seconds).toBeGreaterThan(0);
    // Deliveries are noted last of all: what else fails is written when it does.
    expect(WRITE_EVERY_MS + SHARED_MS + seconds * 1_000).toBeLessThanOrEqual(10_000);
  });
});

describe('what runs', () => {
  it.each(RUNNING)('names $fault, from its second failure on', check);
});

describe('what a person did, or what proves itself', () => {
  it.each(AT_ONCE)('names $fault', check);
});

async function check({ once, plant, stops, cause, step }: Plant): Promise<void> {
  const well = /^ everything works/;
  expect((await shown()).system).toMatch(well);
  await once?.();
  // One failure alone is a broken connection, as there are some every day.
  expect(await shown()).toEqual({ system: expect.stringMatching(well), banner: '' });
  await plant();
  const { system, banner } = await shown();
  expect(system).not.toMatch(well);
  expect(system).toContain(cause);
  expect(system).toContain(step);
  if (stops === undefined) {
    expect(banner).toBe('');
    return;
  }
  expect(banner).toContain(`${stops}:`);
  expect(banner).toContain(cause);
  expect(banner).toContain(step);
}
