/**
 * The one way to act on what the processor shows of a charge: read it, open the ledger with it under the charge's lock, do the
 * work in that transaction; and all of it again where the ledger has changed since the reading was taken (L9).
 *
 * To open it is to lock the charge, write what the processor was just seen to show, place its alerts in disputes, and hand
 * out the result ({@link openLedger}). A reading that is older than the last change of the ledger is refused
 * ({@link StaleReadingError}): anyone who took it takes another. Consequences (cover that was lost, money paid twice) are
 * told in the same transaction.
 */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { KitError } from '../../base/kernel/errors.ts';
import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockLedger } from './adopt.store.ts';
import type { AskDeps, ChargeAnswer, ChargeReading } from './charge-reading.ts';
import { askAboutCharge, askAboutChargeAfter, askAboutChargeWithKey } from './charge-reading.ts';
import type { ChargeKey, LedgerMark, ShownCharge } from './ledger.store.ts';
import { readLedger } from './ledger.store.ts';
import type { Ledger } from './ledger.ts';
import { claimOfAlert, isOurs, missingMinor } from './ledger.ts';
import { findMovement, insertMovement } from './movement.store.ts';
import { movementKey, nextRound } from './movement-key.ts';
import { refreshNetwork, writeAllocation, writeObserved } from './observe.store.ts';
import { placeAlerts } from './place.store.ts';
import type { OwnShown } from './reading-changes.ts';
import { isAnotherAmount, isShownAsStored, observedOf, readingChanges } from './reading-changes.ts';
import type { SamePartRule } from './same-dispute.ts';
import { moneyOf } from './same-dispute.ts';
import { endedAsAnother, settleIn, settlementShown } from './settle-movement.ts';
import { tellConsequences } from './tell-consequences.ts';
import type { LedgerView } from './unchanged.store.ts';
import { markOf, releaseUnchanged } from './unchanged.store.ts';
import { changesNothing } from './unchanged.ts';

/** So often a reading is taken again that the ledger has overtaken. */
const READINGS_MAX = 3;

/** What it works with. */
export interface LedgerDeps extends AskDeps {
  readonly samePart: SamePartRule;
}

/** The processor answered, if only that it knows no such charge. */
export type Answered = Exclude<ChargeAnswer, { kind: 'unavailable' }>;

/** For whom a ledger is opened. */
export interface AskedFor {
  /** Done once the processor has answered, before anything is locked; again with each reading. */
  readonly ahead?: () => Promise<void>;
  /** The alert that asks; a refund of ours that our rows had lost is booked for it. */
  readonly alertId: string | null;
  /** An alert without a charge whose acceptance the work is about to store: it stays without one. */
  readonly holds?: string;
  readonly signal: AbortSignal;
}

/** One charge. */
export interface AskedCharge extends AskedFor {
  readonly charge: ChargeKey;
  /** Of its ledger, where it was just read with something else. */
  readonly mark?: LedgerMark | undefined;
  /** What the processor answered a moment ago. */
  readonly first?: Answered | undefined;
  /** Money is to go: it is asked too whether there is a refund under the key that a new request would carry. */
  readonly withKey?: boolean;
}

/** A ledger with what it was opened with. Its charge is locked. */
export interface OpenedLedger {
  readonly charge: ChargeKey;
  readonly ledger: Ledger;
  readonly answer: Answered;
  /** As the processor shows it; undefined: it shows no such charge. */
  readonly shown: ProcessorCharge | undefined;
  readonly now: Date;
}

/** The result; or the processor did not answer, or the ledger changed with every reading, and nothing was done. */
export type Done<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Does the work on the ledger of a charge. */
export async function withLedger<Result>(
  deps: LedgerDeps,
  asked: AskedCharge,
  work: (trx: Trx, opened: OpenedLedger) => Promise<Result>,
): Promise<Done<Result>> {
  const gather = async (): Promise<void> => await asked.ahead?.();
  return await withLedgerAnd(deps, { ...asked, gather }, work);
}

