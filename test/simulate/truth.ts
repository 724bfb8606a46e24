/**
 * What the simulation knows and our processes do not: which charge and which complaint an alert is
 * really about, and what went back beside the processor.
 */
export interface Truth {
  /** Alert → charge; null: the processor has no such charge. */
  readonly chargeOf: Map<string, string | null>;
  /** Alert → complaint; alerts of one complaint have one name. */
  readonly disputeOf: Map<string, string>;
  /** RDR alerts. */
  readonly rdr: Set<string>;
  /** Charge → what the network paid back, in minor units. */
  readonly networkMinor: Map<string, number>;
  /** Charge → the most that the network ever said so: news of its taking money back may be lost. */
  readonly networkMostMinor: Map<string, number>;
  /** Charge → what people returned by another way. */
  readonly outsideMinor: Map<string, number>;
  /** What people said went back by another way, and who said it. */
  readonly saidOf: Map<string, Set<string>>;
  /** Alerts accepted by a person who was told that a part had gone back. */
  readonly despite: Set<string>;
  /** Charges of which a refund was turned around after it had succeeded. */
  readonly turned: Set<string>;
}

export function createTruth(): Truth {
  return {
    chargeOf: new Map(),
    disputeOf: new Map(),
    rdr: new Set(),
    networkMinor: new Map(),
    networkMostMinor: new Map(),
    outsideMinor: new Map(),
    saidOf: new Map(),
    despite: new Set(),
    turned: new Set(),
  };
}

/** Adds to an amount of a charge; `minor` may be negative. */
export function addMinor(amounts: Map<string, number>, reference: string, minor: number): void {
  amounts.set(reference, (amounts.get(reference) ?? 0) + minor);
}

/** What went back on a charge beside the processor, as anybody could have heard of it. */
export function elsewhereMinor(truth: Truth, reference: string): number {
  return (truth.networkMostMinor.get(reference) ?? 0) + (truth.outsideMinor.get(reference) ?? 0);
}
