/** A year of a shop: payments of two brands and two descriptors, notices, alerts and what was done about them. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../../src/base/db/database.ts';
import { arnOf, insertAlert, insertLookup, ORG } from './rows.ts';

/** Midday of the day on which everything is looked at. */
export const NOW = '2026-11-22T12:00:00Z';

/**
 * Stores it. Every day 40 payments of SCHEME_A (30 of SHOP, 10 of OUTLET) and 20 of SCHEME_B, of November with the days
 * up to the 21st, and on each day until then notices for the eighth part of a per cent and more.
 */
export async function fillYear(db: Kysely<Database>): Promise<void> {
  await sql`insert into charge (organisation_id, reference, source, amount_minor, currency, authorised_at, card_brand, descriptor, known_at)
    select ${ORG}, 'ch_' || to_char(day, 'YYYYMMDD') || '_' || n, 'order', 4500, 'USD', day, case when n <= 40 then 'visa' else 'mastercard' end,
      case when n <= 30 or n > 40 then 'SHOP*' || n || ' ORDER' else 'OUTLET' end, day
    from generate_series(timestamptz '2025-11-01', timestamptz '2026-11-21', interval '1 day') as day, generate_series(1, 60) as n`.execute(
    db,
  );
  await sql`insert into enrolment (organisation_id, id, type, status, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${ORG}, id, 'NETA_ALERT', 'ENABLED', '2025-11-01', '2025-11-01', snapshot::jsonb, '\\x00', 'webhook', '2025-11-01', '2025-11-01'
    from (values
      ('enrl_shop', '{"merchant_ids": ["mrch_shop"], "neta_alert": {"descriptors": [{"descriptor": "SHOP*", "match_type": "STARTS_WITH"}]}}'),
      ('enrl_outlet', '{"merchant_ids": ["mrch_outlet"], "neta_alert": {"descriptors": [{"descriptor": "OUTLET", "match_type": "EXACT_MATCH"}]}}')
    ) as e (id, snapshot)`.execute(db);
  // One fraud report on each sixth day, one dispute on each seventh; in November one of both every third day.
  await sql`insert into scheme_notice (organisation_id, id, merchant_id, scheme_notice_type, notice_type, scheme, is_revoked, fraud_reported_at,
      amount_minor, currency, acquirer_reference_number, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${ORG}, 'schntc_' || type || to_char(day, 'YYYYMMDD'), case when extract(day from day)::int % 2 = 0 then 'mrch_shop' else 'mrch_outlet' end,
      type, kind, scheme, false, day, 4500, 'USD', null, day, day, '{}', '\\x00', 'webhook', day, day
    from generate_series(timestamptz '2025-11-01', timestamptz '2026-11-21', interval '1 day') as day,
      (values ('TC40', 'FRAUD_NOTICE', 'SCHEME_A', 6), ('TC15', 'DISPUTE_NOTICE', 'SCHEME_A', 7), ('D', 'DISPUTE_NOTICE', 'SCHEME_B', 9)) as n (type, kind, scheme, every)
    where extract(doy from day)::int % (case when day >= '2026-10-20' then 3 else every end) = 0`.execute(
    db,
  );
  for (let n = 1; n <= 6; n++) {
    const place = { day: `2026-11-${String(n + 10).padStart(2, '0')}`, merchant: 'mrch_shop' };
    await insertAlert(db, { ...place, id: `netalrt_done${n}`, arn: arnOf(n), reason: '13.1' });
    await insertAlert(db, {
      ...place,
      id: `netalrt_rdr${n}`,
      type: 'NETB_RDR',
      arn: arnOf(20 + n),
    });
    await insertAlert(db, {
      ...place,
      id: `netalrt_open${n}`,
      status: 'ACTION_REQUIRED',
      outcome: null,
      reason: n === 1 ? '10.4' : '13.1',
    });
    await insertLookup(db, {
      id: `lkup_${n}`,
      deflection: 'SUCCEEDED',
      day: place.day,
      arn: arnOf(40 + n),
    });
  }
}
