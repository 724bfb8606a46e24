/**
 * Operators of an installation of several organisations: who acts for all of them, and who for which. For administrators
 * of all; an administrator of one organisation enters people for that one, on its own page.
 */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { proven } from '../../../surface/access/needs.ts';
import type { OperatorRow } from '../../../surface/access/operator.store.ts';
import { findOperator, OPERATOR_FAULTS } from '../../../surface/access/operator.store.ts';
import type { RightChange } from '../../../surface/access/right.store.ts';
import {
  grantRight,
  INSTALLATION,
  listRights,
  revokeRight,
} from '../../../surface/access/right.store.ts';
import { ROLES } from '../../../surface/access/role.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import type { InstallationOptions, ListedOrganisation } from '../../../surface/web/ports.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { filledField, page } from '../../../surface/web/visit.ts';
import type { Notice, OperatorsExtras } from './operators.ts';
import { operatorsPage, show } from './operators.ts';

type Front = Visit<InstallationOptions>;

/** Organisations that a form offers to choose from; beyond, their names are typed. */
const CHOSEN_FROM_MAX = 200;

function extrasOf(visit: Front): OperatorsExtras {
  return {
    offersNone: true,
    rights: () => readRights(visit),
    below: async (rows) => rows.length > 0 && html`<h2>Give a right</h2>${grantForm(visit, rows)}`,
  };
}

const registerList = operatorsPage(extrasOf);

const NEEDS = proven('administrator', '/operators');

export function registerInstallationOperators(
  router: Router,
  context: PageContext<InstallationOptions>,
  form: RequestHandler,
): void {
  registerList(router, context, form);
  route(router, '/operators/grant', { post: [form, page(context, NEEDS, grant)] });
  route(router, '/operators/revoke', { post: [form, page(context, NEEDS, revoke)] });
}

async function readRights(visit: Front): Promise<(row: OperatorRow) => Html> {
  const { db, organisations } = visit.options;
  const all = new Map(organisations().map((each) => [each.id, each]));
  const rights = await listRights(db, [...all.keys()]);
  const here = rights.filter(({ home }) => home === INSTALLATION);
  const byOperator = Map.groupBy(here, ({ operatorId }) => operatorId);
  return ({ id, name }) => {
    const own = byOperator.get(id) ?? [];
    return html`<ul class="rights">${own.map(({ organisationId, role }) => {
      const label = all.get(organisationId)?.name ?? organisationId;
      return html`<li>${label}: ${role} <form method="post" action="/operators/revoke" class="actions">${csrfField(visit.csrfToken)}<input type="hidden" name="name" value="${name}"><input type="hidden" name="organisation" value="${organisationId}"><button class="plain small">Take away<span class="hidden"> ${name}’s right for ${label}</span></button></form></li>`;
    })}</ul>`;
  };
}

function grantForm({ csrfToken, options }: Front, rows: readonly OperatorRow[]): Html {
  const all = options.organisations();
  return html`<form method="post" action="/operators/grant" class="card filters">${csrfField(csrfToken)}
<div><label for="grant-name">Operator</label><select id="grant-name" name="name">${rows.map(({ name }) => html`<option>${name}</option>`)}</select></div>
<div><label for="grant-organisation">Organisation</label>${
    all.length > CHOSEN_FROM_MAX
      ? html`<input id="grant-organisation" name="organisation" required maxlength="100" autocomplete="off" placeholder="name in its address, or id">`
      : html`<select id="grant-organisation" name="organisation">${all.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select>`
  }</div>
<div><label for="grant-role">Role there</label><select id="grant-role" name="role">${ROLES.map((role) => html`<option>${role}</option>`)}</select></div>
<div class="actions"><button>Give the right</button></div></form>`;
}

const NO_ORGANISATION = 'There is no organisation of this name in the installation file.';

/** Whose right, for which organisation; or what is wrong with the form. */
async function changeOf({
  options,
  request,
  who,
  now,
  caller,
}: Front): Promise<
  { readonly change: RightChange; readonly organisation: ListedOrganisation } | Notice
> {
  const name = filledField(request, 'name') ?? '';
  const named = filledField(request, 'organisation');
  const organisation = options
    .organisations()
    .find(({ id, path }) => named === id || named === path);
  if (organisation === undefined) return { status: 404, fault: NO_ORGANISATION };
  const row = await findOperator(options.db, INSTALLATION, name);
  if (row === undefined) return { status: 404, fault: OPERATOR_FAULTS.not_found };
  const { id: organisationId } = organisation;
  const key = { home: INSTALLATION, operatorId: row.id };
  const by = { by: who.name, session: caller.session.id, now };
  return { change: { ...key, organisationId, name: row.name, ...by }, organisation };
}

async function grant(visit: Front): Promise<void> {
  const found = await changeOf(visit);
  const role = read(z.enum(ROLES), filledField(visit.request, 'role'));
  if (!('change' in found)) return await answer(visit, found);
  if (!role.ok) return await answer(visit, { status: 400, fault: 'Choose a role.' });
  const { change, organisation } = found;
  const isGiven = await grantRight(visit.options.db, { ...change, role: role.value });
  if (!isGiven) return await answer(visit, { status: 409, fault: OPERATOR_FAULTS.name_taken });
  const done = `${change.name} is ${role.value} of ${organisation.name} now.`;
  await answer(visit, { done });
}

async function revoke(visit: Front): Promise<void> {
  const found = await changeOf(visit);
  if (!('change' in found)) return await answer(visit, found);
  const { change, organisation } = found;
  const isDone = await revokeRight(visit.options.db, change);
  const done = `${change.name} has no right for ${organisation.name} any more.`;
  await answer(visit, isDone ? { done } : { status: 404, fault: 'There was no such right.' });
}

async function answer(visit: Front, notice: Notice): Promise<void> {
  await show({ visit, extras: extrasOf(visit) }, notice);
}
