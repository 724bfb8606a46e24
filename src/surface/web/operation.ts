/** An operation of the JSON API as its OpenAPI document tells of it. */
import type { z } from 'zod';

/** Under which an operation is in the document. */
export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

export const API_TAGS = {
  alerts: {
    name: 'Alerts',
    description: 'Complaints of cardholders, and what is answered to them',
  },
  charges: { name: 'Charges', description: 'Payments, and the money that went back' },
  reviews: { name: 'Reviews', description: 'Alerts that wait for people' },
  operations: { name: 'Operations', description: 'Stopping money, findings, stored webhooks' },
  orders: { name: 'Orders', description: 'What is handed to the service about orders' },
} as const satisfies Readonly<Record<string, ApiTag>>;

/** Of an operation that may move money. */
export const MONEY_MAY_MOVE =
  'Money may move: the person who decides must have signed in recently.';

/** Statuses of refusals; 400, 401, 403 and 405 may come of any call. */
export type Refusal = 404 | 409 | 410 | 422;

/** What is sent, what is answered, and what it is for. */
export interface Operation {
  readonly tag: ApiTag;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** Answers by status, those that refuse left out. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** @default none besides those of any call */
  readonly refusals?: readonly Refusal[] | undefined;
}
