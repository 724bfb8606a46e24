/** What can stop each part of Forestall, or make it less than it should be, with the next step. Pure. */
import { RECOVERY_REASONS } from '../../alerts/guard/recovery-check-rule.ts';
import { counted } from '../../base/kernel/counted.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import type { HealthFacts } from './health.store.ts';

export interface Cause {
  readonly status: 'warning' | 'failed';
  readonly detail: string;
  readonly nextStep: string;
  /** What a person decides is carried out all the same. */
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

export const receivingCauses: Causes = ({ alarms }) =>
  those([
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
  ]);

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
    ...shadowCauses(facts),
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
 * everything with it, whoever was refused before.
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