/** The same with what is gathered about the charge as it is shown, before it is locked; again with each reading. */
export async function withLedgerAnd<Gathered, Result>(
  deps: LedgerDeps,
  asked: Omit<AskedCharge, 'ahead'> & {
    readonly gather: (shown: ProcessorCharge | undefined) => Promise<Gathered>;
  },
  work: (trx: Trx, opened: OpenedLedger, gathered: Gathered) => Promise<Result>,
): Promise<Done<Result>> {
  return await untilCurrent(async (attempt) => {
    const answer = await readFor(deps, attempt === 1 ? asked : later(asked));
    if (answer.kind === 'unavailable') return answer;
    const gathered = await asked.gather(shownBy(answer));
    const result = await inTransaction(deps.db, async (trx) =>
      work(trx, await open(trx, deps, { ...asked, answer }), gathered),
    );
    return { kind: 'done', result };
  });
}

function shownBy(answer: Answered): ProcessorCharge | undefined {
  return answer.kind === 'read' ? answer.reading.charge : undefined;
}

/** The same where the processor shows the charge; where it does not, nothing is opened. */
export async function withShownLedger<Result>(
  deps: LedgerDeps,
  asked: AskedCharge,
  work: (trx: Trx, opened: OpenedLedger & { readonly shown: ProcessorCharge }) => Promise<Result>,
): Promise<Done<Result> | { readonly kind: 'absent' | 'not_offered' }> {
  return await untilCurrent(async (attempt) => {
    const answer = await readFor(deps, attempt === 1 ? asked : later(asked));
    if (answer.kind !== 'read') return answer;
    const { charge: shown } = answer.reading;
    const result = await inTransaction(deps.db, async (trx) =>
      work(trx, { ...(await open(trx, deps, { ...asked, answer })), shown }),
    );
    return { kind: 'done', result };
  });
}

/** The same on the ledgers of several: each is read before the first is locked, and they are locked in one order. */
export async function withLedgers<Result>(
  deps: LedgerDeps,
  asked: AskedFor & { readonly charges: readonly ChargeKey[] },
  work: (trx: Trx, opened: readonly OpenedLedger[]) => Promise<Result>,
): Promise<Done<Result>> {
  const charges = [...asked.charges].sort(byReference);
  return await untilCurrent(async () => {
    const answered: { readonly charge: ChargeKey; readonly answer: Answered }[] = [];
    for (const charge of charges) {
      const answer = await askAboutCharge(deps, charge, asked.signal);
      if (answer.kind === 'unavailable') return answer;
      answered.push({ charge, answer });
    }
    await asked.ahead?.();
    const result = await inTransaction(deps.db, async (trx) => {
      const opened: OpenedLedger[] = [];
      for (const each of answered) opened.push(await open(trx, deps, { ...asked, ...each }));
      return await work(trx, opened);
    });
    return { kind: 'done', result };
  });
}

/** A case that waits, and when it is left to wait on. */
export interface WaitingCase {
  readonly claim: CaseRow;
  readonly charge: ChargeKey;
  /** What our rows say of the charge. */
  readonly view: LedgerView;
  /** Whether nothing is to be done while the charge is as our rows have it. */
  readonly waitsOn: (capabilities: ProcessorCapabilities) => boolean;
  readonly nextLook: (now: Date) => Date;
  readonly signal: AbortSignal;
}

/**
 * A look that locks nothing, for the many that find everything as it was: where the reading is no news to the ledger, by the
 * rules by which it would be opened, it is noted, and the next look planned. Else the one who asked opens the ledger.
 *
 * @returns true: it waits on; else what the processor answered
 */
export async function waitUnchanged(
  deps: LedgerDeps,
  { claim, charge, view, signal, ...waiting }: WaitingCase,
): Promise<true | ChargeAnswer> {
  const answer = await askAboutChargeAfter(deps, { charge, mark: markOf(view) }, signal);
  if (answer.kind !== 'read' || view.isMoneyWaiting) return answer;
  const { reading, capabilities } = answer;
  const { ledger, version } = view;
  const compared = { charge, shown: reading.charge, samePart: deps.samePart };
  if (!changesNothing(ledger, compared) || !waiting.waitsOn(capabilities)) return answer;
  const now = nowDate(deps.clock);
  const [readAt, nextActionAt] = [new Date(reading.atMs), waiting.nextLook(now)];
  const plan = { charge, version, readAt, now, nextActionAt };
  return (await releaseUnchanged(deps.db, claim, plan)) ? true : answer;
}

