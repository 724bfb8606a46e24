/**
 * What an answer says in its note, and how our own note is told from a person's.
 */
import type { RefundRow } from '../refund/refund.store.ts';

/** Notes are shown to the network's people: short, no customer data. */
const NOTE_CHARACTERS_MAX = 200;

/** The note of a declared refund: our reference, or whose refund it was. */
export function refundNote(refund: RefundRow): string {
  if (refund.kind === 'void') return 'authorisation voided';
  const note =
    refund.state === 'EXTERNAL'
      ? `already refunded ${refund.external_reference ?? refund.charge_reference}`
      : `refund ${refund.processor_reference ?? refund.id}`;
  return note.slice(0, NOTE_CHARACTERS_MAX);
}

/** The note of an accepted dispute when nothing more precise was found. */
export const ACCEPT_NOTE = 'not refunded';

/** Notes of an accepted dispute, by what was found at the processor. */
export const ACCEPT_NOTES = {
  charged_back: 'already charged back',
  declined: 'payment was declined',
  disputed: 'dispute open already',
  never_captured: 'payment was never captured',
} as const;
