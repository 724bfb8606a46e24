/**
 * Nothing of one organisation lies at another: not in a row of ours, whatever the table, not at the service, and not in
 * what we asked it. Compared by ids, and by prices, whose last digit says whose they are.
 */
import type { ForeignRow } from '../support/foreign-rows.ts';
import { FOREIGN_ROWS } from '../support/foreign-rows.ts';
import type { Member } from './member.ts';
import { Violation } from './violation.ts';
import type { Wire } from './wire.ts';

/** How many names organisations had in common: without them the comparison would say nothing. */
export type InCommon = Readonly<Record<'charges' | 'orders' | 'alerts' | 'events', number>>;

const IN_COMMON = {
  charges: 'select charge_reference as name from alert_case where organisation_id = any($1)',
  orders: 'select reference_id as name from order_record where organisation_id = any($1)',
  alerts: 'select id as name from alert where organisation_id = any($1)',
  events: 'select event_id as name from inbox_id where organisation_id = any($1)',
} as const;

/** Looks at everything, on a connection that belongs to nobody. @throws Violation */
export async function checkNothingCrossed(
  raw: Wire,
  members: readonly Member[],
): Promise<InCommon | undefined> {
  if (members.length < 2) return undefined;
  const ids = members.map(({ organisationId }) => organisationId);
  const { rows: foreign } = await raw.query<ForeignRow>(FOREIGN_ROWS, [ids]);
  const [row] = foreign;
  if (row !== undefined) throw crossed(`a row of ${row.place} of ${row.id} names another`);
  for (const member of members) {
    checkOrders(member);
    await checkAlerts(raw, member);
  }
  return await countInCommon(raw, ids);
}

function crossed(text: string): Violation {
  return new Violation('crossed', text);
}

/** What we sent to the service of one are its own merchant's orders. */
function checkOrders({ sandbox, index, organisationId }: Member): void {
  for (const { id, fields } of sandbox.state.orders.values()) {
    const total = fields.order_total_amount_in_cents;
    if (typeof total === 'number' && total % 10 === index) continue;
    throw crossed(`the order ${id} at the service of ${organisationId} costs ${total}`);
  }
}

/** What we store of one is what its own service tells, and was told by it. */
async function checkAlerts(raw: Wire, { sandbox, organisationId }: Member): Promise<void> {
  const { alerts, events } = sandbox.state;
  const { rows } = await raw.query<{ id: string; minor: number | null }>(
    'select id, amount_minor as minor from alert where organisation_id = $1',
    [organisationId],
  );
  for (const { id, minor } of rows) {
    if (minor === (alerts.get(id)?.transaction_amount_in_cents ?? null)) continue;
    throw crossed(`the alert ${id} of ${organisationId} is about ${minor}`);
  }
  const { rows: stored } = await raw.query<{ id: string }>(
    'select event_id as id from inbox_id where organisation_id = $1',
    [organisationId],
  );
  // An event that cannot be read has no id but its bytes'.
  const strange = stored.find(({ id }) => id.startsWith('evt_') && !events.has(id));
  if (strange !== undefined) throw crossed(`${organisationId} was never sent ${strange.id}`);
}

async function countInCommon(raw: Wire, ids: readonly string[]): Promise<InCommon> {
  const count = async (names: string): Promise<number> => {
    const own = names.replace('select ', 'select organisation_id, ');
    const { rows } = await raw.query<{ count: number }>(
      `select count(*)::int as count from (
         select name from (${own}) as own group by name having count(distinct organisation_id) > 1) as shared`,
      [ids],
    );
    return rows[0]?.count ?? 0;
  };
  return {
    charges: await count(IN_COMMON.charges),
    orders: await count(IN_COMMON.orders),
    alerts: await count(IN_COMMON.alerts),
    events: await count(IN_COMMON.events),
  };
}
