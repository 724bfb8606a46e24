/**
 * Whether each part of Forestall does its work, judged in one place: what tells people and programs about
 * health reads it here. The judgement is pure.
 *
 * One cause often stops several parts; they then carry the same words, so that a reader can put them together.
 */
import type { Db } from '../base/db/database.ts';
import { pendingMigrations } from '../base/db/migrate.ts';
import { utcWords } from '../base/kernel/instant.ts';
import type { StatusLine } from '../base/kernel/status-line.ts';
import type { HealthFacts } from './health.store.ts';
import { readHealthFacts } from './health.store.ts';
import type { Cause } from './health-causes.ts';
import {
  applyingCauses,
  decidingCauses,
  declaringCauses,
  feedingCauses,
  notifyingCauses,
  pollingCauses,
  receivingCauses,
  refundingCauses,
  workerCauses,
} from './health-causes.ts';
import type { Scope } from './operations.store.ts';

/** The parts, in the order in which a person would look. */
const HEALTH_PARTS = [
  'database',
  'migrations',
  'worker',
  'receiving',
  'applying',
  'deciding',
  'refunding',
  'declaring',
  'polling',
  'feeding',
  'notifying',
  // Of capabilities.
  'delivering',
] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];

export interface PartHealth extends StatusLine {
  readonly name: HealthPart;
  readonly automaticOnly?: boolean;
}

/** Without these nothing can be done at all, so a process is not ready. */
const NEEDED: readonly HealthPart[] = ['database', 'migrations', 'worker'];

/** Whether a process may be sent work: refunds that are stopped, for example, stop no webhook. */
export function isReady(parts: readonly PartHealth[]): boolean {
  return parts.every(({ name, status }) => status === 'ok' || !NEEDED.includes(name));
}

/** What keeps a part from carrying out what a person decides; undefined when nothing does. */
export function stopOf(parts: readonly PartHealth[], name: HealthPart): PartHealth | undefined {
  return parts.find(
    (part) => part.name === name && part.status === 'failed' && part.automaticOnly !== true,
  );
}

/** One cause with every part that it stops. */
export interface Trouble extends Cause {
  readonly parts: readonly HealthPart[];
}

/** What is not well, each cause once, what does not work at all first. */
export function troublesOf(parts: readonly PartHealth[]): Trouble[] {
  const byDetail = new Map<string, Trouble>();
  for (const { name, status, detail, nextStep } of parts) {
    if (status === 'ok') continue;
    const stopped = byDetail.get(detail)?.parts ?? [];
    byDetail.set(detail, { status, detail, nextStep: nextStep ?? '', parts: [...stopped, name] });
  }
  return [...byDetail.values()].sort(
    (a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'),
  );
}

/** A line for each part that is well, and one for each cause of what is not, with all that it stops. */
export function groupedLines(parts: readonly PartHealth[]): StatusLine[] {
  const well = parts.filter(({ status }) => status === 'ok');
  return [
    ...troublesOf(parts).map(({ parts: stopped, ...cause }) => ({
      ...cause,
      name: stopped.join(', '),
    })),
    ...well,
  ];
}

const VERBS = {
  failed: ['does not work', 'do not work'],
  warning: ['needs attention', 'need attention'],
} as const;

/** The parts as words: `Refunding and declaring do not work`. */
export function troubleWords({ parts, status }: Trouble): string {
  const last = parts.at(-1) ?? '';
  const names = parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
  const verb = VERBS[status][parts.length === 1 ? 0 : 1];
  return `${names.slice(0, 1).toUpperCase()}${names.slice(1)} ${verb}`;
}

/** Reads and judges. Throws what the database throws. */
export async function readHealth(db: Db, scope: Scope): Promise<PartHealth[]> {
  const pending = await pendingMigrations(db);
  const database = well('database', 'answers');
  if (pending.length === 0) {
    const parts = judgeHealth(await readHealthFacts(db, scope));
    return [database, well('migrations', 'all applied'), ...parts];
  }
  return [
    database,
    {
      name: 'migrations',
      status: 'failed',
      detail: `the database lacks ${pending.join(', ')}`,
      nextStep: 'Run: forestall migrate',
    },
  ];
}

function well(name: HealthPart, detail: string): PartHealth {
  return { name, status: 'ok', detail, nextStep: null };
}

const CAUSES = {
  worker: workerCauses,
  receiving: receivingCauses,
  applying: applyingCauses,
  deciding: decidingCauses,
  refunding: refundingCauses,
  declaring: declaringCauses,
  polling: pollingCauses,
  feeding: feedingCauses,
  notifying: notifyingCauses,
} as const satisfies Partial<Record<HealthPart, (facts: HealthFacts) => readonly Cause[]>>;
type JudgedPart = keyof typeof CAUSES;

/** Judges every part behind the database. Pure. */
export function judgeHealth(facts: HealthFacts): PartHealth[] {
  return HEALTH_PARTS.filter(isJudged).map((name) => {
    const causes = CAUSES[name](facts);
    const cause = causes.find(({ status }) => status === 'failed') ?? causes[0];
    return cause === undefined ? well(name, wellWords(name, facts)) : { name, ...cause };
  });
}

function isJudged(name: HealthPart): name is JudgedPart {
  return Object.hasOwn(CAUSES, name);
}

/** What there is to say while nothing stops it. */
function wellWords(name: JudgedPart, facts: HealthFacts): string {
  const { workersAlive, lastWebhookAt, inboxWaiting, lastPollAt, settings } = facts;
  switch (name) {
    case 'worker':
      return `${workersAlive} alive`;
    case 'receiving':
      return lastWebhookAt === null ? 'no webhook yet' : `last webhook ${utcWords(lastWebhookAt)}`;
    case 'applying':
      return `${inboxWaiting} events wait`;
    case 'deciding':
      return 'nothing is late';
    case 'refunding':
      return 'refunds go';
    case 'declaring':
      return 'the service takes answers';
    case 'polling':
      return lastPollAt === null ? 'about to begin' : `last at ${utcWords(lastPollAt)}`;
    case 'feeding':
      return 'orders go';
    case 'notifying':
      return settings?.channels.join(', then ') ?? 'no message waits';
    default:
      return name satisfies never;
  }
}
