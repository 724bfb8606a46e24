/**
 * What the simulation knows and our processes do not: which charge an alert is really about, and what
 * the network refunded by itself.
 */
export interface Truth {
  /** Alert → charge; null: the processor has no such charge. */
  readonly chargeOf: Map<string, string | null>;
  /** RDR alerts. */
  readonly rdr: Set<string>;
  /** Charge → what the network paid back, in minor units. */
  readonly networkMinor: Map<string, number>;
  /** Alerts for which a person asked for a refund: their choice stands above an earlier answer. */
  readonly refundedByOperator: Set<string>;
  /** Charges of which a refund was turned around after it had succeeded. */
  readonly turned: Set<string>;
}

export function createTruth(): Truth {
  return {
    chargeOf: new Map(),
    rdr: new Set(),
    networkMinor: new Map(),
    refundedByOperator: new Set(),
    turned: new Set(),
  };
}
