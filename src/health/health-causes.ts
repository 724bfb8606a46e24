/** What can stop each part of Forestall, or make it less than it should be, with the next step. Pure. */
import { RECOVERY_REASONS } from '../alerts/guard/recovery-check-rule.ts';
import { SILENT_MS } from '../base/jobs/heartbeat.store.ts';
import { counted } from '../base/kernel/counted.ts';
import { utcWords } from '../base/kernel/instant.ts';
import type { HealthFacts } from './health.store.ts';

export interface Cause {
  readonly status: 'warning' | 'failed';
  readonly detail: string;
  readonly nextStep: string;
  /** What a person decides is carried out anyway. */
  readonly automaticOnly?: boolean;
}

type Causes = (facts: HealthFacts) => readonly Cause[];

/** Received events are applied within a second; older ones than this wait too long, in seconds. */
const INBOX_SLOW_SECONDS = 60;
const INBOX_STUCK_SECONDS = 300;
/** A message that has waited for this long was tried several times, in seconds. */
const MESSAGE_STUCK_SECONDS = 300;

/** Polling is late after so many intervals, and never before {@link POLL_LATE_SECONDS}. */
const POLL_LATE_INTERVALS = 5;
const POLL_LATE_SECONDS = 600;

const DOCTOR = 'run: forestall doctor';

function failed(detail: string, nextStep: string): Cause {
  return { status: 'failed', detail, nextStep };
}

function warning(detail: string, nextStep: string): Cause {
  return { status: 'warning', detail, nextStep };
}

/** The causes that there are. */
function those(causes: readonly (Cause | false)[]): Cause[] {
  return causes.filter((cause) => cause !== false);
}

export const workerCauses: Causes = ({ workersAlive }) =>
  workersAlive > 0
    ? []
    : [failed('no worker is alive', 'Start one with "forestall work" or "forestall start".')];

export const receivingCauses: Causes = (facts) => {
  const { alarms } = facts;
  return those([
    ...listenerCauses(facts),
    ...refusedCauses(facts),
    alarms.has('webhooks_silent') &&
      failed(
        'polling finds changes that no webhook brings',
        `In the dashboard under Settings, Webhooks: compare the address and the secret, enable the endpoint, then ${DOCTOR}`,
      ),
    alarms.has('clock_skew') &&
      warning(
        'our clock and the service’s differ: from 5 minutes on every webhook is refused',
        'Switch time synchronisation (NTP) on for the database machine.',
      ),
    ...silenceCauses(facts),
    ...certificateCauses(facts),
  ]);
};

export const applyingCauses: Causes = (facts) => {
  const { inboxWaiting, inboxLagSeconds } = facts;
  const detail = `the oldest of ${counted(inboxWaiting, 'received event')} waits for ${inboxLagSeconds} s`;
  const step = 'Read the worker’s log; it says what fails.';
  return those([
    ...workerCauses(facts),
    inboxLagSeconds > INBOX_STUCK_SECONDS && failed(detail, step),
    inboxLagSeconds > INBOX_SLOW_SECONDS && warning(detail, step),
  ]);
};

export const decidingCauses: Causes = (facts) => {
  const { casesLate, recovery } = facts;
  const mayAct = recovery.check === undefined && recovery.unchecked.size === 0;
  return those([
    ...workerCauses(facts),
    ...askingCauses(facts),
    ...shadowCauses(facts),
    ...policyCauses(facts),
    casesLate > 0 &&
      mayAct &&
      warning(
        `late by more than 5 minutes: ${counted(casesLate, 'open alert')}`,
        'Read the worker’s log, and the last error on the alerts’ pages.',
      ),
  ]);
};

export const refundingCauses: Causes = (facts) => [
  ...workerCauses(facts),
  ...pauseCauses(facts),
  ...checkCauses(facts),
  ...keyCauses(facts),
  ...processorCauses(facts),
  ...askingCauses(facts),
  ...sendingCauses(facts),
  ...shadowCauses(facts),
  ...uncheckedCauses(facts),
];

export const declaringCauses: Causes = (facts) => [
  ...workerCauses(facts),
  ...checkCauses(facts),
  ...keyCauses(facts),
  ...shadowCauses(facts),
  ...uncheckedCauses(facts),
];

