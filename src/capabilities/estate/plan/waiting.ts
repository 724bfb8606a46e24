/**
 * Enrolments on their way to `ENABLED`, which takes days: what each waits for, and waiting for it.
 *
 * The interface advises to ask every two to three hours. The first looks come sooner, because much is
 * settled within minutes; from then on the pause doubles up to two hours.
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Wait } from '../../../service/client/budget-queue.ts';
import { isServiceError } from '../../../service/client/index.ts';
import type { Enrolment } from '../../../service/wire/enrolment.ts';
import type { Matched } from './match-estate.ts';
import type { EstateClient } from './remote-estate.ts';

/** Who must act: nobody, the service, a person, or this version does not know the status. */
export type Stage = 'enabled' | 'in progress' | 'needs a person' | 'ended' | 'unknown';

/** One enrolment on its way. */
export interface WaitingEnrolment {
  readonly key: string;
  readonly id: string;
  readonly status: string;
  readonly stage: Stage;
  readonly note: string | null;
  /** Of alert enrolments: descriptors that are live, of all. */
  readonly descriptors: { readonly active: number; readonly all: number } | null;
  readonly since: string;
}

const STAGES: Readonly<Record<string, Stage>> = {
  ENABLED: 'enabled',
  PENDING: 'in progress',
  IN_PROGRESS: 'in progress',
  ACTION_REQUIRED: 'needs a person',
  CANCELLED: 'ended',
};

/** How far an enrolment is. */
export function progressOf(key: string, enrolment: Enrolment): WaitingEnrolment {
  const { id, status, note, created_at: since } = enrolment;
  const list = enrolment.neta_alert?.descriptors;
  return {
    key,
    id,
    status,
    stage: STAGES[status] ?? 'unknown',
    note: note ?? null,
    descriptors: list
      ? {
          active: list.filter((descriptor) => descriptor.status === 'ACTIVE').length,
          all: list.length,
        }
      : null,
    since,
  };
}

/** The file's enrolments that are not `ENABLED` yet. */
export function waitingOf({ enrolments }: Matched): WaitingEnrolment[] {
  return enrolments
    .flatMap(({ entry, remote }) => (remote === undefined ? [] : [progressOf(entry.key, remote)]))
    .filter(({ stage }) => stage !== 'enabled');
}

const WHAT_NEXT: Readonly<Record<Stage, string>> = {
  enabled: 'It is live.',
  'in progress': 'The service and the network are at it; nothing to do.',
  'needs a person':
    "A person must act: agree on another descriptor with the service's support, usually within 1 to 2 business days.",
  ended: 'It is over. Enrol again, or take it out of the file.',
  unknown: 'This version of Forestall does not know the status. Look into the dashboard.',
};

/** For people: `Enrolment "eu-rdr" is PENDING (2026-11-22). …` */
export function waitingSentence(enrolment: WaitingEnrolment): string {
  const { key, status, stage, note, descriptors, since } = enrolment;
  const live =
    descriptors === null
      ? ''
      : ` ${descriptors.active} of ${descriptors.all} descriptors are live.`;
  const said = note === null || note === '' ? '' : ` The service says: ${note}`;
  return `Enrolment "${key}" is ${status} (created ${since.slice(0, 10)}).${live} ${WHAT_NEXT[stage]}${said}`;
}

/** The first pause, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 2 * 60 * 60_000;

/** What waiting needs. */
export interface WaitOptions {
  readonly client: Pick<EstateClient, 'enrolments'>;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when a status changed. */
  readonly onChange?: ((enrolment: WaitingEnrolment) => void) | undefined;
}

/**
 * Waits until nothing is in progress any more, or the time is over. Returns the enrolments as they are
 * then, those that are enabled included.
 */
export async function waitForEnabled(
  enrolments: readonly WaitingEnrolment[],
  options: WaitOptions,
): Promise<WaitingEnrolment[]> {
  const { client, clock, wait, timeoutMs, signal, onChange } = options;
  const endMs = clock.nowMs() + timeoutMs;
  const now = new Map(enrolments.map((enrolment) => [enrolment.id, enrolment]));
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const open = [...now.values()].filter(({ stage }) => stage === 'in progress');
    const leftMs = endMs - clock.nowMs();
    if (open.length === 0 || leftMs <= 0) return [...now.values()];
    await wait(Math.min(pauseMs, leftMs), signal);
    for (const before of open) {
      const enrolment = await orLater(() => client.enrolments.get(before.id, { signal }));
      if (enrolment === undefined) continue;
      const after = progressOf(before.key, enrolment);
      now.set(before.id, after);
      if (after.status !== before.status) onChange?.(after);
    }
  }
}

/** Undefined where the service is away for now: among days of waiting that is no reason to end. */
async function orLater<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isServiceError(error) && error.retryable) return undefined;
    throw error;
  }
}
