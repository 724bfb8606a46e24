/** Rows of credit claims: alerts whose price can be claimed back from the provider. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedText,
  describeTable,
  identity,
  json,
  moment,
  text,
} from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    credit_claim: RowOf<typeof creditClaim>;
    credit_due: RowOf<typeof creditDue>;
  }
}

/** Why an alert should not be paid, in words for people. The order is the order of precedence. */
export const CREDIT_CLASSES = {
  INVALID: 'withdrawn or invalid',
  NOT_OURS: 'not our transaction',
  DUPLICATE: 'reported twice by one network',
  OTHER_NETWORK: 'reported before by the other network',
  CHARGED_BACK: 'already charged back',
  ALREADY_REFUNDED: 'already refunded',
  NOT_CAPTURED: 'declined or never captured',
  NOT_FOUND: 'no such transaction found',
} as const;

export type CreditClass = keyof typeof CREDIT_CLASSES;

export const CLASS_NAMES = Object.keys(CREDIT_CLASSES).filter(isCreditClass);

/** Whether `value` names one. */
export function isCreditClass(value: unknown): value is CreditClass {
  return typeof value === 'string' && Object.hasOwn(CREDIT_CLASSES, value);
}

/** What a person may make of a claim, by the state that it is in. `EXPIRED` is also reached by time. */
export const CLAIM_MOVES = {
  OPEN: ['SENT', 'GRANTED', 'REFUSED', 'EXPIRED'],
  SENT: ['GRANTED', 'REFUSED', 'EXPIRED', 'OPEN'],
  GRANTED: ['REFUSED'],
  REFUSED: ['SENT', 'GRANTED'],
  EXPIRED: ['SENT', 'GRANTED'],
} as const satisfies Record<string, readonly string[]>;

export type ClaimState = keyof typeof CLAIM_MOVES;

export const CLAIM_STATES = Object.keys(CLAIM_MOVES).filter(isClaimState);

function isClaimState(value: string): value is ClaimState {
  return Object.hasOwn(CLAIM_MOVES, value);
}

/** A row of ours that shows why. No row holds words of a customer. */
export interface EvidenceRow {
  readonly table:
    | 'alert'
    | 'declaration'
    | 'movement'
    | 'charge_account'
    | 'match'
    | 'representment';
  readonly id: string;
  /** ISO 8601; null where the row has no moment. */
  readonly at: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** What it shows, in our own words. */
  readonly shows: string;
}

export const creditClaim = describeTable({
  name: 'credit_claim',
  purpose: 'alerts whose price can be claimed back',
  keep: CASE_DAYS,
  old: 'found_at',
  columns: {
    alert_id: text(),
    class: text<CreditClass>(),
    /** The enrolment type that the alert came through. */
    network: text().nullable,
    evidence: json<readonly EvidenceRow[]>().personal,
    /** The rule of the file of windows; null: none names an end. */
    window_rule: text().nullable,
    claim_until: moment().nullable,
    state: defaultedText<ClaimState>(),
    /** The provider's reference. */
    reference: text().personal.nullable,
    note: text().personal.nullable,
    alerted_at: moment(),
    found_at: moment(),
    changed_at: moment(),
    changed_by: text(),
  },
});

export type CreditClaimRow = Selectable<RowOf<typeof creditClaim>>;

/** Alerts to be judged again; the database adds them as cases close and money shows. */
export const creditDue = describeTable({
  name: 'credit_due',
  purpose: 'alerts to be judged for a claim',
  keep: 'current',
  columns: { id: identity(), alert_id: text() },
});
