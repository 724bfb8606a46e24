/** What the page of operators is made of: who there is, how each comes in, what was refused, and the forms. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { OperatorRow } from '../../../surface/access/operator.store.ts';
import { TOKEN_DAYS } from '../../../surface/access/operator.store.ts';
import type { RefusedFrom, RefusedWay } from '../../../surface/access/refusals.ts';
import { ROLE_WORDS, ROLES, VERB_WORDS, VERBS } from '../../../surface/access/role.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { stackedTable, table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import type { DoorOptions } from '../../../surface/web/ports.ts';
import type { Visit } from '../../../surface/web/visit.ts';

/** A token that ends sooner is marked, in milliseconds. */
const ENDS_SOON_MS = 14 * 86_400_000;

interface Forms {
  readonly visit: Visit<DoorOptions>;
  readonly offersNone: boolean;
  /** Until when links wait, by operator. */
  readonly links: ReadonlyMap<string, Date>;
}

export function refusedTable(refused: readonly RefusedFrom[]): Html {
  const rows = refused.map(({ address, ways, count, lastMinute }) => [
    address,
    String(count),
    ways.map((way) => WAY_WORDS[way] ?? way).join(', '),
    moment(lastMinute),
  ]);
  const columns = ['Address', 'Refused', 'What', 'Last'];
  return html`<h2>Refused sign-ins of the last 24 hours</h2>
${table({ label: 'Refused sign-ins by address', columns, rows })}`;
}

const WAY_WORDS: Readonly<Record<string, string>> = {
  token: 'wrong token in the form',
  provider: 'at the identity provider',
  confirm: 'wrong token when proving it again',
  bearer: 'wrong or ended token in a request',
  link: 'link that was used, or never was',
  closed: 'too many attempts',
} satisfies Record<RefusedWay, string>;

export function operatorTable(
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
      row.may === null
        ? (row.role ?? html`<span class="quiet">none</span>`)
        : html`program: ${row.may.join(', ')}`,
      ...(rights === undefined ? [] : [rights(row)]),
      waysIn(forms, row),
      html`${moment(row.created_at)} <span class="quiet">by ${row.created_by}</span>`,
      changeForms(forms, row),
    ]),
  });
}

/** By what somebody signs in, until when it holds, and when it was used last. */
function waysIn({ visit: { now }, links }: Forms, row: OperatorRow): Html {
  const { email, oidc_subject: subject, token_ends_at: endsAt, token_used_at: usedAt } = row;
  const waits = links.get(row.id);
  const leftMs = (endsAt?.getTime() ?? 0) - now.getTime();
  const end = leftMs <= 0 ? 'ended' : 'ends';
  return html`<ul class="rights">${
    endsAt !== null &&
    html`<li>a token, <span${leftMs < ENDS_SOON_MS && html` class="warn"`}>${end} ${moment(endsAt)}</span>, ${usedAt === null ? 'not used yet' : html`used last ${moment(usedAt)}`}</li>`
  }${waits !== undefined && html`<li>a link that nobody has opened yet, until ${moment(waits)}</li>`}${
    email !== null &&
    html`<li>${email}${subject === null && html` <span class="quiet">(not yet)</span>`}</li>`
  }</ul>`;
}

function changeForms(
  { visit: { csrfToken }, offersNone }: Forms,
  { name, role, may }: OperatorRow,
): Html {
  const hidden = html`${csrfField(csrfToken)}<input type="hidden" name="name" value="${name}">`;
  const query = new URLSearchParams({ name }).toString();
  return html`${may === null && html`<form method="post" action="/operators/role" class="actions">${hidden}<select name="role" aria-label="Role of ${name}">${offersNone && html`<option value=""${role === null && html` selected`}>none</option>`}${ROLES.map((one) => html`<option${one === role && html` selected`}>${one}</option>`)}</select><button class="plain small">Change role</button></form>`}
<p class="actions"><a class="button plain small" href="/operators/token?${query}">New token…</a>
<a class="button plain small" href="/operators/remove?${query}">Remove ${name}…</a></p>`;
}

/** The last day of a token, in UTC. Nothing chosen: the latest there can be. */
export function endField({ now }: Pick<Visit<DoorOptions>, 'now'>): Html {
  const day = (ms: number): string => new Date(now.getTime() + ms).toISOString().slice(0, 10);
  return html`<label for="ends">Last day of the token</label><input id="ends" name="ends" type="date" min="${day(0)}" max="${day((TOKEN_DAYS - 1) * 86_400_000)}"><p class="quiet">Left empty, it holds for ${TOKEN_DAYS} days.</p>`;
}

export function programForm({ csrfToken, now }: Visit<DoorOptions>): Html {
  return html`<form method="post" action="/operators/program" class="card">${csrfField(csrfToken)}
<label for="program-name">Name</label><input id="program-name" name="name" required maxlength="60" autocomplete="off">
<fieldset><legend>It may</legend>${VERBS.map((verb) => html`<label class="inline"><input type="checkbox" name="may" value="${verb}"><span><code>${verb}</code> <span class="quiet">${VERB_WORDS[verb]}</span></span></label>`)}</fieldset>
${endField({ now })}
<p class="actions"><button>Add the program</button></p></form>`;
}

export function addForm(
  { csrfToken, context, now }: Visit<DoorOptions>,
  offersNone: boolean,
): Html {
  return html`<form method="post" action="/operators" class="card">${csrfField(csrfToken)}
<label for="name">Name</label><input id="name" name="name" required maxlength="60" autocomplete="off">
<fieldset><legend>${offersNone ? 'Role for all organisations' : 'Role'}</legend>${offersNone && html`<label class="inline"><input type="radio" name="role" value="" required><span>none <span class="quiet">has the rights that you then give, one organisation at a time</span></span></label>`}${ROLES.map((role) => html`<label class="inline"><input type="radio" name="role" value="${role}" required><span>${role} <span class="quiet">${ROLE_WORDS[role]}</span></span></label>`)}</fieldset>
<label for="email">E-mail at the identity provider${context.oidc === undefined && ' (none is configured)'}</label><input id="email" name="email" type="email" autocomplete="off">
<fieldset><legend>Signs in with</legend><label class="inline"><input type="radio" name="sign_in" value="token" checked><span>a token, which a link shows them once</span></label>
<label class="inline"><input type="radio" name="sign_in" value="provider"><span>the identity provider only</span></label></fieldset>
${endField({ now })}
<p class="actions"><button>Add</button></p></form>`;
}
