/**
 * Compares alerts three ways: the service's alert, the processor's charge, our rows.
 *
 * The process that polls compares too, a few charges after each round. An alert is compared once
 * its case has not changed for five minutes, and then again after an hour, a day, three and ten
 * days, because refunds fail late; while a finding about it is open, every hour.
 *
 * Durable: findings, in the ledger what others were seen to have refunded, and in `book_check` when each
 * alert was compared and is next.
 */

import type { Installation } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Answer, Processor, ProcessorCharge } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import { processorAt } from '../cases/routed-processor.ts';
import { readLedgerMark } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { isOurs } from '../ledger/ledger.ts';
import { paidTooOften } from '../ledger/paid-too-often.ts';
import type { ComparableAlert } from './book-check.store.ts';
import { alertsSince, alertsToCompare, writeBookCheck } from './book-check.store.ts';
import type { ComparisonKind, Difference } from './book-comparison.ts';
import { compareBooks } from './book-comparison.ts';
import { COMPARISON_KINDS, COMPARISONS } from './comparisons.ts';
import { keysOf, readBooks } from './read-books.ts';
import { recordFinding } from './record-finding.ts';

export interface ComparerOptions extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  readonly processor: Pick<Processor, 'readCharge' | 'capabilities'>;
}

export interface ComparisonRun {
  readonly compared: number;
  /** The processor gave no answer now, or never does. */
  readonly unread: number;
  readonly opened: number;
  readonly closed: number;
}

export interface Comparer {
  /** What is due, up to {@link ROUND_MAX} charges. */
  runOnce(signal?: AbortSignal): Promise<ComparisonRun>;
  /** Everything that moved since `since`; `keepGoing` is called between pages and may throw to end it. */
  runSince(since: Date, keepGoing: () => Promise<void>): Promise<ComparisonRun>;
}

/** Charges read in one round: the same processor answers the look-ups that guard refunds. */
export const ROUND_MAX = 20;

/** Charges read at once. */
const LANES = 4;

/** Alerts of one page of a run that was asked for. */
const PAGE = 100;

/** Ages of a case at which it is compared again, in milliseconds: 1 h, 1, 3 and 10 days. */
const AGAIN_AT_MS = [1, 24, 72, 240].map((hours) => hours * 60 * 60_000);

/** Waits until the next comparison, in milliseconds. */
const WAIT_MS = { unavailable: 10 * 60_000, undecided: 15 * 60_000, open: 60 * 60_000 };

/** Creates a comparer. Running it twice at once only reads twice. */
export function createComparer(options: ComparerOptions): Comparer {
  const { db, clock, organisationId } = options;
  return {
    async runOnce(signal): Promise<ComparisonRun> {
      const now = nowDate(clock);
      const due = await alertsToCompare(db, { organisationId, now, limit: ROUND_MAX });
      return await compareAll(options, due, signal);
    },
    async runSince(since, keepGoing): Promise<ComparisonRun> {
      let total: ComparisonRun = { compared: 0, unread: 0, opened: 0, closed: 0 };
      for (let afterId = ''; ; ) {
        const now = nowDate(clock);
        const page = await alertsSince(db, { organisationId, now, limit: PAGE, since, afterId });
        total = addRuns(total, await compareAll(options, page, undefined));
        if (page.length < PAGE) return total;
        afterId = page.at(-1)?.alertId ?? afterId;
        await keepGoing();
      }
    },
  };
}

function addRuns(a: ComparisonRun, b: ComparisonRun): ComparisonRun {
  return {
    compared: a.compared + b.compared,
    unread: a.unread + b.unread,
    opened: a.opened + b.opened,
    closed: a.closed + b.closed,
  };
}

async function compareAll(
  options: ComparerOptions,
  alerts: readonly ComparableAlert[],
  signal: AbortSignal | undefined,
): Promise<ComparisonRun> {
  let total: ComparisonRun = { compared: 0, unread: 0, opened: 0, closed: 0 };
  for (let start = 0; start < alerts.length && signal?.aborted !== true; start += LANES) {
    const lane = alerts.slice(start, start + LANES);
    const runs = await Promise.all(lane.map((alert) => compareOne(options, alert, signal)));
    total = runs.reduce(addRuns, total);
  }
  return total;
}

