/** A month of judgements in figures: verdicts, lacking fields, and how they compare with the service's lookups. */
import { sql } from 'kysely';
import type { Subject, Verdict } from '../../alerts/evidence/payment.ts';
import type { Db } from '../../base/db/database.ts';

export const PROGRAMME_KEYS = ['ce3', 'fpt'] as const;
export type EvidenceProgramme = (typeof PROGRAMME_KEYS)[number];

/** Verdicts about one kind of subject. */
export interface VerdictCount {
  readonly programme: EvidenceProgramme;
  readonly subject: Subject['kind'];
  readonly verdict: Verdict;
  readonly count: number;
}

/** A field of orders, and how many disputes would have qualified with it. */
export interface LackingField {
  readonly programme: EvidenceProgramme;
  readonly field: string;
  readonly count: number;
}

/** What the service made of lookups about which we said something. */
export interface MatrixCell {
  readonly programme: EvidenceProgramme;
  /** What we said. */
  readonly verdict: Verdict;
  /** The outcome at the service. */
  readonly outcome: LookupOutcome;
  readonly count: number;
}

export const LOOKUP_OUTCOMES = ['deflected', 'not deflected', 'not decided', 'not tried'] as const;
export type LookupOutcome = (typeof LOOKUP_OUTCOMES)[number];

/** A month, as UTC counts it. */
export interface EvidenceMonth {
  readonly organisationId: string;
  /** YYYY-MM. */
  readonly month: string;
}

const within = ({ month }: EvidenceMonth): ReturnType<typeof sql<boolean>> =>
  sql<boolean>`j.judged_at >= (${`${month}-01`}::date)::timestamp at time zone 'UTC'
    and j.judged_at < (${`${month}-01`}::date + interval '1 month') at time zone 'UTC'`;

/** Counts verdicts. */
export async function countVerdicts(db: Db, month: EvidenceMonth): Promise<VerdictCount[]> {
  const { rows } = await sql<VerdictCount>`
    with alike as (
      select j.subject, j.ce3, j.fpt, count(*) as count from evidence_judgement j
      where j.organisation_id = ${month.organisationId} and ${within(month)} group by 1, 2, 3)
    select p.programme, j.subject, p.verdict, sum(j.count)::bigint as count
    from alike j cross join lateral (values ('ce3', j.ce3), ('fpt', j.fpt)) as p (programme, verdict)
    group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows;
}

/** Counts fields, the most lacking first. */
export async function countLackingFields(db: Db, month: EvidenceMonth): Promise<LackingField[]> {
  const { rows } = await sql<LackingField>`
    with alike as (
      select j.ce3_missing, j.fpt_missing, count(*) as count from evidence_judgement j
      where j.organisation_id = ${month.organisationId} and ${within(month)} group by 1, 2)
    select p.programme, f.field, sum(j.count)::bigint as count
    from alike j
    cross join lateral (values ('ce3', j.ce3_missing), ('fpt', j.fpt_missing)) as p (programme, fields)
    cross join lateral unnest(p.fields) as f (field)
    group by 1, 2 order by 3 desc, 1, 2`.execute(db);
  return rows;
}

/** Compares. The lookup's outcome is that of now: a network can still take a deflection back. */
export async function compareWithLookups(db: Db, month: EvidenceMonth): Promise<MatrixCell[]> {
  const { rows } = await sql<MatrixCell>`
    with alike as (
      select j.ce3, j.fpt, l.type, l.deflection_status, count(*) as count from evidence_judgement j
      -- One by one: a month's judgements are few beside all lookups.
      cross join lateral (select type, deflection_status from lookup
        where organisation_id = ${month.organisationId} and id = j.subject_id limit 1) as l
      where j.organisation_id = ${month.organisationId} and j.subject = 'lookup' and ${within(month)} group by 1, 2, 3, 4)
    select p.programme, p.verdict, o.outcome, sum(j.count)::bigint as count
    from alike j
    cross join lateral (values ('ce3', j.ce3, 'NETB_ORDER_INSIGHT'), ('fpt', j.fpt, 'NETA_FIRST_PARTY_TRUST')) as p (programme, verdict, type)
    cross join lateral (select case j.deflection_status when 'SUCCEEDED' then 'deflected' when 'FAILED' then 'not deflected'
      when 'PENDING' then 'not decided' else 'not tried' end) as o (outcome)
    where j.type = p.type
    group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows;
}

/** A judgement as it is kept. */
export interface KeptJudgement {
  readonly subject: Subject['kind'];
  readonly subjectId: string;
  readonly chargeReference: string;
  readonly judgedAt: Date;
  readonly ce3: Verdict;
  readonly fpt: Verdict;
  readonly ce3Why: string;
  readonly fptWhy: string;
}

/** The latest judgements of a month that are about one of the programmes. */
export async function listJudgements(
  db: Db,
  month: EvidenceMonth,
  limit: number,
): Promise<KeptJudgement[]> {
  const { rows } = await sql<KeptJudgement>`
    select j.subject, j.subject_id as "subjectId", j.charge_reference as "chargeReference", j.judged_at as "judgedAt",
      j.ce3, j.fpt, j.ce3_why as "ce3Why", j.fpt_why as "fptWhy"
    from evidence_judgement j
    where j.organisation_id = ${month.organisationId} and ${within(month)} and not (j.ce3 = 'elsewhere' and j.fpt = 'elsewhere')
    order by j.judged_at desc, j.subject_id limit ${limit}`.execute(db);
  return rows;
}
