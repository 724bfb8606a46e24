/**
 * Finds the transaction an alert or lookup is about, by the three identifier combinations of the
 * specification, among the orders of integrations whose merchants overlap the enrolment's.
 */
import type { SandboxContext } from '../sandbox-context.ts';
import type { OrderTransaction } from '../state/orders.ts';
import type { TransactionIdentity } from './transaction-identity.ts';

export interface Identifiers {
  readonly merchant_ids: readonly string[];
  readonly transaction_acquirer_reference_number: string | null;
  readonly transaction_authorisation_code: string | null;
  readonly transaction_card_bin: string | null;
  readonly transaction_card_last4: string | null;
  readonly transaction_card_scheme: string | null;
  readonly transaction_amount_in_cents: number;
  readonly transaction_currency_code: string;
  readonly transaction_statement_descriptor: string | null;
}

export interface TransactionMatch {
  readonly integrationId: string;
  /** `reference_id` of the transaction. */
  readonly transactionReference: string;
  /** What the order says of the transaction. */
  readonly identity: Partial<TransactionIdentity>;
}

interface Candidate {
  readonly integrationId: string;
  readonly fields: OrderTransaction;
}

type Rule = (wanted: Identifiers, fields: OrderTransaction) => boolean;

/** (a), (b), (c) of the specification, the strongest first. */
const RULES: readonly Rule[] = [
  (wanted, fields): boolean =>
    same(wanted.transaction_acquirer_reference_number, fields.acquirer_reference_number),
  (wanted, fields): boolean =>
    same(wanted.transaction_authorisation_code, fields.authorisation_code) &&
    same(wanted.transaction_card_last4, fields.payment_method_card_last_4),
  (wanted, fields): boolean =>
    same(wanted.transaction_card_bin, fields.payment_method_card_bin) &&
    same(wanted.transaction_card_last4, fields.payment_method_card_last_4) &&
    same(wanted.transaction_card_scheme, fields.payment_method_card_brand) &&
    wanted.transaction_amount_in_cents === fields.amount_in_cents &&
    wanted.transaction_currency_code === fields.currency,
];

/** The one transaction that fits, or none: also none when several fit and no descriptor decides. */
export function findTransaction(
  context: SandboxContext,
  wanted: Identifiers,
): TransactionMatch | undefined {
  const candidates = candidatesOf(context, wanted.merchant_ids);
  for (const rule of RULES) {
    const fitting = candidates.filter(({ fields }) => rule(wanted, fields));
    if (fitting.length === 0) continue;
    const only = fitting.length === 1 ? fitting[0] : byDescriptor(fitting, wanted);
    if (only?.fields.reference_id === undefined) return undefined;
    return {
      integrationId: only.integrationId,
      transactionReference: only.fields.reference_id,
      identity: identityOf(only.fields),
    };
  }
  return undefined;
}

function identityOf(fields: OrderTransaction): Partial<TransactionIdentity> {
  const { acquirer_reference_number: arn, authorisation_code: code } = fields;
  const { payment_method_card_bin: bin, payment_method_card_last_4: last4 } = fields;
  return {
    ...(bin === undefined ? {} : { cardBin: bin }),
    ...(last4 === undefined ? {} : { cardLast4: last4 }),
    ...(arn === undefined ? {} : { acquirerReferenceNumber: arn }),
    ...(code === undefined ? {} : { authorisationCode: code }),
  };
}

function byDescriptor(fitting: readonly Candidate[], wanted: Identifiers): Candidate | undefined {
  const named = fitting.filter(({ fields }) =>
    same(wanted.transaction_statement_descriptor, fields.descriptor),
  );
  return named.length === 1 ? named[0] : undefined;
}

function candidatesOf(
  context: SandboxContext,
  merchantIds: readonly string[],
): readonly Candidate[] {
  const integrationIds = new Set(
    [...context.state.integrations.values()]
      .filter((integration) => integration.merchant_ids.some((id) => merchantIds.includes(id)))
      .map((integration) => integration.id),
  );
  const ordered = [...context.state.orders.values()].flatMap((order) =>
    (order.fields.transactions ?? []).map((fields) => ({
      integrationId: order.integration_id,
      fields,
    })),
  );
  const ingested = context.state.ingested.map(({ integration_id: integrationId, fields }) => ({
    integrationId,
    fields,
  }));
  return [...ordered, ...ingested].filter(({ integrationId }) => integrationIds.has(integrationId));
}

function same(wanted: string | null, given: string | undefined): boolean {
  return wanted !== null && wanted !== '' && wanted === given;
}
