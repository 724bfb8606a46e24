/**
 * Operators: who may use the console, as what. For administrators. Where there are several organisations the same page
 * is in each, for anyone who is entered for it, and once for all (`installation-operators.ts`).
 */
import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { proven } from '../../../surface/access/needs.ts';
import type {
  NewOperator,
  OperatorRow,
  TokenWish,
} from '../../../surface/access/operator.store.ts';
import {
  addOperator,
  listLinks,
  listOperators,
  OPERATOR_FAULTS,
  readTokenEnd,
  removeOperator,
  renewToken,
  setRole,
  TOKEN_END_FAULT,
} from '../../../surface/access/operator.store.ts';
import type { OperatorChange } from '../../../surface/access/people-change.ts';
import { listRefusals } from '../../../surface/access/refusals.ts';
import { listGuests } from '../../../surface/access/right.store.ts';
import { ROLES, VERBS } from '../../../surface/access/role.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import type { ConsoleOptions, DoorOptions } from '../../../surface/web/ports.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { RegisterPage, Visit } from '../../../surface/web/visit.ts';
import { fieldsOf, filledField, page, send } from '../../../surface/web/visit.ts';
import { addForm, endField, operatorTable, programForm, refusedTable } from './operator-forms.ts';

const newOperator = z.object({
  name: z.string().max(60),
  role: z.enum(ROLES).nullable(),
  email: z.email().max(200).optional(),
  sign_in: z.enum(['token', 'provider']),
});

const newProgram = z.object({
  name: z.string().max(60),
  may: z
    .array(z.enum(VERBS))
    .refine((verbs) => verbs.length > 0, { error: 'has to name something that it may do' }),
});

/** What an installation of several organisations adds. */
export interface OperatorsExtras {
  /** Whether somebody may have no role, and rights for some organisations in its place. */
  readonly offersNone: boolean;
  /** What each of them may do for organisations, as a cell. Read once for a page. */
  readonly rights?: () => Promise<(row: OperatorRow) => Html>;
  /** What is under the list. */
  readonly below: (rows: readonly OperatorRow[]) => Promise<HtmlValue>;
}

interface Place {
  readonly visit: Visit<DoorOptions>;
  readonly extras: OperatorsExtras;
}

export function operatorsPage<Options extends DoorOptions>(
  extrasOf: (visit: Visit<Options>) => OperatorsExtras,
): RegisterPage<Options> {
  return (router, context, form) => {
    type Act = (place: Place) => Promise<void>;
    const shown = (act: Act): RequestHandler =>
      page(context, 'administrator', (visit) => act({ visit, extras: extrasOf(visit) }));
    const done = (act: Act): RequestHandler =>
      page(context, proven('administrator', '/operators'), (visit) =>
        act({ visit, extras: extrasOf(visit) }),
      );
    route(router, '/operators', {
      get: shown((place) => show(place, {})),
      post: [form, done(add)],
    });
    route(router, '/operators/program', { post: [form, done(addProgram)] });
    route(router, '/operators/role', { post: [form, done(changeRole)] });
    for (const [name, act] of [
      ['token', newToken],
      ['remove', remove],
    ] as const) {
      route(router, `/operators/${name}`, {
        get: done((place) => confirm(place, name)),
        post: [form, done(act)],
      });
    }
  };
}

/** The page of an organisation: those who are entered for it, and under them who else may act for it. */
export const registerOperators = operatorsPage<ConsoleOptions>(({ options }) => ({
  offersNone: false,
  below: async () => {
    const guests = await listGuests(options.db, options.organisationId);
    return guests.length === 0
      ? ''
      : html`<h2>Entered elsewhere, with a right for this organisation</h2>
${table({ label: 'With a right for this organisation', columns: ['Name', 'Role'], rows: guests.map(({ name, role }) => [name, role]) })}`;
  },
}));

export interface Notice {
  readonly status?: number;
  readonly fault?: string;
  /** For the owner of a new token. Shown once, never again. */
  readonly link?: { readonly name: string; readonly text: string };
  readonly done?: string;
}

export async function show(
  { visit, extras }: Place,
  { status = 200, fault, link, done }: Notice,
): Promise<void> {
  const { db, organisationId } = visit.options;
  const rows = await listOperators(db, organisationId);
  const rights = await extras.rights?.();
  const links = await listLinks(db, organisationId, visit.now);
  const since = new Date(visit.now.getTime() - 86_400_000);
  const refused = await listRefusals(db, { organisationId, since });
  const body = html`<h1>Operators</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${done !== undefined && html`<p class="banner done" role="status">${done}</p>`}
${link !== undefined && html`<div class="banner done" role="status"><p>The link for <strong>${link.name}</strong>, shown only now. Send it to them: who opens it within three days gets the token, once. Nobody else sees it, you neither.</p><pre tabindex="0">${link.text}</pre></div>`}
<p class="quiet">The holder of the console token is an administrator under the name <code>console</code>. Give every person an operator of their own: the audit log then names them, and a second person can approve.</p>
${operatorTable({ visit, offersNone: extras.offersNone, links }, rows, rights)}
${await extras.below(rows)}
<h2>Add a person</h2>${addForm(visit, extras.offersNone)}
<h2>Add a program</h2>${programForm(visit)}
${refused.length > 0 && refusedTable(refused)}`;
  send(visit, { status, title: 'Operators', active: '/operators', body });
}

