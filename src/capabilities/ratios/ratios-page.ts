/** The ratio cockpit: how near the schemes' monitoring programmes are, what is ahead, and what was done about it. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainly } from '../../surface/access/needs.ts';
import type { MerchantNames } from '../../surface/view/merchants.ts';
import { plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import {
  fieldOf,
  filledField,
  namesOfMerchants,
  page,
  send,
  sendError,
} from '../../surface/web/visit.ts';
import type { Cockpit, CockpitDeps } from './cockpit.ts';
import { readCockpit } from './cockpit.ts';
import { cockpitDeps } from './cockpit-deps.ts';
import type { Monitoring } from './monitoring.ts';
import { monthsUntil } from './months.ts';
import { SCOPES } from './programme.ts';
import {
  byNearness,
  effectsCard,
  foldedCard,
  othersCard,
  pastCard,
  programmeCard,
  summary,
} from './ratio-cards.ts';
import { storeReported } from './reported.store.ts';
import { readReportedCsv, readReportedRow } from './reported.ts';
import { reportedCard } from './reported-form.ts';
import { readOccurrences } from './roll-up.store.ts';
import type { Scope, ScopeSource } from './scope.ts';
import { readEnrolmentRules, scopeIds, scopeOf } from './scope.ts';
import { monitoring } from './settings.ts';

export const scopeQuery = z.strictObject({
  scope: z.enum(SCOPES).optional(),
  id: plainText.optional(),
  /** Both in one, as the list of scopes sends them: `merchant:mrch_1`. */
  of: z
    .string()
    .max(310)
    .regex(/^(?:organisation|(?:merchant|submerchant|descriptor|enrolment):.+)$/)
    .optional(),
});

export function registerRatios(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/ratios', {
    get: page(context, 'viewer', (visit) => show(visit, {})),
    post: [form, page(context, plainly('reviewer'), report)],
  });
}

interface Notice {
  readonly status?: number;
  readonly faults?: readonly string[];
  readonly done?: string;
}

async function show(visit: Visit, notice: Notice): Promise<void> {
  const { options, request, now } = visit;
  const query = read(
    scopeQuery,
    request.method === 'POST' ? formQuery(visit) : { ...request.query },
  );
  const source = await readScopes(visit);
  const scope = query.ok ? scopeOf(...wantedOf(query.value), source) : undefined;
  if (scope === undefined) {
    return sendError(visit, 404, {
      title: 'There is nothing of that name',
      message:
        'No payment, notice or enrolment names it. Choose one of the list on the page Ratios.',
    });
  }
  const [cockpit, names] = await Promise.all([
    readCockpit(depsOf(visit), scope, now),
    namesOfMerchants(visit),
  ]);
  const { status = 200, faults = [], done } = notice;
  const body = html`<div class="bar"><h1>Ratios</h1>${chooser(scope, source, names)}</div>
${faults.length > 0 && html`<div class="banner error" role="alert"><p>Nothing was stored.</p><ul>${faults.slice(0, 20).map((fault) => html`<li>${fault}</li>`)}</ul></div>`}
${done !== undefined && html`<p class="banner done" role="status">${done}</p>`}
<p class="quiet">How near your payments are to the lines of the card schemes’ monitoring programmes.</p>
<details class="fold"><summary>How it is counted</summary><p>Forestall counts the notices it was told of over the payments it knows; what your acquirer reports stands beside it, below.${regionWords(visit.settings.of(monitoring))}${scopeCaveat(scope)}</p></details>
${summary(cockpit)}
${byNearness(cockpit).map((view, index) => programmeCard(view, { cockpit, brands: options.brands, isOpen: index === 0 }))}
${effectsCard(cockpit, options.brands)}
${reportedCard(visit, cockpit, faults.length > 0 || done !== undefined)}
${pastCard(cockpit)}
${othersCard(cockpit)}
${comingCard(cockpit)}`;
  send(visit, { status, title: 'Ratios', active: '/ratios', body });
}

export function depsOf({ options, settings }: Visit): CockpitDeps {
  const { db, organisationId, brands } = options;
  return cockpitDeps({ db, organisationId, brands, settings });
}

