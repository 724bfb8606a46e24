/**
 * What identifies the transaction of an alert or lookup when nobody chose it.
 *
 * The tables of the specification say string for these, so they are null only on purpose. The values
 * follow from the record's id: a run with the same seed repeats them, and two records do not share one.
 */
import { createHash } from 'node:crypto';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from '../../service/wire/limits.ts';

export interface TransactionFacts {
  readonly cardBin: string;
  readonly cardLast4: string;
  readonly acquirerReferenceNumber: string;
  readonly authorisationCode: string;
}

/** Begins like no card in use, so that it is never taken for one. */
const BIN = '999999';

/** The facts of the record with this id. */
export function madeUpFacts(id: string): TransactionFacts {
  const digest = createHash('sha256').update(id).digest();
  const digits = Array.from(digest, (byte) => byte % 10).join('');
  return {
    cardBin: BIN,
    cardLast4: digits.slice(-4),
    acquirerReferenceNumber: digits.slice(0, ARN_LENGTH),
    authorisationCode: digest.toString('hex').slice(0, AUTHORISATION_CODE_LENGTH).toUpperCase(),
  };
}

/** What was chosen, null included, or else this. */
export function chosenOr(chosen: string | null | undefined, otherwise: string): string | null {
  return chosen === undefined ? otherwise : chosen;
}
