/** Representments: disputes that are contested, by the day their evidence is due, what we hold and what was sent. */
import type { Router } from 'express';
import { z } from 'zod';
import { readCustomerNames } from '../../alerts/review/review-customers.store.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { reasonWords } from '../../service/wire/code-words.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { currentFormats } from '../../surface/view/locale.ts';
import { amount, moneyText } from '../../surface/view/money.ts';
import { nextPage, sortLinks, tabLinks, table } from '../../surface/view/table.ts';
import { deadline, moment, timeLeft } from '../../surface/view/time.ts';
import { spokenName } from '../../surface/view/words.ts';
import { cursorOf, LIMIT_DEFAULT, nextCursor, plainText } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../surface/web/visit.ts';
import { OUTCOMES } from './outcomes/page.ts';
import type { Pack } from './pack.ts';
import { readPacks } from './read-pack.ts';
import type {
  RepresentmentItem,
  RepresentmentRow,
  RepresentmentSort,
  RepresentmentState,
  RepresentmentSum,
} from './representment-list.store.ts';
import {
  findRepresentments,
  REPRESENTMENT_SORTS,
  REPRESENTMENT_STATES,
  sumRepresentments,
} from './representment-list.store.ts';
import { isOpenDispute, sentPacks } from './representment-pack.store.ts';
import type { SentPack } from './representment-pack.table.ts';
import { evidencePacks } from './settings.ts';

/** Rows of a page where the pack of each is made again, and where none is. */
const OPEN_SHOWN = 25;
const SHOWN = LIMIT_DEFAULT;

const listQuery = z.strictObject({
  state: z.enum(REPRESENTMENT_STATES).default('open'),
  sort: z.enum(REPRESENTMENT_SORTS).optional(),
  cursor: cursorOf(z.tuple([z.string().max(60), plainText])).optional(),
});

/** Words of the tabs, in their order. */
const TABS = { open: 'Open', won: 'Won', lost: 'Lost', over: 'Over', all: 'All' } as const;

export function registerRepresentments(router: Router, context: PageContext): void {
  route(router, '/representments', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, listQuery);
  if (query === undefined) return;
  const { state, cursor: after } = query;
  const isOpenList = state === 'open';
  // What is over is looked for by when it ended.
  const sort = query.sort ?? (isOpenList ? 'due' : '-changed');
  const limit = isOpenList ? OPEN_SHOWN : SHOWN;
  const found = findRepresentments(db, { organisationId, state, sort, limit, after });
  const [rows, stored, sums] = await Promise.all([
    found,
    found.then((each) => rowContext(visit, each, isOpenList)),
    sumRepresentments(db, organisationId),
  ]);
  const context: RowContext = { state, sort, now, ...stored };
  const next = nextCursor(rows, limit, (last) => [last.key, last.id]);
  const body = html`<div class="list-page"><div class="bar"><h1>Representments</h1>${sumLine(sums, state)}</div>
<p class="quiet">Disputes that are contested. Evidence is handed in where the dispute is contested; its pack, made of your own rows, stands here. <a href="/representments/disputes">Disputes at the processor</a>, where evidence can be handed in from here. <a href="/representments/documents">Documents</a> that packs are made of besides the rows. <a href="${OUTCOMES}">What came of evidence</a>.</p>
${tabLinks(
  'State',
  state,
  REPRESENTMENT_STATES.map((each) => [
    each,
    `${TABS[each]} ${currentFormats().count(countOf(sums, each))}${isCut(sums, each) ? '+' : ''}`,
    `/representments?state=${each}`,
  ]),
)}
${rows.length === 0 ? nothing(state, sums) : list(rows, context)}
${nextPage('/representments', { state, sort: query.sort ?? null, cursor: next })}</div>`;
  send(visit, { title: 'Representments', active: '/representments', body });
}

/** What the rows of a page need from other tables. The pack of each is made again where they are open. */
async function rowContext(
  { options: { db, organisationId }, settings }: Visit,
  rows: readonly RepresentmentItem[],
  isOpenList: boolean,
): Promise<Pick<RowContext, 'packs' | 'sent' | 'customers'>> {
  const open = rows.filter(isOpenDispute);
  const rules = settings.of(evidencePacks);
  const ids = rows.map(({ id }) => id);
  const orders = rows.map(({ orderReference }) => orderReference);
  const [packs, sent, customers] = await Promise.all([
    isOpenList ? readPacks(db, { organisationId, representments: open, rules }) : [],
    sentPacks(db, organisationId, ids),
    readCustomerNames(db, organisationId, orders),
  ]);
  const byId = open.flatMap(({ id }, index) => {
    const pack = packs[index];
    return pack === undefined ? [] : [[id, pack] as const];
  });
  return {
    customers,
    packs: new Map(byId),
    sent: Map.groupBy(sent, (each) => each.representment_id),
  };
}

type Sums = readonly RepresentmentSum[];

function within(sums: Sums, state: RepresentmentState): Sums {
  if (state === 'all') return sums;
  if (state === 'over') return sums.filter((each) => each.state !== 'open');
  return sums.filter((each) => each.state === state);
}

function countOf(sums: Sums, state: RepresentmentState): number {
  return within(sums, state).reduce((all, { count }) => all + count, 0);
}

/** There are more than were counted. */
function isCut(sums: Sums, state: RepresentmentState): boolean {
  return within(sums, state).some((each) => each.isCut);
}