export async function readScopes({ options, now }: Visit): Promise<ScopeSource> {
  const { db, organisationId } = options;
  const [from] = monthsUntil(now, 13);
  const [rules, occurrences] = await Promise.all([
    readEnrolmentRules(db, organisationId),
    readOccurrences(db, organisationId, `${from}-01`),
  ]);
  return { rules, occurrences };
}

function formQuery({ request }: Visit): Record<string, string> {
  const chosen = filledField(request, 'of');
  return chosen === undefined ? {} : { of: chosen };
}

export function wantedOf({
  scope,
  id,
  of: chosen,
}: z.infer<typeof scopeQuery>): [Scope['kind'], string] {
  const [kind = 'organisation', ...rest] = chosen?.split(':') ?? [];
  const named = SCOPES.find((each) => each === kind) ?? 'organisation';
  return chosen === undefined ? [scope ?? 'organisation', id ?? ''] : [named, rest.join(':')];
}

/** So many of a kind can be chosen; the address takes any. */
const CHOICES_MAX = 100;

const SCOPE_TITLES = {
  merchant: 'Merchants',
  submerchant: 'Submerchant ids',
  descriptor: 'Descriptors',
  enrolment: 'Enrolments',
} as const;

function chooser(scope: Scope, source: ScopeSource, names: MerchantNames): Html {
  const kinds = ['merchant', 'submerchant', 'descriptor', 'enrolment'] as const;
  const current = scope.kind === 'organisation' ? 'organisation' : `${scope.kind}:${scope.id}`;
  const option = (value: string, text: string): Html =>
    html`<option value="${value}"${value === current && html` selected`}>${text}</option>`;
  return html`<form method="get" action="/ratios" class="actions"><label class="hidden" for="of">Whose ratios</label>
<select id="of" name="of">${option('organisation', 'The organisation')}${kinds.map((kind) => {
    const ids = scopeIds(kind, source).slice(0, CHOICES_MAX);
    return (
      ids.length > 0 &&
      html`<optgroup label="${SCOPE_TITLES[kind]}">${ids.map((id) => option(`${kind}:${id}`, kind === 'merchant' ? (names.get(id) ?? id) : id))}</optgroup>`
    );
  })}</select><button class="plain small">Show</button></form>`;
}

function regionWords({ region }: Monitoring): string {
  return region === undefined
    ? ' No region is set, so lines of every region are shown, and alarms go by the general ones: set FORESTALL_MONITORING_REGION to that of your acquirer.'
    : ` Region of the acquirer: ${region}.`;
}

/** What a scope cannot see. */
function scopeCaveat({ kind }: Scope): string {
  if (kind === 'descriptor' || kind === 'enrolment') {
    return ' Notices name no descriptor: here count those whose payment is known by its acquirer reference. The others count for the organisation and their merchant.';
  }
  return kind === 'submerchant'
    ? ' Payments of ours name no submerchant: the base is what your acquirer reports.'
    : '';
}

function comingCard({ coming }: Cockpit): Html | false {
  return (
    coming.length > 0 &&
    foldedCard(
      { title: 'What comes' },
      html`<ul>${coming.map(
        ({ name, valid_from, lines, note }) =>
          html`<li><strong>${name}</strong> from ${valid_from}: ${lines.map((line) => line.name).join(', ')}.${note !== undefined && html` <span class="quiet">${note}</span>`}</li>`,
      )}</ul>`,
    )
  );
}

/** Numbers that the acquirer reports: one, or pasted CSV. */
async function report(visit: Visit): Promise<void> {
  const { options, request, who, now } = visit;
  const origin = `typed in by ${who.name}`;
  const csv = fieldOf(request, 'csv')?.trim() ?? '';
  const rows =
    csv === ''
      ? readReportedRow(
          Object.fromEntries(
            ['month', 'scheme', 'measure', 'value', 'scope', 'scope_id', 'origin'].map((name) => [
              name,
              filledField(request, name),
            ]),
          ),
          { origin },
        )
      : readReportedCsv(csv, origin);
  if (!rows.ok) return await show(visit, { status: 400, faults: rows.faults });
  const { db, organisationId } = options;
  await storeReported(db, rows.rows, { organisationId, by: who.name, now });
  const count = rows.rows.length;
  await show(visit, {
    done: count === 1 ? 'One number is stored.' : `${count} numbers are stored.`,
  });
}
