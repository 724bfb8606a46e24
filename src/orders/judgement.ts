/**
 * What pre-flight means for an order's row. Pure.
 */
import type { OrderBody } from './order-body.ts';
import type { ProgrammePolicy } from './programme.ts';
import { assessOrder, holdReason } from './readiness.ts';

/** The columns of `order_record` that pre-flight decides. */
export interface Judgement {
  readonly state: 'HELD' | 'WAITING';
  readonly reason: string | null;
  readonly ready: string[];
  readonly missing: string;
  readonly warnings: string;
}

/** Judges an order that was not sent yet. */
export function judgement(body: OrderBody, programmes: ProgrammePolicy): Judgement {
  const readiness = assessOrder(body);
  const reason = holdReason(readiness, programmes);
  return {
    state: reason === undefined ? 'WAITING' : 'HELD',
    reason: reason ?? null,
    ready: [...readiness.ready],
    missing: JSON.stringify(readiness.missing),
    warnings: JSON.stringify(readiness.warnings),
  };
}
