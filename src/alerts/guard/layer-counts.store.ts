/** What the layers besides the organisation's own count: over all organisations, and for one merchant. */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { ALL_ORGANISATIONS, amongOrganisations } from '../../base/db/for-organisation.ts';
import { lockOrganisation } from '../../base/db/organisation-lock.store.ts';
import { namesMerchant } from '../cases/charge-route.store.ts';
import type { SentScope } from './caps.store.ts';
import { readSent, sentOf } from './caps.store.ts';
import type { Sent } from './caps.ts';
import type { GuardLayer, GuardScope } from './guard-layers.ts';

/** All organisations count and are counted one after another. Taken after the organisation's own lock. */
const ALL_CAPS_LOCK = 'refund_caps_of_all';

/** What was sent since a moment, as a layer counts. */
export async function readSentIn(trx: Trx, scope: GuardScope, asked: SentScope): Promise<Sent> {
  switch (scope.kind) {
    case 'organisation':
      return await readSent(trx, asked);
    case 'merchant':
      return await readSent(trx, { ...asked, merchantId: scope.id });
    case 'installation': {
      const ids = scope.organisationIds();
      const sharing = { reason: 'installation_caps', organisationIds: ids } as const;
      return await amongOrganisations(trx, sharing, async () => {
        await lockOrganisation(trx, ALL_ORGANISATIONS, ALL_CAPS_LOCK);
        return await readSentByAll(trx, ids, asked.since);
      });
    }
  }
}

async function readSentByAll(
  trx: Trx,
  organisationIds: readonly string[],
  since: Date,
): Promise<Sent> {
  const { rows } = await sql<{ currency: string; count: number; amount_minor: number }>`
    select m.currency, count(*) as count, sum(m.amount_minor)::bigint as amount_minor from movement m
    where m.organisation_id = any(${organisationIds}::text[]) and m.first_sent_at > ${since}
      and m.idempotency_key is not null and m.state not in ('REJECTED', 'NOT_SENT') and m.kind = 'refund'
    group by m.currency`.execute(trx);
  return sentOf(rows);
}

/** The first layer whose merchant has had more alerts in its window than it allows. */
export async function findFlooded(
  trx: Trx,
  layers: readonly GuardLayer[],
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<GuardLayer | undefined> {
  for (const layer of layers) {
    const { scope, flood } = layer;
    if (scope.kind !== 'merchant' || flood === undefined) continue;
    const since = new Date(now.getTime() - flood.windowMs);
    const { rows } = await sql<{ alert_id: string }>`
      select k.alert_id from alert_case k
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.opened_at > ${since} and k.opened_at <= ${now}
        and ${namesMerchant(scope.id)}
      limit ${flood.above + 1}`.execute(trx);
    if (rows.length > flood.above) return layer;
  }
  return undefined;
}