export const pollingCauses: Causes = (facts) => {
  const { alarms } = facts;
  const codes = alarms.get('poll_failing');
  return those([
    ...workerCauses(facts),
    ...keyCauses(facts).filter(() => isKeyDead(facts)),
    codes !== undefined &&
      failed(
        `the open alerts cannot be read (${codes.join(', ')})`,
        `Check FORESTALL_SERVICE_URL and FORESTALL_API_KEY; ${DOCTOR}`,
      ),
    ...(codes === undefined ? pollCauses(facts) : []),
    alarms.has('foreign_alerts') &&
      failed(
        'the API key shows alerts of another organisation',
        'Compare FORESTALL_API_KEY with FORESTALL_ORGANISATION_ID.',
      ),
    ...lateCauses(facts),
    alarms.has('enrolments_unreadable') &&
      warning(
        'enrolments cannot be read with the partner key',
        'Check FORESTALL_PARTNER_API_KEY and its ability enrolments_v2:read.',
      ),
  ]);
};

export const feedingCauses: Causes = (facts) => [
  ...workerCauses(facts),
  ...keyCauses(facts).filter(() => isKeyDead(facts)),
  ...facts.stoppedFeeds.map(({ integration_id: id, error_code: code }) =>
    failed(
      `orders of ${id} are not sent: most were refused with ${code}`,
      `Remove the cause (forestall orders status), then: forestall orders resume ${id}`,
    ),
  ),
];

export const notifyingCauses: Causes = (facts) => {
  const { messages, settings } = facts;
  const { waiting, oldestSeconds, givenUp, loggedOnly } = messages;
  const step = 'Try the channels with: forestall notify test';
  const isMute = settings === undefined ? loggedOnly > 0 : settings.channels.length === 0;
  return those([
    ...workerCauses(facts),
    oldestSeconds >= MESSAGE_STUCK_SECONDS &&
      failed(
        `the oldest of ${counted(waiting, 'waiting message')} waits for ${oldestSeconds} s`,
        step,
      ),
    ...(oldestSeconds >= MESSAGE_STUCK_SECONDS ? [] : messageCauses(facts)),
    isMute &&
      warning(
        `no channel is set, so messages go to the log only: ${loggedOnly} in the last day`,
        'Set FORESTALL_NOTIFY_URL, or the webhook or e-mail settings.',
      ),
    givenUp > 0 && warning(`never arrived, and given up: ${counted(givenUp, 'message')}`, step),
  ]);
};

function pauseCauses({ pause }: HealthFacts): Cause[] {
  if (pause === undefined) return [];
  const who = pause.paused_by.replace(/^operator:/, '');
  return [
    failed(
      `refunds are stopped since ${utcWords(pause.paused_at)} by ${who}; alerts that need one wait for people, and fallbacks that accept are still carried out at their moment`,
      'An administrator lets them go again on the System page, or: forestall resume',
    ),
  ];
}

function checkCauses({ recovery: { check } }: HealthFacts): Cause[] {
  if (check === undefined) return [];
  return [
    failed(
      `reconciling first since ${utcWords(new Date(check.since))}, because ${RECOVERY_REASONS[check.reason]}; waits for ${check.waitsFor}`,
      'It ends by itself once the service and the processor have answered.',
    ),
  ];
}

function uncheckedCauses({ recovery: { unchecked } }: HealthFacts): Cause[] {
  if (unchecked.size === 0) return [];
  return [
    warning(
      `held back after a restore, because the processor cannot be asked: ${counted(unchecked.size, 'charge')}`,
      'See whether the processor answers about them: forestall doctor',
    ),
  ];
}

/** Whether the whole key is refused, and not one ability of it. */
function isKeyDead(facts: HealthFacts): boolean {
  return refusedCode(facts) === 'UNAUTHORISED';
}

/**
 * The code with which the service refuses our key. A refusal of the whole key is over once a later poll has read
 * everything with it, no matter who was refused before.
 */
function refusedCode({ keyRefusal, alarms, lastPollAt }: HealthFacts): string | undefined {
  if (alarms.get('poll_failing')?.includes('UNAUTHORISED') === true) return 'UNAUTHORISED';
  if (keyRefusal?.code !== 'UNAUTHORISED') return keyRefusal?.code;
  const isOver = lastPollAt !== null && lastPollAt > keyRefusal.at;
  return isOver ? undefined : keyRefusal.code;
}

function keyCauses(facts: HealthFacts): Cause[] {
  const code = refusedCode(facts);
  if (code === undefined) return [];
  return [
    failed(
      `the service refuses our API key (${code})`,
      'Set FORESTALL_API_KEY to a key that the dashboard shows as active, with every ability that forestall doctor names.',
    ),
  ];
}

