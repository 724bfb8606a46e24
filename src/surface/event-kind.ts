/**
 * A kind of Forestall's own events, described once: what its data holds, what it says to people. The database writes the
 * events (`migrations/0054_events.sql`); types, JSON Schema, the reference page and the tests come from the description.
 */
import { z } from 'zod';
import type { Money } from '../base/kernel/money.ts';
import { formatMoney } from '../base/kernel/money.ts';

/** Fields may be added to a version; none changes its meaning. */
export const EVENT_VERSION = '2026-12-01';

/** An event as programs get it: the same in the log, in a delivery and in a handler. */
export interface EventBody {
  /** The same each time the event is read or sent. */
  readonly id: string;
  readonly type: string;
  readonly version: typeof EVENT_VERSION;
  /** When it happened; ISO 8601 UTC. */
  readonly timestamp: string;
  /** In the stream of its organisation, without gaps. */
  readonly position: number;
  readonly organisation_id: string;
  readonly alert_id: string | null;
  readonly merchant_id: string | null;
  /** For people. */
  readonly sentence: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventKind {
  /** For example `refund.confirmed`. Never given another meaning. */
  readonly type: string;
  /** When there is one, for the reference. */
  readonly says: string;
  readonly data: z.ZodType;
  /** The sentence for people. What the data lacks is left out. */
  sentence(data: unknown): string;
}

/** The same with the type of its data. */
export interface DescribedKind<Type extends string, Data extends z.ZodType> extends EventKind {
  readonly type: Type;
  readonly data: Data;
}

export function describeEventKind<const Type extends string, Data extends z.ZodType>(kind: {
  readonly type: Type;
  readonly says: string;
  readonly data: Data;
  readonly sentence: (data: z.infer<Data>) => string;
}): DescribedKind<Type, Data> {
  const { type, says, data, sentence } = kind;
  return {
    type,
    says,
    data,
    sentence(given): string {
      const read = data.safeParse(given);
      return read.success ? sentence(read.data) : `${type} was noted.`;
    },
  };
}

/** Where data says nothing: null. */
export const maybe = <Type extends z.ZodType>(type: Type): z.ZodNullable<Type> => type.nullable();

const moment = z.iso.datetime({ offset: true });

/** Fields that several kinds have. Fields may be added to any kind: they are let through. */
export const FIELDS = {
  /** Of the service. A claim for a refund without an alert has an id of its own here. */
  alert_id: z.string(),
  alert_type: maybe(z.string()),
  charge_reference: z.string().optional(),
  order_reference: maybe(z.string()).optional(),
  amount_minor: maybe(z.int()),
  currency: maybe(z.string()),
  moment,
  maybeMoment: maybe(moment),
} as const;

/** ` of 29.00 USD`, or nothing. */
export function ofAmount(data: {
  readonly amount_minor: number | null;
  readonly currency: string | null;
}): string {
  const money = moneyOf(data);
  return money === undefined ? '' : ` of ${formatMoney(money)}`;
}

function moneyOf({
  amount_minor: amountMinor,
  currency,
}: {
  readonly amount_minor: number | null;
  readonly currency: string | null;
}): Money | undefined {
  return amountMinor === null || currency === null ? undefined : { amountMinor, currency };
}

/** ` for order 1001`, or nothing. */
export function forOrder({
  order_reference: order,
}: {
  readonly order_reference?: string | null | undefined;
}): string {
  return typeof order === 'string' ? ` for order ${order}` : '';
}

/** What events of these kinds hold, by type. */
export type DataByType<Kind extends EventKind> = {
  readonly [Each in Kind as Each['type']]: z.infer<Each['data']>;
};
