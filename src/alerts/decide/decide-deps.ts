/** What the steps of this stage work with. */
import type { Installation } from '../../base/db/database.ts';
import type { NamedMerchants } from '../cases/merchant.ts';
import type { EvidenceRules } from '../evidence/evidence-rules.ts';
import type { AskDeps } from '../ledger/charge-reading.ts';
import type { SamePartRule } from '../ledger/same-dispute.ts';
import type { LedgerDeps } from '../ledger/with-ledger.ts';
import type { RematchCase } from '../match/rematch.job.ts';
import type { Policy } from './policy.ts';

/** The order of a charge as we hold it, in the interface's own shape; undefined when we have none. */
export type FindOrder = (orderReference: string) => Promise<unknown>;

/** What gathering works with. */
export interface GatherDeps extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  readonly processor: AskDeps['processor'];
  /** What the same part of a charge, reported twice by one network, means. @default 'REVIEW' */
  readonly samePart?: SamePartRule;
  /** @default our own records */
  readonly findOrder?: FindOrder;
  readonly mode: 'live' | 'shadow';
  /** The type of the integration alerts are answered through. @default 'CUSTOM_ORDERS' */
  readonly integrationType?: string;
  /** What must be left before the deadline for a refund. @default GUARD_MS */
  readonly refundGuardMs?: number;
  /** What the schemes ask of evidence. @default the rules that come with this version */
  readonly evidence?: EvidenceRules | undefined;
  /** Whether to look at our list of blocked customers. @default there is no such list */
  readonly asksBlocked?: boolean;
}

/** What opening a ledger works with. */
export function ledgerDeps({ db, clock, processor, samePart = 'REVIEW' }: GatherDeps): LedgerDeps {
  return { db, clock, processor, samePart };
}

/** What deciding works with. */
export interface DecideDeps extends GatherDeps {
  /** The policy in force for an alert, asked at every decision, so that it may be replaced while running. */
  readonly currentPolicy: (alert: NamedMerchants) => Policy;
  /** A second policy, judged on the same facts and acted on never; null: none is set. */
  readonly policyBeside?: () => Policy | null;
  readonly rematch: RematchCase;
}
