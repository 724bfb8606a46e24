/** All SQL of trials: the key that arms are drawn with, the budget of a month, and what was drawn for a charge before. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Nullable, Timestamp, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import type { SealPlace } from '../../base/seal/seal.ts';
import { openStoredSecret, resealedSecret, sealSecret } from '../../base/seal/stored-secret.ts';
import type { Explore, Trial } from './explore.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    policy_trial_key: PolicyTrialKeyTable;
    policy_trial_month: PolicyTrialMonthTable;
  }
}

const KEY_BYTES = 32;

interface PolicyTrialKeyTable {
  organisation_id: string;
  key: Buffer;
  /** The data key that it is sealed under; null: none. */
  key_id: Nullable<string>;
  made_at: Timestamp;
}

interface PolicyTrialMonthTable {
  organisation_id: string;
  experiment: string;
  month: string;
  cases: number;
  amount_minor: number;
  currency: string;
  changed_at: Timestamp;
}

function placeOf(organisationId: string): SealPlace {
  return { organisationId, table: 'policy_trial_key', column: 'key', row: [] };
}

/**
 * The organisation's key; made when it is first asked for. It is random, and derived from nothing: arms stay the same when
 * data keys change. Where data keys are set it is stored sealed under one.
 */
export async function trialKey(trx: Trx, organisationId: string, now: Date): Promise<Buffer> {
  const found = await findTrialKey(trx, organisationId);
  if (found !== undefined) return found;
  const place = placeOf(organisationId);
  const { bytes, keyId } = sealSecret(dataKeysOf(trx), place, randomBytes(KEY_BYTES));
  await trx
    .insertInto('policy_trial_key')
    .values({ organisation_id: organisationId, made_at: now, key: bytes, key_id: keyId })
    .onConflict((conflict) => conflict.column('organisation_id').doNothing())
    .execute();
  const made = await findTrialKey(trx, organisationId);
  if (made === undefined) throw new TypeError('The key of trials was stored and is not there.');
  return made;
}

async function findTrialKey(trx: Trx, organisationId: string): Promise<Buffer | undefined> {
  const row = await trx
    .selectFrom('policy_trial_key')
    .select(['key', 'key_id'])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return (
    row &&
    openStoredSecret(dataKeysOf(trx), placeOf(organisationId), {
      bytes: row.key,
      keyId: row.key_id,
    })
  );
}

/** Seals the key under the data key that seals now, or opens it where none does. */
export async function resealTrialKey(
  db: Db,
  organisationId: string,
  keys: DataKeys,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('policy_trial_key')
      .select(['key', 'key_id'])
      .where('organisation_id', '=', organisationId)
      .forUpdate()
      .executeTakeFirst();
    const kept =
      row && resealedSecret(keys, placeOf(organisationId), { bytes: row.key, keyId: row.key_id });
    if (kept === undefined) return;
    await trx
      .updateTable('policy_trial_key')
      .set({ key: kept.bytes, key_id: kept.keyId })
      .where('organisation_id', '=', organisationId)
      .execute();
  });
}

/** A case to be accepted for a trial. */
export interface Taken {
  readonly organisationId: string;
  readonly explore: Explore;
  readonly amountMinor: number;
  /** Room until the next line, as it was last measured. */
  readonly headroom: number;
  readonly now: Date;
}

/**
 * Takes the case out of the month's budget, where it is still within; false: it is not. The row stays locked until the
 * transaction of the decision ends, so what others have in flight counts, and what is rolled back is given back. Each
 * case of the month is taken from the headroom as well: the last measurement may not know of it.
 */
export async function takeFromBudget(trx: Trx, taken: Taken): Promise<boolean> {
  const { organisationId, explore, amountMinor, headroom, now } = taken;
  const { name, budget } = explore;
  const casesMax = casesMaxOf(explore, headroom);
  if (casesMax < 1 || amountMinor > budget.amountMinor) return false;
  const { rows } = await sql<{ cases: number }>`
    insert into policy_trial_month as m
      (organisation_id, experiment, month, cases, amount_minor, currency, changed_at)
    values (${organisationId}, ${name}, ${monthOf(now)}, 1, ${amountMinor}, ${budget.currency}, ${now})
    on conflict (organisation_id, experiment, month) do update
      set cases = m.cases + 1, amount_minor = m.amount_minor + excluded.amount_minor, changed_at = excluded.changed_at
      where m.currency = excluded.currency and m.cases + 1 <= ${casesMax}
        and m.amount_minor + excluded.amount_minor <= ${budget.amountMinor}
    returning cases`.execute(trx);
  return rows.length === 1;
}

/** Whether another case would still be within the month's budget: while it would not, nothing is drawn. */
export async function hasBudget(db: Db, taken: Taken): Promise<boolean> {
  const { organisationId, explore, amountMinor, headroom, now } = taken;
  const { name, budget } = explore;
  const used = await db
    .selectFrom('policy_trial_month')
    .select(['cases', 'amount_minor', 'currency'])
    .where('organisation_id', '=', organisationId)
    .where('experiment', '=', name)
    .where('month', '=', monthOf(now))
    .executeTakeFirst();
  const {
    cases,
    amount_minor: amount,
    currency,
  } = used ?? {
    ...{ cases: 0, amount_minor: 0, currency: budget.currency },
  };
  return (
    currency === budget.currency &&
    cases + 1 <= casesMaxOf(explore, headroom) &&
    amount + amountMinor <= budget.amountMinor
  );
}

/** Cases of a month: as many as the policy allows, and as the ratio has room for. */
function casesMaxOf({ disputes, headroomMin }: Explore, headroom: number): number {
  return Math.min(disputes, headroom - headroomMin);
}

function monthOf(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}

/** What was decided about the charge before. */
export interface DrawnBefore {
  /** An alert of the charge was decided otherwise than in this trial, or a claim asks for its money. */
  readonly isElsewhere: boolean;
  readonly trial: Trial | null;
}

/**
 * The part that the charge's alerts had in the trial: a twin of which more or less is known would otherwise be another
 * unit. And whether something about the charge is above any trial: a withdrawal or a promise of support.
 */
export async function drawnBefore(
  db: Db,
  about: { organisationId: string; chargeReference: string; alertId: string; experiment: string },
): Promise<DrawnBefore> {
  const { organisationId, chargeReference, alertId, experiment } = about;
  const { rows } = await sql<DrawnBefore>`
    with earlier as (
      select d.experiment, d.arm, d.propensity, d.action, c.alert_id, d.id
      from alert_case c
      join decision d on d.organisation_id = c.organisation_id and d.alert_id = c.alert_id
      where c.organisation_id = ${organisationId} and c.charge_reference = ${chargeReference} and not d.shadow
    )
    select exists (select from refund_claim r
        where r.organisation_id = ${organisationId} and r.charge_reference = ${chargeReference})
      or exists (select from earlier e where e.alert_id <> ${alertId} and e.action = 'REFUND'
        and e.experiment is distinct from ${experiment}) as "isElsewhere",
      (select jsonb_build_object('experiment', experiment, 'arm', arm, 'propensity', propensity) from earlier
        where experiment = ${experiment} order by id limit 1) as trial`.execute(db);
  return rows[0] ?? { isElsewhere: true, trial: null };
}
