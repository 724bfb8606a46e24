/** How a provider may misbehave, for what is tried against it. */

/** How a provider may misbehave while it answers one refund. */
export const FAULT_KINDS = [
  'http_401',
  'http_403',
  'http_408',
  'http_409',
  'http_429',
  'http_500',
  'http_503',
  'html',
  'truncated',
  'empty',
  'connection_lost',
  'no_answer',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault: what the provider does, to which requests, and whether it executes them first. */
export interface ConformanceFault {
  readonly kind: FaultKind;
  /** Only the request that asks for the refund, or everything that is read. */
  readonly on: 'refund' | 'reading';
  readonly executes: boolean;
}
