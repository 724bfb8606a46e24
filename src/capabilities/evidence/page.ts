/** Evidence: which disputes of a month would qualify, which field of orders was lacking, and who was right. */
import type { Router } from 'express';
import { z } from 'zod';
import { judgeSubject } from '../../alerts/evidence/judge-subject.ts';
import type { Subject, Verdict } from '../../alerts/evidence/payment.ts';
import { evidenceRules } from '../../alerts/evidence/setting.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { currentFormats } from '../../surface/view/locale.ts';
import { isOffered, pageLink } from '../../surface/view/page-link.ts';
import { numeric, stackedTable, tabLinks, table } from '../../surface/view/table.ts';
import { moment } from '../../surface/view/time.ts';
import { plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, send, sendError } from '../../surface/web/visit.ts';
import type {
  KeptJudgement,
  LackingField,
  MatrixCell,
  VerdictCount,
} from './evidence-month.store.ts';
import {
  compareWithLookups,
  countLackingFields,
  countVerdicts,
  LOOKUP_OUTCOMES,
  listJudgements,
  PROGRAMME_KEYS,
} from './evidence-month.store.ts';
import { judgementParts, PROGRAMME_WORDS, VERDICT_WORDS, verdictBadge } from './judgement-parts.ts';
import { findSubject, SUBJECT_KINDS } from './subject.store.ts';

/** Judgements listed. */
const LISTED = 50;

/** Months that can be chosen: as long as judgements are kept. */
const MONTHS = 6;

const monthQuery = z.strictObject({
  month: z
    .string()
    .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/)
    .optional(),
});

const subjectParams = z.object({ kind: z.enum(SUBJECT_KINDS), id: plainText });

/** Verdicts about disputes that the programme is about. */
const VERDICTS = ['qualifies', 'edge', 'not'] as const satisfies readonly Verdict[];

const CHARGE_PAGE = '/charges/:reference';

export function registerEvidence(router: Router, context: PageContext): void {
  route(router, '/evidence', { get: page(context, 'viewer', show) });
  route(router, '/evidence/:kind/:id', { get: page(context, 'viewer', showOne) });
}

async function show(visit: Visit): Promise<void> {
  const { options, request, now } = visit;
  const { db, organisationId } = options;
  const query = read(monthQuery, { ...request.query });
  if (!query.ok) {
    return sendError(visit, 400, { title: 'That is no month', message: 'Write it like 2026-11.' });
  }
  const month = query.value.month ?? monthsUntil(now)[0] ?? '';
  const wanted = { organisationId, month };
  const [verdicts, lacking, matrix, judgements] = await Promise.all([
    countVerdicts(db, wanted),
    countLackingFields(db, wanted),
    compareWithLookups(db, wanted),
    listJudgements(db, wanted, LISTED),
  ]);
  const body = html`<div class="bar"><h1>Evidence</h1>${tabLinks(
    'Month',
    month,
    monthsUntil(now).map((each) => [each, monthWords(each), `/evidence?month=${each}`] as const),
  )}</div>
<p class="quiet">Each alert, lookup, fraud notice and dispute is judged when its payment is known: could it be answered with earlier payments of the same customer?</p>
${figures(verdicts)}
<h2>What orders lacked</h2>${lackingTable(lacking)}
<h2>Beside the service’s lookups</h2>${matrixTables(matrix)}
<h2>Newest first</h2>${judgementTable(judgements, isAnyJudged(verdicts))}`;
  send(visit, { title: 'Evidence', active: '/evidence', body });
}

function monthWords(month: string): string {
  return currentFormats().month(new Date(`${month}-01T00:00:00Z`));
}

/** This month and the ones before it. */
function monthsUntil(now: Date): string[] {
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  );
}

function figures(verdicts: readonly VerdictCount[]): Html {
  return html`${PROGRAMME_KEYS.map((programme) => {
    const count = (verdict: Verdict): number =>
      verdicts
        .filter((row) => row.programme === programme && row.verdict === verdict)
        .reduce((sum, row) => sum + row.count, 0);
    return html`<h2>${PROGRAMME_WORDS[programme]}</h2><dl class="figures">${VERDICTS.map(
      (verdict) => html`<div><dt>${VERDICT_WORDS[verdict][0]}</dt><dd>${count(verdict)}</dd></div>`,
    )}<div><dt>another scheme or reason</dt><dd>${count('elsewhere')}</dd></div></dl>`;
  })}`;
}

/** Fields, and how many disputes each would have made qualify. */
function lackingTable(lacking: readonly LackingField[]): Html {
  if (lacking.length === 0) {
    return html`<p class="quiet">No dispute of this month would have qualified with one more field.</p>`;
  }
  return html`<p class="quiet">Each field alone would have been enough, had every payment carried it and had it been the same. Without <code>transactions[].payment_method_reference_id</code> nothing can be compared at all.</p>${table(
    {
      label: 'Fields that were lacking',
      columns: ['Field of the order', 'Programme', numeric('Disputes')],
      rows: lacking.map(({ field, programme, count }) => [
        html`<code>${field}</code>`,
        PROGRAMME_WORDS[programme],
        count,
      ]),
    },
  )}`;
}

