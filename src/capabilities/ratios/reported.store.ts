/** Numbers that an acquirer or a scheme reports: typed in, or imported. They are shown beside our estimate. */
import { sql } from 'kysely';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { ReportedRow } from './reported.ts';
import type { ReportedMeasure } from './roll-up.table.ts';

/** Stores rows; a later number for the same month and measure replaces the one before, and the audit log keeps both. */
export async function storeReported(
  db: Db,
  rows: readonly ReportedRow[],
  { organisationId, by, now }: { organisationId: string; by: string; now: Date },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    for (const { month, scheme, scope, scopeId, measure, value, origin } of rows) {
      const before = await trx
        .selectFrom('programme_reported')
        .select('value')
        .where('organisation_id', '=', organisationId)
        .where('month', '=', `${month}-01`)
        .where('scheme', '=', scheme)
        .where('scope', '=', scope)
        .where('scope_id', '=', scopeId)
        .where('measure', '=', measure)
        .forUpdate()
        .executeTakeFirst();
      const entry = { value, origin, entered_by: by, entered_at: now };
      await trx
        .insertInto('programme_reported')
        .values({
          organisation_id: organisationId,
          month: `${month}-01`,
          scheme,
          scope,
          scope_id: scopeId,
          measure,
          ...entry,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['organisation_id', 'month', 'scheme', 'scope', 'scope_id', 'measure'])
            .doUpdateSet(entry),
        )
        .execute();
      await writeAudit(trx, {
        organisationId,
        at: now,
        ...byOperator(by),
        what: 'reported_number',
        detail: {
          month,
          scheme,
          scope,
          scope_id: scopeId,
          measure,
          value,
          before: before?.value ?? null,
          origin,
        },
      });
    }
  });
}

export interface Reported {
  /** YYYY-MM. */
  readonly month: string;
  readonly scheme: string;
  readonly measure: ReportedMeasure;
  readonly value: number;
  readonly origin: string;
  readonly enteredBy: string;
  readonly enteredAt: Date;
}

/** Reads the numbers of a scope since a month, YYYY-MM. */
export async function readReported(
  db: Db,
  wanted: {
    readonly organisationId: string;
    readonly scope: string;
    readonly scopeId: string;
    readonly from: string;
  },
): Promise<readonly Reported[]> {
  return await db
    .selectFrom('programme_reported')
    .select([
      sql<string>`to_char(month, 'YYYY-MM')`.as('month'),
      'scheme',
      'measure',
      'value',
      'origin',
      'entered_by as enteredBy',
      'entered_at as enteredAt',
    ])
    .where('organisation_id', '=', wanted.organisationId)
    .where('scope', '=', sql<'organisation'>`${wanted.scope}`)
    .where('scope_id', '=', wanted.scopeId)
    .where('month', '>=', `${wanted.from}-01`)
    .orderBy('month')
    .orderBy('scheme')
    .orderBy('measure')
    .execute();
}
