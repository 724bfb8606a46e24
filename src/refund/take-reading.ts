/**
 * Reads a charge at the processor for the ledger. "Not asked" and "not answered" are values of their
 * own: nothing irreversible may rest on them.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { readLedgerVersion } from '../ledger/ledger.store.ts';
import type { ChargeReading } from '../ledger/open-ledger.ts';
import type { Processor, ProcessorCapabilities } from './processor.ts';

/** What came of asking. */
export type ReadingAnswer =
  | {
      readonly kind: 'read';
      readonly reading: ChargeReading;
      readonly capabilities: ProcessorCapabilities;
    }
  /** The processor knows no such charge, or cannot be asked about charges at all. */
  | {
      readonly kind: 'absent' | 'not_offered';
      readonly capabilities: ProcessorCapabilities;
    }
  /** It did not answer. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** What reading works with. */
export interface ReadingDeps {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly processor: Pick<Processor, 'readCharge' | 'capabilities'>;
}

/** Asks about a charge. Never throws for an outcome. */
export async function takeReading(
  { db, clock, processor }: ReadingDeps,
  charge: ChargeKey,
  signal: AbortSignal,
): Promise<ReadingAnswer> {
  const version = await readLedgerVersion(db, charge);
  const [answer, capabilities] = await Promise.all([
    processor.readCharge(charge.chargeReference, signal),
    processor.capabilities(signal),
  ]);
  if (answer.kind === 'unavailable') return { kind: 'unavailable', reason: answer.reason };
  if (capabilities === undefined) {
    return { kind: 'unavailable', reason: 'the processor did not say what it offers' };
  }
  if (answer.kind !== 'found') return { kind: answer.kind, capabilities };
  const reading = { charge: answer.value, version, atMs: clock.nowMs() };
  return { kind: 'read', reading, capabilities };
}
