/** The id of an event of the stream: the same in the log, in a delivery and in an export. */
import { createHash } from 'node:crypto';

/** What an event is told from others by. */
export interface EventIdentity {
  /** The position of the event in the stream of its organisation. */
  readonly seq: number;
  readonly type: string;
  readonly at: Date;
  readonly subject: string;
}

/**
 * Of what the event is, not of its position alone: after a database was put back to an earlier state another event may have
 * the position, and a receiver that knows ids it had must not take the one for the other.
 */
export function eventIdOf(
  organisationId: string,
  { seq, type, at, subject }: EventIdentity,
): string {
  const said = JSON.stringify([organisationId, seq, type, at.toISOString(), subject]);
  return `evt_${createHash('sha256').update(said).digest('base64url').slice(0, 24)}`;
}
