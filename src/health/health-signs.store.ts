/**
 * Signs that something has begun to fail, from rows that the stages write: before anything is late. A fixed number of
 * statements, however many organisations there are.
 */
import { sql } from 'kysely';
import { z } from 'zod';
import type { ProcessorTrouble } from '../alerts/guard/processor-watch.ts';
import { PROCESSOR_TROUBLES, processorTroubleOf } from '../alerts/guard/processor-watch.ts';
import { TAKEN } from '../alerts/receive/delivery-minute.store.ts';
import type { FailureRecord } from '../alerts/reconcile/poll-failure.ts';
import { readFailureRecord } from '../alerts/reconcile/poll-failure.ts';
import { RECONCILE_FACTS } from '../alerts/reconcile/reconcile-facts.ts';
import type { SilenceRecord } from '../alerts/reconcile/silence.ts';
import { readSilenceRecord } from '../alerts/reconcile/silence.ts';
import type { Db } from '../base/db/database.ts';
import { ALL_ORGANISATIONS } from '../base/db/for-organisation.ts';
import { anyOf, eachOf } from '../base/db/text-array.ts';
import { CERTIFICATE_END, POLICY_PROBLEM } from '../base/jobs/value-names.ts';
import { LOG_ONLY } from '../base/notify/notification.store.ts';
import type { OrganisationsScope } from './operations.store.ts';

/** Deliveries that were refused since one was last accepted. */
export interface RefusedDeliveries {
  readonly count: number;
  /** The minute in which the first of them came. */
  readonly since: Date;
  readonly lastAt: Date;
  /** The reason that most of them had. */
  readonly verdict: string;
}

/** Messages that no channel took, none of them older than the last that one did take. */
export interface RefusedMessages {
  readonly count: number;
  readonly attempts: number;
  readonly error: string;
}

const policyProblemSchema = z.object({
  problem: z.string(),
  version: z.string(),
  since: z.iso.datetime(),
});
export type PolicyProblem = z.infer<typeof policyProblemSchema>;

export interface HealthSigns {
  readonly asking?: ProcessorTrouble | undefined;
  readonly sending?: ProcessorTrouble | undefined;
  readonly refusedDeliveries?: RefusedDeliveries | undefined;
  readonly refusedMessages?: RefusedMessages | undefined;
  readonly pollFailure?: FailureRecord | undefined;
  readonly silence?: SilenceRecord | undefined;
  readonly policy?: PolicyProblem | undefined;
  readonly certificateEndsAt?: Date | undefined;
  /** When a listener for webhooks was last alive; undefined: none has ever said so. */
  readonly servedAt?: Date | undefined;
  /** When a delivery was last accepted, or recognised as a repeat, in the last day. */
  readonly heardAt?: Date | undefined;
}

export const SIGN_FACTS: readonly string[] = [
  PROCESSOR_TROUBLES.asking,
  PROCESSOR_TROUBLES.sending,
  RECONCILE_FACTS.pollFailure,
  RECONCILE_FACTS.webhookSilence,
  POLICY_PROBLEM,
  CERTIFICATE_END,
];

/** The rows that signs are read from, by organisation. */
export interface SignRows {
  readonly facts: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly deliveries: ReadonlyMap<string, Delivered>;
  readonly messages: ReadonlyMap<string, RefusedMessages>;
  /** Under `ALL_ORGANISATIONS`: a listener for all of them. */
  readonly served: ReadonlyMap<string, Date>;
}

/** Of each organisation; all of it undefined where nothing has begun to fail. */
export function signsFrom({
  facts,
  deliveries,
  messages,
  served,
}: SignRows): (organisationId: string) => HealthSigns {
  return (id) => {
    const values = facts.get(id);
    const endsAt = values?.get(CERTIFICATE_END);
    const delivered = deliveries.get(id);
    return {
      asking: processorTroubleOf(values?.get(PROCESSOR_TROUBLES.asking)),
      sending: processorTroubleOf(values?.get(PROCESSOR_TROUBLES.sending)),
      pollFailure: readFailureRecord(values?.get(RECONCILE_FACTS.pollFailure)),
      silence: readSilenceRecord(values?.get(RECONCILE_FACTS.webhookSilence)),
      policy: policyProblemSchema.safeParse(values?.get(POLICY_PROBLEM)).data,
      certificateEndsAt: typeof endsAt === 'string' ? new Date(endsAt) : undefined,
      refusedDeliveries: delivered?.refused,
      heardAt: delivered?.heardAt,
      refusedMessages: messages.get(id),
      servedAt: latest(served.get(id), served.get(ALL_ORGANISATIONS)),
    };
  };
}

function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

/** Deliveries are looked at for as long as the service repeats one, and more: in milliseconds. */
const DELIVERIES_MS = 24 * 3_600_000;

/** A signature that somebody took the trouble to make: what strangers send has none. */
const WRONG_SIGNATURES = ['no_match', 'too_old', 'too_new'];

export interface Delivered {
  readonly refused: RefusedDeliveries | undefined;
  readonly heardAt: Date | undefined;
}

export async function readDeliveries(
  db: Db,
  { organisationIds, now }: OrganisationsScope,
): Promise<ReadonlyMap<string, Delivered>> {
  const from = new Date(now.getTime() - DELIVERIES_MS);
  const { rows } = await sql<{
    id: string;
    heardAt: Date | null;
    count: number;
    since: Date | null;
    lastAt: Date | null;
    verdict: string | null;
  }>`
    select o.id, heard.at as "heardAt", refused.count, refused.since, refused."lastAt", refused.verdict
    from ${eachOf(organisationIds)} as o (id)
    -- A minute's last moment lies in it: the newest minute that has one has the last of all.
    left join lateral (
      select last_at as at from delivery_minute
      where organisation_id = o.id and minute >= ${from} and verdict = any(${TAKEN}::text[])
      order by minute desc, last_at desc limit 1) as heard on true
    cross join lateral (
      select coalesce(sum(count), 0)::int as count, min(minute) as since, max(last_at) as "lastAt",
        mode() within group (order by verdict) as verdict
      from delivery_minute
      where organisation_id = o.id and minute >= greatest(${from}::timestamptz, date_trunc('minute', heard.at))
        and verdict = any(${WRONG_SIGNATURES}::text[]) and (heard.at is null or last_at > heard.at)) as refused`.execute(
    db,
  );
  return new Map(
    rows.map(({ id, heardAt, count, since, lastAt, verdict }) => [
      id,
      {
        heardAt: heardAt ?? undefined,
        refused:
          since === null || lastAt === null || verdict === null
            ? undefined
            : { count, since, lastAt, verdict },
      },
    ]),
  );
}

export async function readRefusedMessages(
  db: Db,
  { organisationIds }: OrganisationsScope,
): Promise<ReadonlyMap<string, RefusedMessages>> {
  const { rows } = await sql<RefusedMessages & { id: string }>`
    select n.organisation_id as id, count(*) as count, sum(n.attempts)::int as attempts,
      (array_agg(n.last_error order by n.created_at desc))[1] as error
    from notification n
    left join lateral (
      select s.sent_at from notification s
      where s.organisation_id = n.organisation_id and s.sent_at is not null and s.channel <> ${LOG_ONLY}
      order by s.sent_at desc limit 1) as taken on true
    where n.organisation_id = ${anyOf(organisationIds)} and n.sent_at is null
      and n.next_attempt_at is not null and n.last_error is not null
      and (taken.sent_at is null or n.created_at > taken.sent_at)
    group by n.organisation_id`.execute(db);
  return new Map(rows.map(({ id, ...refused }) => [id, refused]));
}