const FINAL_ACTS = {
  token: {
    title: 'A new token?',
    button: 'Make a new token',
    effect:
      'The previous token stops working at once, and everybody who is signed in with it is signed out. You get a link for its owner, which shows the new one once.',
  },
  remove: {
    title: 'Remove the operator?',
    button: 'Remove',
    effect:
      'They are signed out at once and cannot sign in any more. What they decided stays in the audit log under their name. To let them in again, add them again: with a new token.',
  },
} as const;

/** One click too many must not lock a colleague out. */
async function confirm(place: Place, act: keyof typeof FINAL_ACTS): Promise<void> {
  const { visit } = place;
  const { options, request, csrfToken } = visit;
  const rows = await listOperators(options.db, options.organisationId);
  const row = rows.find(({ name }) => name === request.query['name']);
  if (row === undefined) return await show(place, outcome(false, ''));
  const { title, button, effect } = FINAL_ACTS[act];
  const body = html`<p class="crumbs"><a href="/operators">Operators</a></p><h1>${title}</h1>
<div class="card"><p><strong>${row.name}</strong>, ${row.role ?? 'with rights for some organisations'}, since ${moment(row.created_at)}.</p><p>${effect}</p>
<form method="post" action="/operators/${act}">${csrfField(csrfToken)}<input type="hidden" name="name" value="${row.name}">${act === 'token' && endField(visit)}<p class="actions"><button class="${act === 'remove' ? 'danger' : ''}">${button} ${act === 'remove' && row.name}</button>
<a class="button plain" href="/operators">Cancel</a></p></form></div>`;
  send(visit, { title, active: '/operators', body });
}

function changeOf({ options, who, now, request, caller }: Visit<DoorOptions>): OperatorChange {
  const { organisationId } = options;
  const name = filledField(request, 'name') ?? '';
  return { organisationId, name, by: who.name, session: caller.session.id, now };
}

/** A token by link, until the day that the form names; undefined: it names no such day, which has been said. */
async function wishOf(place: Place): Promise<TokenWish | undefined> {
  const { request, now } = place.visit;
  const day = filledField(request, 'ends');
  const endsAt = day === undefined ? undefined : readTokenEnd(day, now);
  if (day === undefined || endsAt !== undefined) return { as: 'link', endsAt };
  await show(place, { status: 400, fault: TOKEN_END_FAULT });
  return undefined;
}

/** Where its owner opens a link: at the door, which is the same for all organisations. */
function linkNotice({ request, options }: Visit<DoorOptions>, name: string, link: string): Notice {
  const scheme = options.secureCookies === true ? 'https' : 'http';
  return { link: { name, text: `${scheme}://${request.get('host') ?? ''}/token/${link}` } };
}

async function add(place: Place): Promise<void> {
  const { visit } = place;
  const { request } = visit;
  const fields = read(newOperator, {
    name: filledField(request, 'name'),
    role: roleField(place),
    email: filledField(request, 'email'),
    sign_in: filledField(request, 'sign_in'),
  });
  const withToken = fields.ok && fields.value.sign_in === 'token';
  if (!fields.ok || (!withToken && fields.value.email === undefined)) {
    const fault = fields.ok
      ? 'Give the e-mail address that the identity provider knows.'
      : fields.faults.map(({ message }) => message).join(' ');
    return await show(place, { status: 400, fault });
  }
  const { email, role } = fields.value;
  const token = withToken ? await wishOf(place) : undefined;
  if (withToken && token === undefined) return;
  await enter(place, { ...changeOf(visit), role, email, token });
}

async function addProgram(place: Place): Promise<void> {
  const { visit } = place;
  const may = fieldsOf(visit.request, 'may');
  const fields = read(newProgram, { name: filledField(visit.request, 'name'), may });
  if (!fields.ok) {
    const fault = fields.faults.map(({ message }) => message).join(' ');
    return await show(place, { status: 400, fault });
  }
  const token = await wishOf(place);
  if (token === undefined) return;
  await enter(place, { ...changeOf(visit), role: 'viewer', may: fields.value.may, token });
}

async function enter(place: Place, operator: NewOperator): Promise<void> {
  const { visit } = place;
  const { name } = operator;
  const added = await addOperator(visit.options.db, operator);
  if (!added.ok) return await show(place, { status: 409, fault: OPERATOR_FAULTS[added.reason] });
  const { link } = added;
  const done = { done: `${name} may sign in.` };
  await show(place, link === undefined ? done : linkNotice(visit, name, link));
}

/** Nothing chosen is no role, where that is offered. */
function roleField({ visit, extras }: Place): string | null | undefined {
  return filledField(visit.request, 'role') ?? (extras.offersNone ? null : undefined);
}

async function changeRole(place: Place): Promise<void> {
  const { visit } = place;
  const role = read(z.enum(ROLES).nullable(), roleField(place));
  const change = changeOf(visit);
  const isDone = role.ok && (await setRole(visit.options.db, { ...change, role: role.value }));
  await show(place, outcome(isDone, `${change.name} has another role; their sessions ended.`));
}

async function newToken(place: Place): Promise<void> {
  const { visit } = place;
  const change = changeOf(visit);
  const token = await wishOf(place);
  if (token === undefined) return;
  const made = await renewToken(visit.options.db, { ...change, token });
  const notice =
    made?.link === undefined ? outcome(false, '') : linkNotice(visit, change.name, made.link);
  await show(place, notice);
}

async function remove(place: Place): Promise<void> {
  const { visit } = place;
  const change = changeOf(visit);
  const isDone = await removeOperator(visit.options.db, change);
  await show(place, outcome(isDone, `${change.name} is no operator any more.`));
}

function outcome(isDone: boolean, done: string): Notice {
  return isDone ? { done } : { status: 404, fault: OPERATOR_FAULTS.not_found };
}