async function compareOne(
  options: ComparerOptions,
  alert: ComparableAlert,
  signal: AbortSignal | undefined,
): Promise<ComparisonRun> {
  const { db, clock, organisationId } = options;
  const { alertId, chargeReference } = alert;
  const processor = await processorAt(options.processor, chargeReference);
  const key = { organisationId, chargeReference };
  const mark = await readLedgerMark(db, key);
  const capabilities = await processor.capabilities(signal);
  // How fresh a reading is follows from what the processor states: unanswered, nothing can be compared.
  const answer: Answer<ProcessorCharge> =
    capabilities === undefined
      ? { kind: 'unavailable', reason: 'the processor did not say what it offers' }
      : await processor.readCharge(chargeReference, signal);
  const { lookupLagSeconds } = capabilities ?? CAUTIOUS_CAPABILITIES;
  const at = nowDate(clock);
  const check = { organisationId, alertId, at, answer: answer.kind };
  if (answer.kind === 'unavailable' || answer.kind === 'not_offered') {
    const waitMs = answer.kind === 'unavailable' ? WAIT_MS.unavailable : WAIT_MS.open * 24;
    const nextAt = new Date(at.getTime() + waitMs);
    await writeBookCheck(db, { ...check, nextAt, refundedMinor: null, currency: null });
    return { compared: 0, unread: 1, opened: 0, closed: 0 };
  }
  const charge = chargeOf(answer);
  const ourKeys = keysOf(key, mark.nextRound);
  const shownCharge = { key, version: mark.version, charge, ourKeys, capabilities, at };
  const { isOld, ...kept } = await readBooks(options, shownCharge);
  const books = { ...alert, ...kept };
  const ours = books.ledger.movements.filter(isOurs);
  const differences = isOld
    ? 'undecided'
    : compareBooks(books, {
        charge,
        ourKeys,
        lagMs: lookupLagSeconds * 1_000,
        nowMs: at.getTime(),
      });
  const opened = await openFindings(options, { differences, at });
  const closed = await writeBookCheck(
    db,
    {
      ...check,
      nextAt: sooner(nextComparison(alert, differences, at), books.ledger, at),
      refundedMinor:
        charge === undefined
          ? null
          : refundedUnder(
              charge,
              ours.filter((each) => isAbout(each, alert)),
            ),
      currency: charge?.currency ?? null,
    },
    goneAbout(alert, differences),
  );
  return { compared: 1, unread: 0, opened, closed };
}

function chargeOf(
  answer: Extract<Answer<ProcessorCharge>, { kind: 'found' | 'absent' }>,
): ProcessorCharge | undefined {
  return answer.kind === 'found' ? answer.value : undefined;
}

function isAbout({ disputeId }: Movement, alert: ComparableAlert): boolean {
  return disputeId === alert.disputeId || disputeId === null || alert.disputeId === null;
}

function refundedUnder(charge: ProcessorCharge, ours: readonly Movement[]): number {
  return charge.refunds
    .filter(({ status }) => status !== 'failed')
    .filter((refund) =>
      ours.some(
        ({ key, reference }) => key === refund.idempotencyKey || reference === refund.reference,
      ),
    )
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** The moment of the next comparison; null when the case has been seen to its end. Pure. */
export function nextComparison(
  alert: Pick<ComparableAlert, 'openedAt'>,
  differences: readonly Difference[] | 'undecided',
  at: Date,
): Date | null {
  if (differences === 'undecided') return new Date(at.getTime() + WAIT_MS.undecided);
  if (differences.length > 0) return new Date(at.getTime() + WAIT_MS.open);
  const openedMs = alert.openedAt.getTime();
  const nextMs = AGAIN_AT_MS.map((ageMs) => openedMs + ageMs).find((ms) => ms > at.getTime());
  return nextMs === undefined ? null : new Date(nextMs);
}

/** What was paid too often may be taken back: looked at every hour, for as long as anything is planned. */
function sooner(plannedAt: Date | null, ledger: Ledger, at: Date): Date | null {
  if (plannedAt === null || paidTooOften(ledger) === undefined) return plannedAt;
  return new Date(Math.min(plannedAt.getTime(), at.getTime() + WAIT_MS.open));
}

interface Compared {
  readonly differences: readonly Difference[] | 'undecided';
  readonly at: Date;
}

/** Opens what is there. Returns how many are new. */
async function openFindings(
  { db, organisationId }: ComparerOptions,
  { differences, at }: Compared,
): Promise<number> {
  if (differences === 'undecided') return 0;
  let opened = 0;
  for (const { kind, ...difference } of differences) {
    const found = { ...difference, organisationId, now: at };
    if (await recordFinding(db, { kind, ...COMPARISONS[kind] }, found)) opened += 1;
  }
  return opened;
}

/** What is to be closed, because it is not there. Undecided leaves everything as it is. */
function goneAbout(
  { alertId, chargeReference }: ComparableAlert,
  differences: Compared['differences'],
): Parameters<typeof writeBookCheck>[2] {
  if (differences === 'undecided') return undefined;
  const differing = new Set<ComparisonKind>(differences.map(({ kind }) => kind));
  return {
    kinds: COMPARISON_KINDS.filter((kind) => !differing.has(kind)),
    subjectIds: [alertId, chargeReference],
  };
}
