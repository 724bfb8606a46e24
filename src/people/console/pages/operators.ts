/**
 * Operators: who may use the console, as what. For administrators. Where there are several organisations the same page
 * stands in each, for who is entered for it, and once for all (`installation-operators.ts`).
 */
import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { proven } from '../../../surface/access/needs.ts';
import type { OperatorRow } from '../../../surface/access/operator.store.ts';
import {
  addOperator,
  listOperators,
  OPERATOR_FAULTS,
  removeOperator,
  renewToken,
  setRole,
} from '../../../surface/access/operator.store.ts';
import { listGuests } from '../../../surface/access/right.store.ts';
import { ROLE_WORDS, ROLES } from '../../../surface/access/role.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { stackedTable, table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import type { ConsoleOptions, DoorOptions } from '../../../surface/web/ports.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { RegisterPage, Visit } from '../../../surface/web/visit.ts';
import { filledField, page, send } from '../../../surface/web/visit.ts';

const newOperator = z.object({
  name: z.string().max(60),
  role: z.enum(ROLES).nullable(),
  email: z.email().max(200).optional(),
  sign_in: z.enum(['token', 'provider']),
});

/** What an installation of several organisations adds. */
export interface OperatorsBeside {
  /** Whether somebody may have no role, and rights for some organisations in its place. */
  readonly offersNone: boolean;
  /** What each of them may do for organisations, as a cell. Read once for a page. */
  readonly rights?: () => Promise<(row: OperatorRow) => Html>;
  /** What stands under the list. */
  readonly below: (rows: readonly OperatorRow[]) => Promise<HtmlValue>;
}

interface Place {
  readonly visit: Visit<DoorOptions>;
  readonly beside: OperatorsBeside;
}

