/** A decision of the past, with the facts that it was taken from: what a policy can be tried on. */
import type { Decision } from '../alerts/decide/decision.ts';
import type { DecisionFacts } from '../alerts/decide/facts.ts';

/** A decision reduced to what is compared. */
export interface PastAnswer {
  readonly action: Decision['action'];
  readonly amountMinor: number | null;
  readonly fallback: 'REFUND' | 'ACCEPT_DISPUTE' | null;
  /** When the fallback fires; ISO 8601 UTC. */
  readonly fallbackAt: string | null;
  readonly rule: string | null;
  readonly guard: string | null;
}

/** What was decided about one alert, and from what. */
export interface PastDecision {
  readonly alertId: string;
  /** ISO 8601 UTC. */
  readonly decidedAt: string;
  readonly facts: DecisionFacts;
  readonly answer: PastAnswer;
}
