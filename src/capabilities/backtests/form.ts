/** Asking for a backtest: the form, and what came in with it read as a policy. */
import type { RequestHandler } from 'express';
import express from 'express';
import { z } from 'zod';
import type { Policy } from '../../alerts/decide/policy.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { loadPolicy } from '../../policy/load.ts';
import type { PolicyListItem } from '../../policy/policy-list.store.ts';
import { referencedFiles } from '../../policy/references.ts';
import { PolicyError } from '../../policy/source.ts';
import { findActivation, findVersion } from '../../policy/version.store.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { plainText, read } from '../../surface/web/query.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { fieldOf, filledField } from '../../surface/web/visit.ts';

/** Largest form in bytes: a policy of 256 KiB, every sign of it escaped. */
const FORM_BYTES_MAX = 800 * 1024;

/** Days that can be looked back over. */
const DAYS = [7, 30, 90, 365] as const;
const DAYS_DEFAULT = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Means "the text below" and "what was decided then" among the versions. */
const OWN_TEXT = 'text';
const DECIDED = 'decided';

/** What a person filled in, shown again when it is not accepted. */
export interface Filled {
  readonly candidate?: string;
  readonly text?: string;
  readonly days?: number;
  readonly against?: string;
}

/** Reads the large form, of somebody who is signed in only. */
export function backtestBody({ auth }: PageContext): RequestHandler {
  const parse = express.text({ limit: FORM_BYTES_MAX, type: 'application/x-www-form-urlencoded' });
  return (request, response, next): void => {
    if (auth.callerOf(request)?.kind === 'person') parse(request, response, next);
    else next();
  };
}

/** The form, for administrators; everybody else is told who may. */
export function backtestForm(
  { who, csrfToken }: Visit,
  versions: readonly PolicyListItem[],
  { candidate, text, days = DAYS_DEFAULT, against }: Filled,
): Html {
  if (!isAtLeast(who.role, 'administrator')) {
    return html`<p class="card quiet">An administrator can try another policy on past alerts here; the results are for everybody.</p>`;
  }
  const options = (first: Html, chosen: string | undefined): Html =>
    html`${first}${versions.map(({ version, name, inForce }) => html`<option value="${version}"${version === chosen && html` selected`}>${name} ${version.slice(0, 12)}${inForce && ' (in force)'}</option>`)}`;
  return html`<form method="post" action="/policies/backtests" class="card">${csrfField(csrfToken)}
<label for="candidate">Policy to try</label><select id="candidate" name="candidate">${options(html`<option value="${OWN_TEXT}">The text below</option>`, candidate)}</select>
<label for="text">Text of a new policy (YAML)</label><textarea id="text" name="text" class="code" rows="10" spellcheck="false" autocomplete="off" aria-describedby="text-hint">${text ?? ''}</textarea>
<p class="quiet" id="text-hint">Lists and rates that it names are taken from the version in force. Nothing is put in force by this: that is done by replacing the file.</p>
<label for="against">Compared with</label><select id="against" name="against">${options(html`<option value="${DECIDED}">What was decided then</option>`, against)}</select>
<label for="days">Alerts decided within</label><select id="days" name="days">${DAYS.map((one) => html`<option value="${one}"${one === days && html` selected`}>${one} days</option>`)}</select>
<p class="actions"><button>Try it on the past</button></p></form>`;
}

const fields = z.object({
  candidate: plainText,
  against: plainText,
  days: z.coerce.number().refine((days) => DAYS.some((one) => one === days)),
});

export type BacktestAsked =
  | {
      readonly ok: true;
      readonly policy: Policy;
      readonly against: string | undefined;
      readonly from: Date;
    }
  | { readonly ok: false; readonly fault: string; readonly filled: Filled };

export async function readBacktest(visit: Visit): Promise<BacktestAsked> {
  const { request, now } = visit;
  const text = fieldOf(request, 'text')?.replaceAll('\r\n', '\n') ?? '';
  const asked = read(fields, {
    candidate: filledField(request, 'candidate'),
    against: filledField(request, 'against'),
    days: filledField(request, 'days'),
  });
  if (!asked.ok) {
    return {
      ok: false,
      fault: 'Choose a policy, a comparison and a number of days.',
      filled: { text },
    };
  }
  const { candidate, against, days } = asked.value;
  const filled = { candidate, text, days, against };
  const policy =
    candidate === OWN_TEXT ? await ownPolicy(visit, text) : await storedPolicy(visit, candidate);
  if (typeof policy === 'string') return { ok: false, fault: policy, filled };
  if (against === DECIDED) {
    return { ok: true, policy, against: undefined, from: new Date(now.getTime() - days * DAY_MS) };
  }
  const other = await storedPolicy(visit, against);
  if (typeof other === 'string') return { ok: false, fault: other, filled };
  const from = new Date(now.getTime() - days * DAY_MS);
  return { ok: true, policy, against: other.version, from };
}

/** The text as a policy, or everything that is wrong with it. */
async function ownPolicy({ options }: Visit, text: string): Promise<Policy | string> {
  if (text.trim() === '') return 'Write or paste the text of the policy.';
  const { db, organisationId } = options;
  const inForce = await findActivation(db, organisationId);
  const stored =
    inForce === undefined ? undefined : await findVersion(db, organisationId, inForce.version);
  const named = referencedFiles(text);
  const files = Object.entries(stored?.files ?? {}).filter(([path]) => named.includes(path));
  return load(options.brands, { text, file: 'policy', files: Object.fromEntries(files) });
}

async function storedPolicy({ options }: Visit, version: string): Promise<Policy | string> {
  const stored = await findVersion(options.db, options.organisationId, version);
  if (stored === undefined) return 'That version is not stored. Load the page again.';
  if (stored.kind === 'module') {
    return 'That version is written in TypeScript; only its text is kept. Use "forestall policy backtest" with its file.';
  }
  const { source: text, files } = stored;
  return load(options.brands, { text, file: `version ${stored.version}`, files });
}

function load(
  brands: PageContext['options']['brands'],
  source: { readonly text: string; readonly file: string; readonly files: Record<string, string> },
): Policy | string {
  const { text, file, files } = source;
  try {
    return loadPolicy(text, { file, files, ...(brands === undefined ? {} : { brands }) });
  } catch (error) {
    if (error instanceof PolicyError) return error.message;
    throw error;
  }
}
