/**
 * What an answer says in its note, and how our own note is told from a person's.
 */
import type { Movement } from './ledger.ts';
import { isOurs } from './ledger.ts';

/** Notes are shown to the network's people: short, no customer data. */
const NOTE_CHARACTERS_MAX = 200;

/** The note of a declared refund: our reference, or whose refund it was. */
export function refundNote(movement: Movement | undefined, chargeReference: string): string {
  if (movement?.kind === 'void') return 'authorisation voided';
  const note =
    movement !== undefined && isOurs(movement)
      ? `refund ${movement.reference ?? movement.id}`
      : `already refunded ${movement?.reference ?? movement?.alertId ?? chargeReference}`;
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
  not_ours: 'not our transaction',
} as const;
