/**
 * The findings of the comparison with the processor, by kind: how bad each is, and what is done.
 */
import type { ComparisonKind } from './book-comparison.ts';
import type { FindingRule } from './record-finding.ts';
import { lookAtRefundAgain } from './repair.store.ts';

export const COMPARISONS = {
  declared_without_money: {
    severity: 'error',
    nextStep:
      'The service shows this alert as refunded, and the processor shows no refund. Refund the customer at the processor now: a dispute will follow otherwise.',
    notifies: true,
  },
  refund_not_at_processor: {
    severity: 'error',
    nextStep:
      'Our books hold a confirmed refund that the processor does not show. Look the charge up at the processor; do not declare the alert as refunded before the money is there.',
    notifies: true,
  },
  refund_failed_at_processor: {
    severity: 'error',
    nextStep:
      'The processor shows our refund as failed. It is put under watch again, which marks it as reversed; refund the customer by another way if it was declared.',
    notifies: true,
    repairs: [lookAtRefundAgain],
  },
  refund_not_booked: {
    severity: 'error',
    nextStep:
      'The processor shows a refund under our key that our books call refused or do not know. The money has moved: answer the alert as refunded in the dashboard, and refund nothing more on this charge.',
    notifies: true,
  },
  refunded_twice: {
    severity: 'error',
    nextStep:
      'More went back on this charge than was owed. Compare the refunds at the processor; cancel one that is still pending, otherwise claim the rest from the customer.',
    notifies: true,
  },
  refund_amount_differs: {
    severity: 'error',
    nextStep:
      'The refund at the processor has another amount or currency than our books or the alert. Compare the three and refund the rest at the processor where the customer is owed more.',
    notifies: true,
  },
  refunded_but_open: {
    severity: 'error',
    nextStep:
      'The customer has the money back and the alert still waits for an answer. Decide REFUND on it: nothing more is moved, and the service is told.',
    notifies: true,
  },
  rdr_and_refund_elsewhere: {
    severity: 'error',
    nextStep:
      'The network refunded this charge, and somebody refunded it at the processor too. Cancel the refund if it is pending; otherwise contest the network refund with its reference.',
    notifies: true,
  },
  disputed_after_refund: {
    severity: 'error',
    nextStep:
      'The bank disputes a charge that went back already. Answer the dispute at the processor before it is due, with the refunds as proof.',
    notifies: true,
  },
  charge_unknown: {
    severity: 'error',
    nextStep:
      'The processor does not know the charge on which our books hold a refund. Check that FORESTALL_PROCESSOR reaches the account on which the payment was made.',
    notifies: true,
  },
} as const satisfies Record<ComparisonKind, FindingRule>;

/** Every kind, in the order of the table. */
export const COMPARISON_KINDS = Object.keys(COMPARISONS).filter(isComparisonKind);

function isComparisonKind(kind: string): kind is ComparisonKind {
  return Object.hasOwn(COMPARISONS, kind);
}
