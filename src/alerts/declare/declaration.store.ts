/**
 * All SQL of declarations: what we owe the service about an alert, and what came of it.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../base/audit/audit.store.ts';
import { writeLater } from '../../base/db/commit-writes.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DeclaredAction } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { wakingHeldByService } from '../cases/release-held.store.ts';
import { acceptingKey, keyRefusal } from '../guard/declare-health.store.ts';
import type { DeclarationState, DeclarationTable } from './declaration.table.ts';
import { DECLARATION_COLUMNS } from './declaration.table.ts';

/** A declaration as read. */
export type DeclarationRow = Selectable<DeclarationTable>;

/** An answer we owe from now on. */
export interface OwedAnswer {
  readonly organisationId: string;
  readonly alertId: string;
  readonly action: DeclaredAction;
  readonly note: string;
  /** The movement that a `REFUND` is declared with. */
  readonly movementId: string | null;
  /** An `ACCEPT_DISPUTE` although this much went back; 0: nothing did. */
  readonly despiteMinor: number;
  readonly now: Date;
}

/**
 * Stores what we owe, in the transaction that made it due. It replaces an answer that was not taken;
 * one that the alert shows already stays.
 */
export async function oweDeclaration(trx: Trx, owed: OwedAnswer): Promise<void> {
  const { organisationId, alertId, now } = owed;
  await writeLater(
    trx,
    sql`insert into declaration as d (organisation_id, alert_id, action, note, movement_id,
        despite_minor, state, created_at, changed_at)
      values (${organisationId}, ${alertId}, ${owed.action}, ${owed.note}, ${owed.movementId},
        ${owed.despiteMinor}, 'DUE', ${now}, ${now})
      on conflict (organisation_id, alert_id) do update set action = excluded.action, note = excluded.note,
        movement_id = excluded.movement_id,
        despite_minor = excluded.despite_minor, changed_at = excluded.changed_at, state = 'DUE'
      where d.state in ('DUE', 'SENT', 'REFUSED')`,
  );
  await audit(trx, owed, { what: `${owed.action} owed`, toState: 'DUE' });
}

/** The alert's declaration, or undefined. */
export async function findDeclaration(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<DeclarationRow | undefined> {
  return await db
    .selectFrom('declaration')
    .select(DECLARATION_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
}

/**
 * Records, before the call, that the answer is about to be sent. False: the case is no longer this
 * holder's, so nothing is sent.
 */
export async function markDeclarationSent(
  db: Db,
  { claim, declaration: row }: { readonly claim: CaseRow; readonly declaration: DeclarationRow },
  now: Date,
): Promise<boolean> {
  const marked = await db
    .updateTable('declaration')
    .set({
      state: 'SENT',
      attempts: row.attempts + 1,
      first_sent_at: row.first_sent_at ?? now,
      last_sent_at: now,
      changed_at: now,
    })
    .where('organisation_id', '=', row.organisation_id)
    .where('alert_id', '=', row.alert_id)
    .where('state', 'in', ['DUE', 'SENT'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('alert_case')
          .where('organisation_id', '=', claim.organisation_id)
          .where('alert_id', '=', claim.alert_id)
          .where('version', '=', claim.version)
          .where('lease_until', '>', now),
      ),
    )
    .returning('alert_id')
    .executeTakeFirst();
  return marked !== undefined;
}

/** How a declaration ended. */
export interface DeclarationEnd {
  readonly state: Extract<DeclarationState, 'DONE' | 'ELSEWHERE' | 'REFUSED'>;
  readonly remoteOutcome: string | null;
  /** The service took our answer, so it takes our key. */
  readonly keyAccepted: boolean;
  readonly now: Date;
}

/** Records how it ended. */
export async function settleDeclaration(
  trx: Trx,
  row: DeclarationRow,
  end: DeclarationEnd,
): Promise<void> {
  const { organisation_id: organisationId, alert_id: alertId } = row;
  if (end.keyAccepted) {
    const held = wakingHeldByService(organisationId, end.now, alertId);
    await writeLater(trx, sql`${held} and exists (${keyRefusal(organisationId)})`);
    await writeLater(trx, acceptingKey(organisationId));
  }
  await writeLater(
    trx,
    sql`update declaration set state = ${end.state}, remote_outcome = ${end.remoteOutcome},
      settled_at = ${end.now}, changed_at = ${end.now}
      where organisation_id = ${organisationId} and alert_id = ${alertId}`,
  );
  await audit(
    trx,
    { organisationId: row.organisation_id, alertId: row.alert_id, now: end.now },
    { what: `${row.action} ${end.state.toLowerCase()}`, fromState: row.state, toState: end.state },
  );
}

async function audit(
  trx: Trx,
  about: { organisationId: string; alertId: string; now: Date },
  entry: { what: string; toState: DeclarationState; fromState?: DeclarationState },
): Promise<void> {
  await writeAudit(trx, {
    organisationId: about.organisationId,
    at: about.now,
    subject: 'declaration',
    subjectId: about.alertId,
    alertId: about.alertId,
    ...entry,
  });
}
