/** Payments in a file that another order has already: they stay that order's, and the line is refused. */
import type { Trx } from '../base/db/database.ts';
import type { IntakeContext } from './intake-context.ts';
import type { IntakeResult } from './intake-result.ts';
import type { OrderKey } from './nested-reference.store.ts';
import { findPaymentOwners } from './nested-reference.store.ts';
import type { OrderBody } from './order-body.ts';

export function keyOfOrder(context: IntakeContext, order: OrderBody): OrderKey {
  return {
    organisationId: context.organisationId,
    integrationId: order.integration_id,
    referenceId: order.reference_id,
  };
}

/** The submissions that are refused for it; none where orders do not come from a file. */
export async function claimedPayments<Submission extends { readonly order: OrderBody }>(
  trx: Trx,
  context: IntakeContext,
  submissions: readonly Submission[],
): Promise<ReadonlyMap<Submission, IntakeResult>> {
  if (context.firstLineOf === undefined) return new Map();
  const ownerOf = await findPaymentOwners(
    trx,
    submissions.map(({ order }) => ({
      key: keyOfOrder(context, order),
      payments: (order.transactions ?? []).map(({ reference_id: reference }) => reference),
    })),
  );
  const refused = submissions.flatMap((submission) => {
    const { order } = submission;
    const problems = (order.transactions ?? []).flatMap(({ reference_id: reference }, index) => {
      const owner = ownerOf(keyOfOrder(context, order), reference);
      if (owner === undefined || owner === order.reference_id) return [];
      const problem = `belongs to order ${owner} already; a payment belongs to one order`;
      return [{ field: `transactions[${index}].reference_id`, problem }];
    });
    const referenceId = order.reference_id;
    return problems.length === 0
      ? []
      : [[submission, { kind: 'refused', referenceId, problems }] as const];
  });
  return new Map(refused);
}