function byReference(a: ChargeKey, b: ChargeKey): number {
  return a.chargeReference < b.chargeReference ? -1 : 1;
}

/** What was known before the first try is old by the next one. */
function later({ charge, withKey, signal }: Asking): Asking {
  return { charge, ...(withKey === undefined ? {} : { withKey }), signal };
}

type Asking = Pick<AskedCharge, 'charge' | 'mark' | 'first' | 'withKey' | 'signal'>;

async function readFor(
  deps: LedgerDeps,
  { charge, mark, first, withKey = false, signal }: Asking,
): Promise<ChargeAnswer> {
  if (first !== undefined) return first;
  if (withKey) return await askAboutChargeWithKey(deps, { charge, mark }, signal);
  return mark === undefined
    ? await askAboutCharge(deps, charge, signal)
    : await askAboutChargeAfter(deps, { charge, mark }, signal);
}

async function open(
  trx: Trx,
  { clock, samePart }: LedgerDeps,
  asked: Omit<AskedFor, 'ahead' | 'signal'> & {
    readonly charge: ChargeKey;
    readonly answer: Answered;
  },
): Promise<OpenedLedger> {
  const { charge, answer, alertId, holds } = asked;
  const now = nowDate(clock);
  const reading = answer.kind === 'read' ? answer.reading : undefined;
  const ledger = await openLedger(trx, {
    charge,
    reading,
    capabilities: answer.capabilities,
    samePart,
    alertId,
    ...(holds === undefined ? {} : { holds }),
    now,
  });
  return { charge, ledger, answer, shown: shownBy(answer), now };
}

/** A stale reading is taken again; one that is overtaken every time is as good as none. */
async function untilCurrent<Ended>(
  attemptOnce: (attempt: number) => Promise<Ended>,
): Promise<Ended | Extract<ChargeAnswer, { kind: 'unavailable' }>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptOnce(attempt);
    } catch (error) {
      if (!(error instanceof StaleReadingError)) throw error;
      if (attempt >= READINGS_MAX) return { kind: 'unavailable', reason: error.message };
    }
  }
}

/** The ledger changed between the reading and its use: nothing may rest on it. */
export class StaleReadingError extends KitError {
  readonly code = 'STALE_READING';
  readonly retryable = true;
}

/** How a ledger is opened. */
export interface OpenContext {
  readonly charge: ChargeKey;
  /** Undefined: the processor was not asked, or shows no such charge. */
  readonly reading?: ChargeReading | undefined;
  /** @default the most cautious */
  readonly capabilities?: Pick<ProcessorCapabilities, 'asyncRefunds' | 'pendingCounts'>;
  readonly samePart: SamePartRule;
  /** The alert that asks; a refund of ours that our rows had lost is booked for it. @default none */
  readonly alertId?: string | null;
  /** An alert without a charge whose acceptance the caller is about to store: it stays without one. */
  readonly holds?: string;
  readonly now: Date;
}

/**
 * Opens the ledger of a charge.
 *
 * @throws {StaleReadingError} when the ledger has changed since the reading was taken
 */
export async function openLedger(trx: Trx, context: OpenContext): Promise<Ledger> {
  const { charge, reading, now } = context;
  const { version, ledger, before } = await lockLedger(trx, charge, {
    shown: columnsOf(reading),
    holds: context.holds,
  });
  if (reading !== undefined && version !== reading.version) {
    throw new StaleReadingError(
      `The ledger of charge ${charge.chargeReference} changed while the processor was asked.`,
    );
  }
  const refreshed = await refreshNetwork(trx, ledger, { charge, now });
  const observed = await applyReading(trx, refreshed, context);
  const placed = await placeAlerts(trx, observed, {
    charge,
    money: moneyOf(observed),
    samePart: context.samePart,
    now,
  });
  const complete = await bookForgotten(trx, placed, context);
  const after = await writeAllocation(trx, complete, charge.organisationId);
  const { pendingCounts } = context.capabilities ?? CAUTIOUS_CAPABILITIES;
  await tellConsequences(trx, { charge, before, after, pendingCounts, now });
  return after;
}