function matrixTables(matrix: readonly MatrixCell[]): Html {
  if (matrix.length === 0) {
    return html`<p class="quiet">No lookup of this month has been judged.</p>`;
  }
  return html`<p class="quiet">What we said when a network asked, and what came of it at the service. A network can still take a deflection back.</p>
${PROGRAMME_KEYS.map((programme) => {
  const cells = matrix.filter((cell) => cell.programme === programme);
  if (cells.length === 0) return false;
  return html`<h3>${PROGRAMME_WORDS[programme]}</h3>${table({
    label: `${PROGRAMME_WORDS[programme]}: what we said and what came of it`,
    columns: ['We said', ...LOOKUP_OUTCOMES.map(numeric)],
    rows: VERDICTS.map((verdict) => [
      verdictBadge(verdict),
      ...LOOKUP_OUTCOMES.map(
        (outcome) =>
          cells.find((cell) => cell.verdict === verdict && cell.outcome === outcome)?.count ?? 0,
      ),
    ]),
  })}`;
})}`;
}

const SUBJECT_WORDS: Readonly<Record<Subject['kind'], string>> = {
  alert: 'alert',
  lookup: 'lookup',
  scheme_notice: 'notice',
  representment: 'dispute',
};

function subjectPath(kind: Subject['kind'], id: string): string {
  return `/evidence/${kind}/${encodeURIComponent(id)}`;
}

/** Whether anything was judged in the month, of another scheme or reason included. */
function isAnyJudged(verdicts: readonly VerdictCount[]): boolean {
  return verdicts.some(({ count }) => count > 0);
}

function judgementTable(judgements: readonly KeptJudgement[], isJudged: boolean): Html {
  if (judgements.length === 0 && isJudged) {
    return emptyState(
      'No judgement of this month is about one of the programmes.',
      html`What was judged is of another scheme or another reason: it is counted above, and not listed.`,
    );
  }
  if (judgements.length === 0) {
    return emptyState(
      'Nothing has been judged in this month.',
      html`A worker judges what is about a payment of <a href="/orders">your orders</a>, within five minutes.`,
    );
  }
  return stackedTable({
    label: 'Judgements, newest first',
    columns: ['About', 'Judged', 'Verdict', 'Why'],
    rows: judgements.map((row) => [
      html`${SUBJECT_WORDS[row.subject]} <a href="${subjectPath(row.subject, row.subjectId)}"><code>${row.subjectId}</code></a>`,
      moment(row.judgedAt),
      html`${PROGRAMME_KEYS.filter((programme) => row[programme] !== 'elsewhere').map(
        (programme) =>
          html`<div>${verdictBadge(row[programme])} <span class="quiet">${PROGRAMME_WORDS[programme]}</span></div>`,
      )}`,
      html`<span class="long">${row.ce3 === 'elsewhere' ? row.fptWhy : row.ce3Why}</span>`,
    ]),
  });
}

async function showOne(visit: Visit): Promise<void> {
  const { request } = visit;
  const params = read(subjectParams, { ...request.params });
  const found = params.ok ? await readJudgement(visit, params.value) : undefined;
  if (found === undefined) {
    return sendError(visit, 404, {
      title: 'Nothing to judge',
      message: 'There is no such thing, or its payment is not among your orders.',
    });
  }
  const { kind, id } = found.subject;
  const body = html`<p class="crumbs"><a href="/evidence">Evidence</a></p><h1>Evidence <span class="quiet">${SUBJECT_WORDS[kind]} ${id}</span></h1>
<p>${kind === 'alert' && html`<a href="/alerts/${encodeURIComponent(id)}">The alert</a> · `}${isOffered(CHARGE_PAGE) && html`${pageLink(CHARGE_PAGE, 'The charge', { reference: found.chargeReference })} · `}dispute counted from ${found.subject.day}</p>
<div class="card">${judgementParts(found.judgement)}</div>`;
  send(visit, { title: `Evidence of ${id}`, active: '/evidence', body });
}

type Found = NonNullable<Awaited<ReturnType<typeof findSubject>>> & {
  readonly judgement: Awaited<ReturnType<typeof judgeSubject>>;
};

async function readJudgement(
  { options, settings }: Visit,
  subject: Pick<Subject, 'kind' | 'id'>,
): Promise<Found | undefined> {
  const { db, organisationId } = options;
  const rules = settings.of(evidenceRules);
  const known = await findSubject(db, organisationId, subject);
  if (known === undefined) return undefined;
  return { ...known, judgement: await judgeSubject(db, organisationId, { ...known, rules }) };
}

export async function evidenceOfAlert(visit: Visit, alertId: string): Promise<Html> {
  const found = await readJudgement(visit, { kind: 'alert', id: alertId });
  return html`<section class="card"><h2>Evidence</h2>${
    found === undefined
      ? html`<p class="quiet">Its payment is not known, so there is nothing to compare.</p>`
      : html`<p class="quiet">If it becomes a dispute: what your orders say for you. <a href="${subjectPath('alert', alertId)}">Each reason</a></p>${judgementParts(found.judgement)}`
  }</section>`;
}

/** Fields that orders lacked this month; nothing where none would have won a dispute. */
export async function lackingOfOrders({ options, now }: Visit): Promise<HtmlValue> {
  const { db, organisationId } = options;
  const month = now.toISOString().slice(0, 7);
  const lacking = await countLackingFields(db, { organisationId, month });
  return (
    lacking.length > 0 &&
    html`<h2>Fields that would have won disputes this month</h2>${lackingTable(lacking)}<p><a href="/evidence">All about evidence</a></p>`
  );
}