/** How much the list is about, and of what was decided how much was won. */
function sumLine(sums: Sums, state: RepresentmentState): Html {
  if (isCut(sums, state)) {
    return html`<p class="list-sum"><span class="quiet">Too many to be added up.</span></p>`;
  }
  const known = Map.groupBy(
    within(sums, state).filter(({ currency }) => currency !== null),
    ({ currency }) => currency ?? '',
  );
  const words = [...known].map(([currency, all]) =>
    moneyText({
      currency,
      amountMinor: all.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    }),
  );
  const [won, lost] = [countOf(sums, 'won'), countOf(sums, 'lost')];
  const isKnown = won + lost > 0 && !isCut(sums, 'won') && !isCut(sums, 'lost');
  const share = !isKnown ? '' : `${won} of ${won + lost} decided were won`;
  return html`<p class="list-sum">${words.join(' + ')}${share !== '' && html` <span class="quiet">${words.length > 0 && '· '}${share}</span>`}</p>`;
}

function nothing(state: RepresentmentState, sums: Sums): Html {
  if (countOf(sums, 'all') === 0) {
    return emptyState(
      'No representment is known.',
      'When a dispute is contested through the service, it appears here with its due date and its pack of evidence.',
    );
  }
  return emptyState(
    state === 'open' ? 'No representment is open.' : 'None ended so.',
    html`<a href="/representments?state=all">All representments</a>`,
  );
}

interface RowContext {
  readonly state: RepresentmentState;
  readonly sort: RepresentmentSort;
  readonly now: Date;
  /** Of open ones. */
  readonly packs: ReadonlyMap<string, Pack>;
  readonly sent: ReadonlyMap<string, readonly SentPack[]>;
  readonly customers: ReadonlyMap<string, string>;
}

const none = html`<span class="quiet">–</span>`;

function list(rows: readonly RepresentmentItem[], context: RowContext): Html {
  const heading = sortLinks(
    context.sort,
    (sort) => `/representments?state=${context.state}&sort=${sort}`,
  );
  const isOpenList = context.state === 'open';
  return html`${table({
    label: 'Representments',
    columns: [
      'Dispute',
      heading('Amount', '-amount', true),
      heading('Evidence due', 'due'),
      ...(isOpenList ? ['Left', 'Required'] : [heading('Outcome', 'status')]),
      'Reason',
      'Customer',
      'Card',
      'Sent',
      heading('Changed', '-changed'),
    ],
    rows: rows.map((row) => cellsOf(row, context)),
  })}`;
}

function cellsOf(row: RepresentmentItem, context: RowContext): HtmlValue[] {
  const customer = context.customers.get(row.orderReference ?? '');
  const pack = context.packs.get(row.id);
  const dueBy = row.dispute_due_by;
  return [
    html`<a href="${representmentPath(row.id)}" title="${row.id}" aria-label="${spokenOf(row, customer)}">${stageWord(row)}</a>`,
    amount(row.amount_minor, row.currency),
    dueBy === null ? html`<span class="quiet">not told</span>` : deadline(dueBy),
    ...(context.state === 'open' ? whatIsLeft(dueBy, pack, context.now) : [outcomeBadge(row)]),
    reasonOf(row, pack),
    customer ?? none,
    row.cardLast4 === null ? none : `····\u00a0${row.cardLast4}`,
    sentWords(context.sent.get(row.id) ?? []),
    moment(row.changed_at),
  ];
}

function whatIsLeft(dueBy: Date | null, pack: Pack | undefined, now: Date): Html[] {
  return [
    dueBy === null ? none : timeLeft(dueBy, now),
    pack === undefined ? none : heldWords(pack),
  ];
}

function stageWord(row: RepresentmentRow): string {
  return plainWord(row.dispute_stage) ?? 'dispute';
}

/** `chargeback of $84.00, Lena, card ending 9505`: what is seen, and more. */
function spokenOf(row: RepresentmentItem, customer: string | undefined): string {
  const { amount_minor: amountMinor, currency, cardLast4 } = row;
  return `${stageWord(row)} of ${spokenName({ amountMinor, currency, cardLast4 }, customer)}`;
}

const TONES: Readonly<Record<string, string>> = { WON: 'good', LOST: 'bad' };

function outcomeBadge(row: RepresentmentRow): Html {
  const tone = isOpenDispute(row) ? 'warn' : (TONES[row.dispute_status ?? ''] ?? '');
  return html`<span class="state ${tone}">${plainWord(row.dispute_status) ?? 'unknown'}</span>`;
}

function reasonOf({ snapshot }: RepresentmentRow, pack: Pack | undefined): Html {
  const code = pack?.reasonCode ?? snapshot['dispute_reason_code'];
  const reason = snapshot['dispute_reason'];
  if (typeof code === 'string' && code !== '') return html`${reasonWords(code)}`;
  return typeof reason === 'string' ? html`${plainWord(reason)}` : none;
}

function sentWords([latest]: readonly SentPack[]): Html {
  if (latest === undefined) return none;
  return html`version ${latest.version}, ${latest.sent_by}, ${moment(latest.sent_at)}`;
}

/** A word of the service as people write it: `SUBSCRIPTION_CANCELED` is `subscription canceled`. */
export function plainWord(word: string | null): string | null {
  return word === null ? null : word.replaceAll('_', ' ').toLowerCase();
}

export function representmentPath(id: string): string {
  return `/representments/${encodeURIComponent(id)}`;
}

/** How much of what is required we hold. */
export function heldWords({ rule, missing }: Pack): Html {
  const all = rule.required.length;
  const held = all - missing.length;
  return html`<span class="state ${missing.length === 0 ? 'good' : 'warn'}">${held} of ${all} held</span>`;
}
