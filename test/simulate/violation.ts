/** What a simulation ends with when a promise was broken. */

/** A broken invariant: its short name, and what was seen. */
export class Violation extends Error {
  /** For example `I1`, or `books`. */
  readonly rule: string;
  /** The alert or charge it is about. */
  readonly subject: string | undefined;

  constructor(rule: string, message: string, subject?: string) {
    super(`${rule}: ${message}`);
    this.name = 'Violation';
    this.rule = rule;
    this.subject = subject;
  }
}
