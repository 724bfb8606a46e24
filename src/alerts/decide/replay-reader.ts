/** What reads along while past decisions are taken again under another policy: told of each, asked at the end. */
import type { Decision } from './decision.ts';
import type { DecisionFacts } from './facts.ts';

/** One past decision, and what the policy says of the same facts. */
export interface Replayed {
  readonly alertId: string;
  readonly facts: DecisionFacts;
  /** What was decided then, or what the policy it is compared with says. */
  readonly was: Pick<Decision, 'action'>;
  readonly is: Pick<Decision, 'action'>;
}

/** What it found: the same in the command, in JSON and in the console. */
export interface ReplayPart {
  readonly name: string;
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly says: string }[];
  readonly data: object;
}

export interface ReplayReader {
  add(replayed: Replayed): void;
  result(): ReplayPart;
}
