/**
 * The prevention programmes an order can be ready for, and which of them the merchant has.
 *
 * `FORESTALL_PROGRAMMES` names them, separated by commas. An order that lacks a field of a named
 * programme is held before it is sent, because most fields cannot be added later. A question mark
 * after a name (`compelling-evidence?`) reports the gap and sends the order anyway.
 */
import { ConfigError } from '../base/kernel/errors.ts';

/** Every programme, in the order of the specification's table. */
export const PROGRAMMES = [
  'alerts',
  'receipt-neta',
  'receipt-netb',
  'first-party-trust',
  'compelling-evidence',
  'merchant-information',
] as const;
export type Programme = (typeof PROGRAMMES)[number];

/** What a person reads. */
export const PROGRAMME_TITLES: Readonly<Record<Programme, string>> = {
  alerts: 'Alert matching and RDR',
  'receipt-neta': 'Digital receipt, first network',
  'receipt-netb': 'Digital receipt, second network',
  'first-party-trust': 'First-party trust',
  'compelling-evidence': 'Compelling evidence',
  'merchant-information': 'Merchant information',
};

/** Which programmes the merchant has. */
export interface ProgrammePolicy {
  /** An order that is not ready for one of these is held. */
  readonly required: readonly Programme[];
  /** Reported only. */
  readonly reported: readonly Programme[];
}

/** Nothing is held. */
export const NO_PROGRAMMES: ProgrammePolicy = { required: [], reported: [] };

/**
 * Reads the words of `FORESTALL_PROGRAMMES`.
 *
 * @throws {ConfigError} when a word is no programme
 */
export function parseProgrammes(words: readonly string[]): ProgrammePolicy {
  const required = new Set<Programme>();
  const reported = new Set<Programme>();
  for (const word of words) {
    const name = word.trim().toLowerCase().replaceAll('_', '-').replace(/\?$/, '');
    const programme = PROGRAMMES.find((known) => known === name);
    if (programme === undefined) {
      throw new ConfigError(
        `FORESTALL_PROGRAMMES names what is no programme. Use ${PROGRAMMES.join(', ')}, each with a question mark to report only.`,
      );
    }
    (word.trim().endsWith('?') ? reported : required).add(programme);
  }
  return { required: [...required], reported: [...reported].filter((name) => !required.has(name)) };
}
