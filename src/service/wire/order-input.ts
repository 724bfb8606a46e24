/**
 * An order, and a change of one, as a program hands them over: inferred from the schemas of the interface, so that an
 * editor offers the fields and a misspelt one does not compile.
 *
 * Narrower than what is read on purpose: a field that the interface does not name is sent anyway, but a program
 * that means it says so by {@link uncheckedOrder}.
 */
import type { z } from 'zod';
import type { anyJson } from './fields.ts';
import type { OrderDelivery, OrderItem, OrderSubscription } from './order-parts.ts';
import type { CompleteOrder, PartialOrder } from './order-request.ts';
import type { OrderDeliveryUpdate, OrderSubscriptionUpdate, OrderUpdate } from './order-update.ts';

/** The fields that have a name: a loose schema lets every other one through. */
export type Named<Part> = {
  [Name in keyof Part as string extends Name ? never : Name]: Part[Name];
};

/** A value as it may be given, where a field that is not there may be `Absent` too. */
export type Given<Value, Absent> = [z.infer<typeof anyJson>] extends [Value]
  ? Value
  : Value extends readonly (infer Entry)[]
    ? readonly Given<Entry, Absent>[]
    : Value extends object
      ? GivenPart<Value, Absent>
      : Value;

/** The fields of a part as they may be given. */
export type GivenPart<Part, Absent> = {
  readonly [Name in keyof Named<Part>]: undefined extends Named<Part>[Name]
    ? Given<Exclude<Named<Part>[Name], undefined>, Absent> | Absent
    : Given<Named<Part>[Name], Absent>;
};

/** Most systems write null for what is not there. */
export type Absent = null | undefined;

/** Fields of digital goods: the interface names their beginning only. */
export type DigitalFields = { readonly [field: `digital_${string}`]: unknown };
/** Fields about a trial: the interface names a word of them only. */
export type TrialFields = {
  readonly [field: `trial_${string}` | `${string}_trial` | `${string}_trial_${string}`]: unknown;
  readonly trial?: unknown;
};

/** Without a reference the entry is `<order>:<its place>`. */
export type Numbered<Part extends { readonly reference_id: string }> = Omit<
  Part,
  'reference_id'
> & {
  readonly reference_id?: string | Absent;
};

/** A line of an order. `reference_id` may be left out. */
export type OrderItemInput = Numbered<GivenPart<OrderItem, Absent>>;

/** A delivery of an order. `reference_id` may be left out; the fields of digital goods are `digital_…`. */
export type OrderDeliveryInput = Numbered<GivenPart<OrderDelivery, Absent>> & DigitalFields;

/** A subscription that an order belongs to. */
export type OrderSubscriptionInput = GivenPart<OrderSubscription, Absent> & TrialFields;

/** An order of one type, without what the installation knows of itself. */
export type Handed<Order extends CompleteOrder | PartialOrder> = GivenPart<
  Omit<
    Order,
    'type' | 'organisation_id' | 'integration_id' | 'items' | 'deliveries' | 'subscriptions'
  >,
  Absent
> & {
  /** The installation's, where it is left out; another one is refused. */
  readonly organisation_id?: string | Absent;
  /** `int_…`; the one of the options, where it is left out. */
  readonly integration_id?: string | Absent;
  readonly items?: readonly OrderItemInput[] | Absent;
  readonly deliveries?: readonly OrderDeliveryInput[] | Absent;
  readonly subscriptions?: readonly OrderSubscriptionInput[] | Absent;
};

/**
 * An order as it is handed over. Amounts are in minor units, moments ISO 8601 with an offset. `PARTIAL` enriches a
 * payment that an integration with a processor knows already.
 */
export type OrderInput =
  | (Handed<CompleteOrder> & { readonly type?: 'COMPLETE' | Absent })
  | (Handed<PartialOrder> & { readonly type: 'PARTIAL' });

/** A change of an order: what the service's update takes, and of each entry only what changes. */
export type OrderChangeInput = GivenPart<
  Omit<OrderUpdate, 'deliveries' | 'subscriptions'>,
  undefined
> & {
  readonly deliveries?:
    | readonly (GivenPart<OrderDeliveryUpdate, undefined> & DigitalFields)[]
    | undefined;
  readonly subscriptions?:
    | readonly (GivenPart<OrderSubscriptionUpdate, undefined> & TrialFields)[]
    | undefined;
};

/**
 * An order whose fields were not known when the program was compiled: a request's body, or one with fields of your own.
 * Nothing is looked at here. `accept` looks at every order, and refuses one that cannot be stored.
 */
export function uncheckedOrder(order: unknown): OrderInput {
  return order as OrderInput;
}
