/** What a pack is made from: all our rows about the payment of a contested dispute. */

import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import type { OrderBody } from '../../orders/order-body.ts';
import type { KeptDocument } from './documents/in-force.ts';
import type { RepresentmentRow } from './representment-list.store.ts';
import type { ShownCharge, Standing } from './standing.ts';

export type SubscriptionPart = NonNullable<OrderBody['subscriptions']>[number];

/** Another payment of the same customer. */
export interface OwnPayment {
  readonly reference: string;
  readonly orderReference: string;
  /** ISO 8601. */
  readonly authorisedAt: string;
  /** What it took; where that is not known, what the order says. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly standing: Standing;
  /** The processor was asked about it. */
  readonly isShown: boolean;
  /** An alert, a representment, a notice, revoked or not, or the processor ever spoke of a complaint. */
  readonly isDisputed: boolean;
  /** Money went back, or may have, or is on its way. */
  readonly isRefunded: boolean;
}

export interface PackFacts {
  readonly representment: RepresentmentRow;
  readonly charge: ChargeRecord | undefined;
  /** The charge as the processor last showed it. */
  readonly shown: ShownCharge | undefined;
  readonly order: KnownOrder | undefined;
  readonly movements: readonly MovementRow[];
  /** The customer's other payments, newest first. */
  readonly payments: readonly OwnPayment[];
  /** Subscriptions in the customer's other orders. */
  readonly subscriptions: readonly SubscriptionPart[];
  /** Documents of the library that speak of this purchase. */
  readonly documents: readonly KeptDocument[];
  /** YYYY-MM-DD; null: neither order nor charge says one. */
  readonly purchaseDay: string | null;
  /** We, or the service, ended a subscription because of an alert about this charge. */
  readonly isEnded: boolean;
  /** When it was read: what lies after it has not happened. */
  readonly now: Date;
}
