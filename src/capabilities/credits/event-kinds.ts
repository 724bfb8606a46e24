/** The events of credits: the database writes one as a claim opens. */
import { z } from 'zod';
import type { DataByType } from '../../surface/event-kind.ts';
import { describeEventKind, FIELDS, maybe } from '../../surface/event-kind.ts';
import { CREDIT_CLASSES, isCreditClass } from './credit-claim.table.ts';

export const creditClaimable = describeEventKind({
  type: 'credit.claimable',
  says: 'The price of an alert can be claimed back. Again when the reason or the window changes.',
  data: z.looseObject({
    alert_id: FIELDS.alert_id,
    alert_type: FIELDS.alert_type,
    reason: z.string(),
    network: maybe(z.string()),
    claim_until: FIELDS.maybeMoment,
  }),
  sentence: ({ alert_id: alertId, reason }) =>
    `The price of alert ${alertId} can be claimed back: ${isCreditClass(reason) ? CREDIT_CLASSES[reason] : reason}.`,
});

export type CreditEvents = DataByType<typeof creditClaimable>;
