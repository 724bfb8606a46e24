import type { z } from 'zod';

/** One operation: what is sent, what is answered, and what it is for. */
export interface Operation {
  readonly tag: 'Alerts' | 'Charges' | 'Reviews' | 'Operations' | 'Orders';
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Answers by status, those that refuse left out. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** Refusals besides 400, 401, 403 and 405. */
  readonly refusals?: readonly (404 | 409 | 422)[];
}
