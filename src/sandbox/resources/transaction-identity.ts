/**
 * What identifies the transaction of an alert or lookup when it was not chosen.
 *
 * The tables of the specification say string for these, so they are null only on purpose. The values
 * follow from the sandbox's seed and how many records of the kind came before: a run repeats them, and
 * two records share neither ARN nor authorisation code.
 */
import { createHash } from 'node:crypto';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from '../../service/wire/limits.ts';
import type { SandboxContext } from '../sandbox-context.ts';

export interface TransactionIdentity {
  readonly cardBin: string;
  readonly cardLast4: string;
  readonly acquirerReferenceNumber: string;
  readonly authorisationCode: string;
}

/** Begin like no card, acquirer or issuer in use, so that they are never taken for real ones. */
const BIN = '999999';
const LAST4 = '9999';
const ARN_START = '99999';
const CODE_START = 'X';

/** For the next alert or lookup. */
export function madeUpIdentity(
  context: SandboxContext,
  kind: 'alerts' | 'lookups',
): TransactionIdentity {
  const name = `${context.settings.seed}/${kind}/${context.state[kind].size}`;
  const digest = createHash('sha256').update(name).digest();
  const digits = Array.from(digest, (byte) => byte % 10).join('');
  const code = digest.toString('hex').toUpperCase();
  return {
    cardBin: BIN,
    cardLast4: LAST4,
    acquirerReferenceNumber: (ARN_START + digits).slice(0, ARN_LENGTH),
    authorisationCode: (CODE_START + code).slice(0, AUTHORISATION_CODE_LENGTH),
  };
}

/** What was chosen, null included, or else this. */
export function chosenOr(chosen: string | null | undefined, otherwise: string): string | null {
  return chosen === undefined ? otherwise : chosen;
}
