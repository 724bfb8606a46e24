/**
 * Tells people of tokens that end soon, 14 days before and again 3 days before, each time once: a program whose token has
 * ended sends no orders, and finds out too late.
 *
 * Of who is entered for the installation the first organisation whose night looks tells: no channel is the installation's own.
 */
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { seeOrganisations } from '../../base/db/for-organisation.ts';
import { anyOf } from '../../base/db/text-array.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { INSTALLATION } from './right.store.ts';

/** How many days before its end people are told about a token; the doctor warns from the first of these days on. */
export const TOLD_DAYS = [14, 3] as const;

const DAY_MS = 86_400_000;

interface EndingToken {
  readonly home: string;
  readonly id: string;
  readonly name: string;
  readonly is_program: boolean;
  readonly ends_at: Date;
}

/** Returns how many messages were written. */
export async function tellOfTokenEnds(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<number> {
  return await inTransaction(db, async (trx) => {
    const homes = [organisationId, INSTALLATION];
    await seeOrganisations(trx, { reason: 'people', organisationIds: homes });
    const soon = new Date(now.getTime() + TOLD_DAYS[0] * DAY_MS);
    const { rows } = await sql<EndingToken>`
      select organisation_id as home, id, name, may is not null as is_program, token_ends_at as ends_at
      from console_operator
      where organisation_id = ${anyOf(homes)} and token_hash is not null
        and token_ends_at > ${now} and token_ends_at <= ${soon}
      order by token_ends_at, name`.execute(trx);
    let notified = 0;
    for (const token of rows) {
      if (await tell(trx, token, { organisationId, now })) notified += 1;
    }
    return notified;
  });
}

async function tell(
  trx: Trx,
  token: EndingToken,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<boolean> {
  const leftMs = token.ends_at.getTime() - now.getTime();
  const step = TOLD_DAYS.findLast((days) => leftMs <= days * DAY_MS) ?? TOLD_DAYS[0];
  const dedupeKey = `token_ends:${token.home}:${token.id}:${token.ends_at.toISOString()}:${step}`;
  if (token.home !== organisationId && !(await isFirst(trx, dedupeKey, now))) return false;
  const day = token.ends_at.toISOString().slice(0, 10);
  const whose = token.is_program ? `of the program ${token.name}` : `of ${token.name}`;
  const after = token.is_program
    ? 'After it the program is refused, and sends no orders.'
    : 'After it they cannot sign in with it.';
  return await notify(trx, {
    organisationId,
    dedupeKey,
    kind: 'token_ends',
    severity: 'warning',
    text: `The token ${whose} ends on ${day}. ${after} Renew it on the page Operators, or with: forestall operators token ${JSON.stringify(token.name)}. Its owner opens the link.`,
    at: now,
  });
}

/** Whether people have not been told about it yet: noted as a message of the installation that is already sent. */
async function isFirst(trx: Trx, dedupeKey: string, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('notification')
    .values({
      organisation_id: INSTALLATION,
      dedupe_key: dedupeKey,
      kind: 'token_ends',
      severity: 'warning',
      text: 'Told through the channel of an organisation.',
      created_at: now,
      next_attempt_at: null,
      sent_at: now,
      channel: 'organisation',
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'dedupe_key']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
