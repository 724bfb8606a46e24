/**
 * Reads a charge at the processor for the ledger. "Not asked" and "not answered" are values of their
 * own: nothing irreversible may rest on them.
 */
import type { Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type {
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
} from '../../service/wire/processor.ts';
import { wayTo } from '../cases/routed-processor.ts';
import type { ChargeKey, LedgerMark } from './ledger.store.ts';
import { readLedgerMark } from './ledger.store.ts';
import { movementKey } from './movement-key.ts';
import { REASON } from './movement-request.ts';

/** What the processor showed of a charge, and which ledger that was compared with. */
export interface ChargeReading {
  readonly charge: ProcessorCharge;
  /** Of the ledger, read before the processor was asked. */
  readonly version: number;
  readonly atMs: number;
  /** The merchant whose own processor showed it. @default the organisation's */
  readonly sentThrough?: string | null;
}

/** What came of asking. */
export type ChargeAnswer =
  | {
      readonly kind: 'read';
      readonly reading: ChargeReading;
      readonly capabilities: ProcessorCapabilities;
      readonly sentThrough: string | null;
      /** Its name. */
      readonly processor: string;
    }
  /** The processor knows no such charge, or cannot be asked about charges at all. */
  | {
      readonly kind: 'absent' | 'not_offered';
      readonly capabilities: ProcessorCapabilities;
      readonly sentThrough: string | null;
      /** Its name. */
      readonly processor: string;
    }
  /** It did not answer. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** What was read, for the ledger; undefined where nothing was. */
export function chargeReadingOf(answer: ChargeAnswer): ChargeReading | undefined {
  return answer.kind === 'read' ? answer.reading : undefined;
}

/** What reading works with. */
export interface AskDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly processor: Pick<Processor, 'name' | 'readCharge' | 'capabilities' | 'findRefund'>;
}

/** Asks about a charge. Never throws for an outcome. */
export async function askAboutCharge(
  deps: AskDeps,
  charge: ChargeKey,
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  const mark = await readLedgerMark(deps.db, charge);
  return await askAboutChargeAfter(deps, { charge, mark }, signal);
}

/** A charge, and its ledger's mark as it was just read: before the processor is asked. */
export interface MarkedCharge {
  readonly charge: ChargeKey;
  readonly mark: LedgerMark;
}

/** The same where the mark was read with something else. */
export async function askAboutChargeAfter(
  deps: Pick<AskDeps, 'clock' | 'processor'>,
  marked: MarkedCharge,
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  const way = await wayTo(deps.processor, marked.charge.chargeReference);
  return await readThrough(deps.clock, { ...marked, ...way }, signal);
}

type Way = Awaited<ReturnType<typeof wayTo<AskDeps['processor']>>>;

async function readThrough(
  clock: Clock,
  { charge, mark, processor, sentThrough }: MarkedCharge & Way,
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  const [answer, capabilities] = await Promise.all([
    processor.readCharge(charge.chargeReference, signal),
    processor.capabilities(signal),
  ]);
  if (answer.kind === 'unavailable') return { kind: 'unavailable', reason: answer.reason };
  if (capabilities === undefined) {
    return { kind: 'unavailable', reason: 'the processor did not say what it offers' };
  }
  const through = { capabilities, sentThrough, processor: processor.name };
  if (answer.kind !== 'found') return { kind: answer.kind, ...through };
  // What we moved on it is under another word: nothing here says how much is left to refund.
  if (mark.isRenamed === true) return { kind: 'absent', ...through };
  const { version } = mark;
  const reading = { charge: answer.value, version, atMs: clock.nowMs(), sentThrough };
  return { kind: 'read', reading, ...through };
}

/**
 * The same, and whether there is a refund under the key that a new request would carry: a restored
 * backup, or a second installation, meets its own refund there.
 */
export async function askAboutChargeWithKey(
  deps: AskDeps,
  marked: { readonly charge: ChargeKey; readonly mark?: LedgerMark | undefined },
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  const { charge, mark = await readLedgerMark(deps.db, charge) } = marked;
  const way = await wayTo(deps.processor, charge.chargeReference);
  const answer = await readThrough(deps.clock, { charge, mark, ...way }, signal);
  if (answer.kind !== 'read' || !answer.capabilities.canLookupByReference) return answer;
  // Another key that leaves meanwhile changes the ledger, and this reading is not used.
  const { nextRound } = mark;
  const shown = answer.reading.charge;
  const found = await way.processor.findRefund(
    {
      idempotencyKey: movementKey(charge, nextRound),
      chargeReference: charge.chargeReference,
      alertId: '',
      reason: REASON,
      amountMinor: shown.amountMinor,
      currency: shown.currency,
    },
    signal,
  );
  if (found.kind === 'unavailable') return { kind: 'unavailable', reason: found.reason };
  if (found.kind !== 'found') return answer;
  return { ...answer, reading: { ...answer.reading, charge: withRefund(shown, found.value) } };
}

function withRefund(
  charge: ProcessorCharge,
  refund: ProcessorCharge['refunds'][number],
): ProcessorCharge {
  const others = charge.refunds.filter(({ reference }) => reference !== refund.reference);
  return { ...charge, refunds: [...others, refund] };
}
