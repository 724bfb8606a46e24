/**
 * Named moments at which a test may end the process or break its connections.
 *
 * A no-op unless a test installs a hook with {@link setCrashHook}, or a child process is started by
 * the crash suite, which installs one in its entry file. A point is named after what has just happened.
 */

/** Every point. */
export type CrashPoint =
  | 'delivery.read'
  | 'delivery.stored'
  | 'event.kept'
  | 'event.stored'
  | 'event.woken'
  | 'claim.examined'
  | 'claim.taken'
  | 'decision.made'
  | 'refund.examined'
  | 'refund.marked_sent'
  | 'refund.cleared'
  | 'refund.answered'
  | 'refund.understood'
  | 'refund.settled'
  | 'acceptance.examined'
  | 'acceptance.stored'
  | 'declaration.marked_sent'
  | 'declaration.answered'
  | 'declaration.understood'
  | 'declaration.finished'
  | 'evidence.file_staged'
  | 'evidence.staged'
  | 'evidence.marked_sent'
  | 'evidence.answered'
  | 'evidence.noted'
  | 'orders.answered'
  | 'orders.created_stored'
  | 'move.begun'
  | 'move.arriving'
  | 'move.copied_some'
  | 'move.copied'
  | 'move.closing'
  | 'move.fenced'
  | 'move.closed'
  | 'move.repaired'
  | 'move.verified'
  | 'move.switched'
  | 'move.arrived'
  | 'move.forgotten_some'
  | 'move.undone_some';

/** Called at every crash point; may throw, exit or wait. */
export type CrashHook = (point: CrashPoint) => void | Promise<void>;

let hook: CrashHook | undefined;

/** Installs the hook, or removes it with `undefined`. For tests only. */
export function setCrashHook(next: CrashHook | undefined): void {
  hook = next;
}

/** Marks a point, for example `await crashPoint('refund.answered')`. */
export async function crashPoint(point: CrashPoint): Promise<void> {
  if (hook !== undefined) await hook(point);
}