export function operatorsPage<Options extends DoorOptions>(
  besideOf: (visit: Visit<Options>) => OperatorsBeside,
): RegisterPage<Options> {
  return (router, context, form) => {
    type Act = (place: Place) => Promise<void>;
    const shown = (act: Act): RequestHandler =>
      page(context, 'administrator', (visit) => act({ visit, beside: besideOf(visit) }));
    const done = (act: Act): RequestHandler =>
      page(context, proven('administrator', '/operators'), (visit) =>
        act({ visit, beside: besideOf(visit) }),
      );
    route(router, '/operators', {
      get: shown((place) => show(place, {})),
      post: [form, done(add)],
    });
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
  /** Shown once, never again. */
  readonly token?: { readonly name: string; readonly text: string };
  readonly done?: string;
}

export async function show(
  { visit, beside }: Place,
  { status = 200, fault, token, done }: Notice,
): Promise<void> {
  const { db, organisationId } = visit.options;
  const rows = await listOperators(db, organisationId);
  const rights = await beside.rights?.();
  const body = html`<h1>Operators</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${done !== undefined && html`<p class="banner done" role="status">${done}</p>`}
${token !== undefined && html`<div class="banner done" role="status"><p>The token of <strong>${token.name}</strong>, shown only now:</p><pre tabindex="0">${token.text}</pre></div>`}
<p class="quiet">The holder of the console token is an administrator under the name <code>console</code>. Give every person an operator of their own: the audit log then names them, and a second person can approve.</p>
${operatorTable({ visit, offersNone: beside.offersNone }, rows, rights)}
${await beside.below(rows)}
<h2>Add an operator</h2>${addForm(visit, beside.offersNone)}`;
  send(visit, { status, title: 'Operators', active: '/operators', body });
}

interface Forms {
  readonly visit: Visit<DoorOptions>;
  readonly offersNone: boolean;
}

function operatorTable(
  forms: Forms,
  rows: readonly OperatorRow[],
  rights?: (row: OperatorRow) => Html,
): Html {
  if (rows.length === 0)
    return html`<p class="card">No operator yet: only the console token lets anybody in.</p>`;
  return stackedTable({
    label: 'Operators',
    columns: [
      'Name',
      rights === undefined ? 'Role' : 'Role for all organisations',
      ...(rights === undefined ? [] : ['Rights']),
      'Signs in with',
      'Since',
      'Change',
    ],
    rows: rows.map((row) => [
      row.name,
      row.role ?? html`<span class="quiet">none</span>`,
      ...(rights === undefined ? [] : [rights(row)]),
      html`${row.token_hash !== null && 'a token'}${row.token_hash !== null && row.email !== null && ', '}${row.email}${row.email !== null && row.oidc_subject === null && html` <span class="quiet">(not yet)</span>`}`,
      html`${moment(row.created_at)} <span class="quiet">by ${row.created_by}</span>`,
      changeForms(forms, row),
    ]),
  });
}

function changeForms(
  { visit: { csrfToken }, offersNone }: Forms,
  { name, role }: OperatorRow,
): Html {
  const hidden = html`${csrfField(csrfToken)}<input type="hidden" name="name" value="${name}">`;
  const query = new URLSearchParams({ name }).toString();
  return html`<form method="post" action="/operators/role" class="actions">${hidden}<select name="role" aria-label="Role of ${name}">${offersNone && html`<option value=""${role === null && html` selected`}>none</option>`}${ROLES.map((one) => html`<option${one === role && html` selected`}>${one}</option>`)}</select><button class="plain small">Change role</button></form>
<p class="actions"><a class="button plain small" href="/operators/token?${query}">New token…</a>
<a class="button plain small" href="/operators/remove?${query}">Remove ${name}…</a></p>`;
}

const FINAL_ACTS = {
  token: {
    title: 'A new token?',
    button: 'Make a new token',
    effect:
      'The previous token stops working at once, and everybody who is signed in with it is signed out. The new one is shown once.',
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
<form method="post" action="/operators/${act}" class="actions">${csrfField(csrfToken)}<input type="hidden" name="name" value="${row.name}"><button class="${act === 'remove' ? 'danger' : ''}">${button} ${act === 'remove' && row.name}</button>
<a class="button plain" href="/operators">Cancel</a></form></div>`;
  send(visit, { title, active: '/operators', body });
}

function addForm({ csrfToken, context }: Visit<DoorOptions>, offersNone: boolean): Html {
  return html`<form method="post" action="/operators" class="card">${csrfField(csrfToken)}
<label for="name">Name</label><input id="name" name="name" required maxlength="60" autocomplete="off">
<fieldset><legend>${offersNone ? 'Role for all organisations' : 'Role'}</legend>${offersNone && html`<label class="inline"><input type="radio" name="role" value="" required><span>none <span class="quiet">has the rights that you then give, one organisation at a time</span></span></label>`}${ROLES.map((role) => html`<label class="inline"><input type="radio" name="role" value="${role}" required><span>${role} <span class="quiet">${ROLE_WORDS[role]}</span></span></label>`)}</fieldset>
<label for="email">E-mail at the identity provider${context.oidc === undefined && ' (none is configured)'}</label><input id="email" name="email" type="email" autocomplete="off">
<fieldset><legend>Signs in with</legend><label class="inline"><input type="radio" name="sign_in" value="token" checked><span>a token, shown once</span></label>
<label class="inline"><input type="radio" name="sign_in" value="provider"><span>the identity provider only</span></label></fieldset>
<p class="actions"><button>Add</button></p></form>`;
}

function changeOf({ options, who, now, request }: Visit<DoorOptions>): {
  organisationId: string;
  name: string;
  by: string;
  now: Date;
} {
  const { organisationId } = options;
  return { organisationId, name: filledField(request, 'name') ?? '', by: who.name, now };
}

async function add(place: Place): Promise<void> {
  const { visit } = place;
  const { request, options } = visit;
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
  const { name, email, role } = fields.value;
  if ((await options.isNameTaken?.(name)) === true) {
    return await show(place, { status: 409, fault: OPERATOR_FAULTS.name_taken });
  }
  const added = await addOperator(options.db, { ...changeOf(visit), role, email, withToken });
  if (!added.ok) return await show(place, { status: 409, fault: OPERATOR_FAULTS[added.reason] });
  const { token: text } = added;
  await show(
    place,
    text === undefined ? { done: `${name} may sign in.` } : { token: { name, text } },
  );
}

/** Nothing chosen is no role, where that is offered. */
function roleField({ visit, beside }: Place): string | null | undefined {
  return filledField(visit.request, 'role') ?? (beside.offersNone ? null : undefined);
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
  const text = await renewToken(visit.options.db, change);
  await show(
    place,
    text === undefined ? outcome(false, '') : { token: { name: change.name, text } },
  );
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