function columnsOf(reading: ChargeReading | undefined): Partial<ShownCharge> {
  if (reading === undefined) return {};
  const { status, amountMinor, currency, disputed } = reading.charge;
  return { status, amount_minor: amountMinor, currency, disputed, read_at: new Date(reading.atMs) };
}

async function applyReading(trx: Trx, ledger: Ledger, context: OpenContext): Promise<Ledger> {
  const { charge, reading, now } = context;
  if (reading === undefined) return ledger;
  const nextKey = movementKey(charge, nextRound(ledger.movements.filter(isOurs)));
  const changes = readingChanges(ledger, reading.charge, nextKey);
  let current = ledger;
  for (const shown of changes.own) current = await settleShown(trx, current, { ...context, shown });
  return await writeObserved(trx, current, { observed: changes.observed, charge, now });
}

async function settleShown(
  trx: Trx,
  ledger: Ledger,
  {
    shown,
    charge,
    capabilities = CAUTIOUS_CAPABILITIES,
    now,
  }: OpenContext & { readonly shown: OwnShown },
): Promise<Ledger> {
  if (isShownAsStored(shown)) return ledger;
  const { movement, refund } = shown;
  const row = await findMovement(trx, charge.organisationId, movement.id);
  if (row === undefined) return ledger;
  const settlement = isAnotherAmount(movement, refund)
    ? endedAsAnother(refund.reference)
    : settlementShown(row, refund);
  if (settlement === undefined) return ledger;
  const { asyncRefunds } = capabilities;
  const settled = await settleIn(trx, row, { settlement, now, asyncRefunds });
  const movements = ledger.movements.map((each) =>
    each.id === settled.id
      ? {
          ...each,
          state: settled.state,
          version: settled.version,
          reference: settled.processor_reference,
          failureCode: settled.failure_code,
          failureClass: settled.failure_class,
        }
      : each,
  );
  return { ...ledger, movements };
}

/**
 * A refund under our next key is at the processor: made in time that this database has lost. For which
 * alert is not known, so it is booked for the alert that asks, or for another one, where it fits what is
 * missing there; else as somebody else's, which answers what is still missing.
 */
async function bookForgotten(
  trx: Trx,
  ledger: Ledger,
  { charge, reading, alertId = null, capabilities = CAUTIOUS_CAPABILITIES, now }: OpenContext,
): Promise<Ledger> {
  if (reading === undefined || alertId === null) return ledger;
  const round = nextRound(ledger.movements.filter(isOurs));
  const { forgotten } = readingChanges(ledger, reading.charge, movementKey(charge, round));
  const { disputeId: own } = claimOfAlert(ledger, alertId);
  if (forgotten === undefined || own === null) return ledger;
  const disputeId = disputeLacking(ledger, forgotten.amountMinor, own);
  if (disputeId === undefined) {
    const observed = [observedOf(ledger, forgotten)];
    return await writeObserved(trx, ledger, { observed, charge, now });
  }
  const isPending = forgotten.status === 'pending';
  const isWatched = isPending || capabilities.asyncRefunds;
  await insertMovement(trx, {
    charge,
    kind: 'refund',
    state: isPending ? 'PENDING' : 'CONFIRMED',
    disputeId,
    alertId,
    round,
    amountMinor: forgotten.amountMinor,
    currency: forgotten.currency,
    processorReference: forgotten.reference,
    sentThrough: reading.sentThrough ?? null,
    nextActionAt: isWatched ? now : null,
    what: 'found at the processor under our key; not sent again',
    now,
  });
  return await readLedger(trx, charge);
}

/** The dispute that lacks as much: the one that asks, before any other. */
function disputeLacking(ledger: Ledger, amountMinor: number, own: string): string | undefined {
  const fits = ledger.disputes.filter((each) => missingMinor(ledger, each) >= amountMinor);
  return (fits.find(({ id }) => id === own) ?? fits[0])?.id;
}
