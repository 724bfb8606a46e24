/** Who is alive: each process writes its row every few seconds; readiness and the console read them. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { ALL_ORGANISATIONS } from '../db/for-organisation.ts';

/** How often a process says that it is alive, in milliseconds. */
export const HEARTBEAT_MS = 10_000;

/** A process that has been silent for this long counts as gone, in milliseconds: three beats and a bit. */
export const SILENT_MS = 35_000;

/** Rows of processes gone for longer than this are removed, in milliseconds. */
const FORGET_MS = 24 * 3_600_000;

/** One process. */
export interface Beat {
  readonly workerId: string;
  /** Or `ALL_ORGANISATIONS`: the process lives for every one of them, with one row that each of them sees. */
  readonly organisationId: string;
  readonly role: string;
  readonly now: Date;
  /** Rows of the same role that were silent for longer are removed, in milliseconds. @default a day */
  readonly forgetMs?: number;
}

/** Writes the row of this process and forgets those of its role that are long gone. */
export async function beat(
  db: Db,
  { workerId, organisationId, role, now, forgetMs = FORGET_MS }: Beat,
): Promise<void> {
  await db
    .with('forgotten', (qb) =>
      qb
        .deleteFrom('worker_heartbeat')
        .where('organisation_id', '=', organisationId)
        .where('role', '=', role)
        .where('seen_at', '<', new Date(now.getTime() - forgetMs))
        .where('worker_id', '<>', workerId),
    )
    .insertInto('worker_heartbeat')
    .values({
      worker_id: workerId,
      organisation_id: organisationId,
      role,
      started_at: now,
      seen_at: now,
    })
    .onConflict((conflict) => conflict.column('worker_id').doUpdateSet({ seen_at: now }))
    .execute();
}

/** Removes the row of a process that stops cleanly. */
export async function sayGoodbye(db: Db, workerId: string): Promise<void> {
  await db.deleteFrom('worker_heartbeat').where('worker_id', '=', workerId).execute();
}

/** How many processes of a role were alive within {@link SILENT_MS}. */
export async function countAlive(
  db: Db,
  where: { readonly organisationId: string; readonly role: string; readonly now: Date },
): Promise<number> {
  const row = await db
    .selectFrom('worker_heartbeat')
    .select(sql<number>`count(*)`.as('alive'))
    .where('organisation_id', 'in', [where.organisationId, ALL_ORGANISATIONS])
    .where('role', '=', where.role)
    .where('seen_at', '>', new Date(where.now.getTime() - SILENT_MS))
    .executeTakeFirstOrThrow();
  return row.alive;
}