function processorCauses({ processorRefusal, breakerOpenedAt, settings }: HealthFacts): Cause[] {
  const openedAt = processorRefusal?.openedAt ?? null;
  return those([
    openedAt !== null &&
      failed(
        `the processor refuses us since ${utcWords(new Date(openedAt))} (${processorRefusal?.code})`,
        'Correct its credentials or rights, then: forestall resume --processor',
      ),
    breakerOpenedAt !== null && {
      ...failed(
        `automatic refunds are stopped since ${utcWords(breakerOpenedAt)}: far more alerts than usual`,
        'Look at the alerts; if they are right: forestall resume --breaker',
      ),
      automaticOnly: true,
    },
    settings?.hasProcessor === false &&
      warning(
        'no processor is set: every refund waits for a person',
        'Set FORESTALL_PROCESSOR; "forestall add --list" names the adapters.',
      ),
  ]);
}

function shadowCauses({ settings }: HealthFacts): Cause[] {
  if (settings?.mode !== 'shadow') return [];
  return [
    warning(
      'shadow mode: decisions are recorded and nothing is done',
      'Set FORESTALL_MODE=live once its reports show what you want.',
    ),
  ];
}

function lateCauses({ now, lastPollAt, settings }: HealthFacts): Cause[] {
  if (lastPollAt === null) return [];
  const lateSeconds = Math.max(
    POLL_LATE_SECONDS,
    (settings?.pollSeconds ?? 0) * POLL_LATE_INTERVALS,
  );
  if (now.getTime() - lastPollAt.getTime() < lateSeconds * 1_000) return [];
  return [
    failed(
      `the open alerts were last read at ${utcWords(lastPollAt)}: what webhooks missed since is not known`,
      'Read the worker’s log; it says why polling stands still.',
    ),
  ];
}

/** From the second failure on: one alone is a broken connection, as there are some every day. */
const FAILURES_MIN = 2;

/** A refund that was not taken says little about now, once it is so old, in milliseconds. */
const SENDING_MS = 3_600_000;

function askingCauses({ signs: { asking } }: HealthFacts): Cause[] {
  if (asking === undefined || asking.inRow < FAILURES_MIN) return [];
  return [
    failed(
      `the processor ${asking.processor} gives no answer since ${utcWords(new Date(asking.since))} (${asking.reason})`,
      `See whether it runs, and whether its address and secret are right; ${DOCTOR}`,
    ),
  ];
}

function sendingCauses({ now, signs: { asking, sending } }: HealthFacts): Cause[] {
  if (sending === undefined || sending.inRow < FAILURES_MIN) return [];
  if (asking !== undefined && asking.inRow >= FAILURES_MIN) return [];
  if (now.getTime() - Date.parse(sending.at) > SENDING_MS) return [];
  return [
    failed(
      `the processor ${sending.processor} takes no refund since ${utcWords(new Date(sending.since))} (${sending.reason})`,
      `See what it says about refunds, and whether our secret may make them; ${DOCTOR}`,
    ),
  ];
}

/** A listener was there and is gone, and no delivery has come in another way since. */
function listenerCauses({
  now,
  lastWebhookAt,
  signs: { servedAt, heardAt },
}: HealthFacts): Cause[] {
  if (servedAt === undefined || now.getTime() - servedAt.getTime() <= SILENT_MS) return [];
  const isHeard = [lastWebhookAt, heardAt].some((at) => at != null && at > servedAt);
  if (isHeard) return [];
  return [
    failed(
      `no listener for webhooks is alive since ${utcWords(servedAt)}`,
      'Start one with "forestall serve" or "forestall start"; polling finds alerts meanwhile.',
    ),
  ];
}

const REFUSED_WORDS: Readonly<Record<string, readonly [why: string, nextStep: string]>> = {
  no_match: [
    'they are signed with another secret',
    'Compare FORESTALL_WEBHOOK_SECRETS with the secret that the dashboard shows under Settings, Webhooks.',
  ],
  too_old: [
    'their signatures are too old',
    'Compare the clock of the database machine (NTP); a proxy may hold deliveries back.',
  ],
  too_new: [
    'their signatures are from the future',
    'Set the clock of the database machine (NTP): it is late.',
  ],
};

/** A signature that fits no secret of ours is a stranger's until there are so many, over so long, in milliseconds. */
const STRANGERS_MAX = 20;
const STRANGERS_MS = 10 * 60_000;

