/**
 * The port through which messages reach people. An adapter sends one message, or throws a
 * {@link ChannelError} that says in a word why not; it never retries, never throttles and never logs.
 */
import { codeOf } from '../kernel/errors.ts';
import { toldWords } from '../kernel/told-words.ts';
import type { Severity } from './notification.table.ts';

/** A message ready to be sent. */
export interface OutgoingMessage {
  /** The same at every attempt, so that a receiver can tell a repeat. */
  readonly id: string;
  readonly kind: string;
  readonly severity: Severity;
  /** Plain language, with the next step. */
  readonly text: string;
  /** The name of the organisation that it is about, where there are several. */
  readonly organisation: string | null;
  readonly alertId: string | null;
  /** The page in the console where something can be done about it. */
  readonly link: string | null;
  readonly createdAt: Date;
}

/** One way to people. */
export interface Channel {
  /** Shown in logs and in `forestall notify test`: `slack`, `webhook` or `email`. */
  readonly name: string;
  /** @throws {ChannelError} when the message did not arrive, as far as one can know */
  send(message: OutgoingMessage): Promise<void>;
  /**
   * Tries the way without a message: the name, the handshake, and for e-mail the sign-in. Undefined: it cannot be tried.
   *
   * @throws what was in the way
   */
  reach?(timeoutMs: number): Promise<void>;
}

/** Why a message did not arrive. Its message is a code: never an address, never a secret. */
export class ChannelError extends Error {}

/** The failure in a word. */
export function failureOf(error: unknown): string {
  return error instanceof ChannelError ? error.message : toldWords(codeOf(error) ?? 'no answer');
}
