/** What is wrong with a request. */

/** One fault of a request. */
export interface Fault {
  readonly code: string;
  /** What was wrong, and the next step. */
  readonly message: string;
  readonly field?: string | undefined;
}

/** A request that is refused before its handler, in the words of the fault. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly fault: Fault;

  constructor(status: number, fault: Fault) {
    super(fault.code);
    this.status = status;
    this.fault = fault;
  }
}