/**
 * Every delivery is refused. That the service sent them is sure where they are signed with our secret, where polling found
 * what no webhook brought, or where they go on coming: anybody can send two with a signature of the right form.
 */
export function refusedCauses({
  lastWebhookAt,
  signs,
}: Pick<HealthFacts, 'lastWebhookAt' | 'signs'>): Cause[] {
  const { refusedDeliveries, silence } = signs;
  if (refusedDeliveries === undefined || refusedDeliveries.count < FAILURES_MIN) return [];
  const { count, since, lastAt, verdict } = refusedDeliveries;
  if (lastWebhookAt !== null && lastWebhookAt >= lastAt) return [];
  const [why, nextStep] = REFUSED_WORDS[verdict] ?? [verdict, `Read the log; ${DOCTOR}`];
  const text = `every webhook since ${utcWords(since)} is refused, ${count} so far: ${why}`;
  const goesOn = count > STRANGERS_MAX && lastAt.getTime() - since.getTime() >= STRANGERS_MS;
  const isFromService =
    verdict !== 'no_match' || goesOn || (silence?.firstFoundMs ?? null) !== null;
  if (isFromService) return [failed(text, nextStep)];
  return [warning(`${text}, or a stranger sent them`, nextStep)];
}

/** A poll may overtake a webhook by a moment, in milliseconds. */
const OVERTAKEN_MS = 20_000;

function silenceCauses({ now, alarms, lastWebhookAt, signs: { silence } }: HealthFacts): Cause[] {
  if (silence === undefined || silence.firstFoundMs === null || alarms.has('webhooks_silent')) {
    return [];
  }
  const { changes, firstFoundMs } = silence;
  const isHeard = lastWebhookAt !== null && lastWebhookAt.getTime() >= firstFoundMs;
  const isSure = changes >= FAILURES_MIN && now.getTime() - firstFoundMs >= OVERTAKEN_MS;
  if (isHeard || !isSure) return [];
  return [
    warning(
      `polling found ${counted(changes, 'change')} since ${utcWords(new Date(firstFoundMs))}, and no webhook has come`,
      `In the dashboard under Settings, Webhooks: compare the address, and enable the endpoint, then ${DOCTOR}`,
    ),
  ];
}

/** A certificate that ends within this time is told about, in milliseconds. */
export const CERTIFICATE_WARNING_MS = 14 * 24 * 3_600_000;

function certificateCauses({ now, signs: { certificateEndsAt: endsAt } }: HealthFacts): Cause[] {
  if (endsAt === undefined) return [];
  const leftMs = endsAt.getTime() - now.getTime();
  const step =
    'Renew FORESTALL_TLS_CERT and FORESTALL_TLS_KEY; they are read again without a restart.';
  if (leftMs <= 0) return [failed(`our certificate ended at ${utcWords(endsAt)}`, step)];
  if (leftMs > CERTIFICATE_WARNING_MS) return [];
  return [warning(`our certificate ends at ${utcWords(endsAt)}`, step)];
}

function policyCauses({ signs: { policy } }: HealthFacts): Cause[] {
  if (policy === undefined) return [];
  const { problem, version, since } = policy;
  const [line = ''] = problem.split('\n');
  return [
    warning(
      `the policy cannot be used since ${utcWords(new Date(since))}, and version ${version} stays in force: ${line.replace(/[.:]$/, '')}`,
      'Mend it; "forestall policy check" names every problem.',
    ),
  ];
}

function pollCauses({ signs: { pollFailure } }: HealthFacts): Cause[] {
  if (pollFailure === undefined || pollFailure.rounds < FAILURES_MIN) return [];
  const { sinceMs, codes = [] } = pollFailure;
  const said = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
  return [
    failed(
      `the open alerts cannot be read since ${utcWords(new Date(sinceMs))}${said}`,
      `Check FORESTALL_SERVICE_URL and FORESTALL_API_KEY; ${DOCTOR}`,
    ),
  ];
}

function messageCauses({ signs: { refusedMessages } }: HealthFacts): Cause[] {
  if (refusedMessages === undefined || refusedMessages.attempts < FAILURES_MIN) return [];
  const { count, error } = refusedMessages;
  return [
    failed(
      `no channel takes messages, ${counted(count, 'message')} waiting: ${error}`,
      'Try the channels with: forestall notify test',
    ),
  ];
}
