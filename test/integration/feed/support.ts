/** Orders and an intake on a database of their own; nothing is sent. */

import { rematchWaiting } from '../../../src/alerts/match/waiting.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { acceptOrders } from '../../../src/orders/intake.ts';
import type { IntakeContext } from '../../../src/orders/intake-context.ts';
import type { ProgrammePolicy } from '../../../src/orders/programme.ts';
import type { OrderInput } from '../../../src/service/wire/order-input.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

export const ORGANISATION = 'org_shop';
export const INTEGRATION = 'int_shop';

export interface IntakeWorld {
  readonly database: TestDatabase;
  readonly clock: FixedClock;
  readonly context: IntakeContext & { db: TestDatabase['db'] };
  accept(...orders: unknown[]): ReturnType<typeof acceptOrders>;
}

export async function createIntakeWorld(programmes?: ProgrammePolicy): Promise<IntakeWorld> {
  const database = await createTestDatabase();
  const clock = createFixedClock('2026-11-21T08:00:00.000Z');
  const context = {
    db: database.db,
    organisationId: ORGANISATION,
    integrationId: INTEGRATION,
    clock,
    onCharges: rematchWaiting,
    ...(programmes === undefined ? {} : { programmes }),
  };
  return { database, clock, context, accept: (...orders) => acceptOrders(context, orders) };
}

export function makeOrder(
  reference: string,
  fields: Record<string, unknown> = {},
): OrderInput & Record<string, unknown> {
  const order: unknown = {
    reference_id: reference,
    order_datetime: '2026-11-20T10:00:00Z',
    order_number: reference,
    order_subtotal_amount_in_cents: 5_000,
    order_currency: 'JPY',
    order_total_amount_in_cents: 5_000,
    order_status: 'OPEN_PENDING',
    customer_email: 'shopper@example.com',
    device_id: 'device-1',
    transactions: [
      {
        reference_id: `ch-${reference}`,
        amount_in_cents: 5_000,
        currency: 'JPY',
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: '2026-11-20T10:00:01Z',
        authorisation_code: 'A1B2C3',
        payment_method_card_brand: 'SCHEME_A',
        payment_method_card_last_4: '4242',
      },
    ],
    items: [{ reference_id: 'LAMP', sku: 'LAMP', name: 'Lamp' }],
    ...fields,
  };
  return order as OrderInput & Record<string, unknown>;
}
