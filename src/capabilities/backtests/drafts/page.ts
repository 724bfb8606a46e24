/**
 * Policies written in the console: a draft is edited and checked, tried on the past, and put in force by a
 * second person. Where a policy file is configured, the file is the truth and nothing can be edited here.
 */
import type { Router } from 'express';
import { z } from 'zod';
import { readPolicyOwner } from '../../../alerts/cases/worker-settings.store.ts';
import { inTransaction } from '../../../base/db/transaction.ts';
import type { StoredVersion } from '../../../policy/version.store.ts';
import { findActivation, findVersion } from '../../../policy/version.store.ts';
import { asAsked, plainly } from '../../../surface/access/needs.ts';
import { ownerNote } from '../../../surface/on-policies.ts';
import { changeCounts } from '../../../surface/view/difference.ts';
import { isFresh } from '../../../surface/web/auth.ts';
import { plainText, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  filledField,
  goTo,
  goToConfirm,
  page,
  send,
  sendError,
  sendHtml,
} from '../../../surface/web/visit.ts';
import { findBacktest, listBacktests, requestBacktest, UNFINISHED_MAX } from '../backtest.store.ts';
import { backtestBody } from '../form.ts';
import { verdictText } from '../page.ts';
import { ACTIVATION_REFUSALS, activateDraft } from './activate-draft.ts';
import type { PolicyCheck } from './check-text.ts';
import { checkText } from './check-text.ts';
import type { DraftText, PolicyDraft } from './draft.store.ts';
import {
  askForSecond,
  DRAFTS_MAX,
  discardDraft,
  findDraft,
  insertDraft,
  updateDraft,
} from './draft.store.ts';
import { draftBody, draftChecks, draftPath } from './view.ts';

/** What a new draft begins with where no policy can be copied. */
const EMPTY =
  'name: Our policy\nrules:\n  - name: small amounts\n    when:\n      amount: {at_most: 50.00 USD}\n    then: REFUND\notherwise: REVIEW\n';

/** Days that a draft is tried on. */
const TRIED_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Backtests that are looked through for those of a draft. */
const BACKTESTS_MAX = 50;

export function registerPolicyDrafts(router: Router, context: PageContext): void {
  const body = backtestBody(context);
  const act = (
    show: (visit: Visit) => Promise<void>,
    needs = plainly('administrator'),
  ): ReturnType<typeof page> =>
    page(context, needs, async (visit) => {
      if (await isEditable(visit)) await show(visit);
    });
  route(router, '/policies/drafts', { post: [body, act(begin)] });
  route(router, '/policies/drafts/check', { post: [body, act(check)] });
  route(router, '/policies/drafts/:id', {
    get: page(context, 'viewer', showDraft),
    post: [body, act(save)],
  });
  // It proves who is there itself, and leads back to the draft.
  route(router, '/policies/drafts/:id/activate', {
    post: [body, act(activate, asAsked('administrator'))],
  });
  for (const [name, run] of Object.entries({ ask, discard, try: tryOnThePast })) {
    route(router, `/policies/drafts/:id/${name}`, { post: [body, act(run)] });
  }
}

/** Whether policies are edited here at all; the answer says so where not. */
async function isEditable(visit: Visit): Promise<boolean> {
  const { db, organisationId } = visit.options;
  const owner = await readPolicyOwner(db, organisationId);
  if (owner === 'console') return true;
  sendError(visit, 409, { title: 'Not edited here', message: ownerNote(owner) });
  return false;
}

async function findInForce({ options }: Visit): Promise<StoredVersion | undefined> {
  const { db, organisationId } = options;
  const latest = await findActivation(db, organisationId);
  return latest && (await findVersion(db, organisationId, latest.version));
}

/** A draft of an earlier version, of the one in force, or of nothing. */
async function begin(visit: Visit): Promise<void> {
  const { options, request } = visit;
  const { db, organisationId } = options;
  const inForce = await findInForce(visit);
  const wanted = read(plainText, filledField(request, 'version'));
  const from = wanted.ok ? await findVersion(db, organisationId, wanted.value) : inForce;
  const isText = from?.kind === 'yaml';
  const source = isText ? from.source : EMPTY;
  const text = textOf(visit, source, isText ? from.files : {});
  const id = await insertDraft(db, { ...text, basedOn: inForce?.version ?? null });
  if (id === undefined) {
    const message = `There are ${DRAFTS_MAX} drafts. Discard some first.`;
    return sendError(visit, 409, { title: 'Not begun', message });
  }
  goTo(visit, draftPath(id));
}

/** The text as it is stored, with what the checks found out. */
function textOf(
  { options, who, now }: Visit,
  source: string,
  known: Readonly<Record<string, string>>,
): DraftText {
  const checked = checkText(source, { known, brands: options.brands });
  return {
    organisationId: options.organisationId,
    operator: who.name,
    name: checked.ok ? checked.policy.name : 'Draft',
    source,
    // A file that the text does not name now may be named again.
    files: known,
    version: checked.ok ? checked.policy.version : null,
    now,
  };
}

async function draftOf(visit: Visit): Promise<PolicyDraft | undefined> {
  const { db, organisationId } = visit.options;
  const id = read(plainText, visit.request.params['id']);
  const draft = id.ok ? await findDraft(db, organisationId, id.value) : undefined;
  if (draft === undefined) {
    sendError(visit, 404, { title: 'No such draft', message: 'Check its name.' });
  }
  return draft;
}

async function showDraft(visit: Visit): Promise<void> {
  const draft = await draftOf(visit);
  if (draft !== undefined) await sendDraft(visit, draft, {});
}

interface Shown {
  readonly status?: number;
  readonly fault?: string;
  /** What a person sent that was not stored. */
  readonly source?: string;
}

async function sendDraft(
  visit: Visit,
  draft: PolicyDraft,
  { status = 200, fault, source = draft.source }: Shown,
): Promise<void> {
  const { db, organisationId, brands } = visit.options;
  const [inForce, owner, backtests] = await Promise.all([
    findInForce(visit),
    readPolicyOwner(db, organisationId),
    listBacktests(db, organisationId, BACKTESTS_MAX),
  ]);
  const checked = checkText(source, { known: draft.files, brands });
  const tried = backtests.filter((item) => item.policy_version === draft.version);
  const newest = tried.find(({ verdict }) => verdict !== null);
  const done = newest && (await findBacktest(db, organisationId, newest.id));
  const parts = done?.result?.parts ?? [];
  const body = draftBody(visit, { draft, source, checked, inForce, owner, tried, parts, fault });
  send(visit, { status, title: draft.name, active: '/policies', body });
}

/** The checks alone, while somebody types. */
async function check(visit: Visit): Promise<void> {
  const { options, request, response } = visit;
  const id = read(plainText, filledField(request, 'draft'));
  const draft = id.ok ? await findDraft(options.db, options.organisationId, id.value) : undefined;
  const known = draft?.files ?? {};
  const found: PolicyCheck = checkText(sentText(visit), { known, brands: options.brands });
  sendHtml(response, 200, draftChecks(found).toString());
}

function sentText({ request }: Visit): string {
  return fieldOf(request, 'text')?.replaceAll('\r\n', '\n') ?? '';
}

async function save(visit: Visit): Promise<void> {
  const draft = await draftOf(visit);
  if (draft === undefined) return;
  const { options, request } = visit;
  const source = sentText(visit);
  const seenAt = read(z.iso.datetime(), filledField(request, 'seen'));
  const inForce = await findInForce(visit);
  const text = textOf(visit, source, draft.files);
  const isKept =
    seenAt.ok &&
    (await updateDraft(options.db, {
      ...text,
      id: draft.id,
      seenAt: new Date(seenAt.value),
      basedOn: inForce?.version ?? null,
    }));
  if (isKept) {
    if (fieldOf(request, 'then') === 'try') await tryOnThePast(visit);
    else goTo(visit, draftPath(draft.id));
    return;
  }
  const fault =
    'Not saved: somebody else changed or finished this draft meanwhile. Your text stands below; copy it before you load the page again.';
  await sendDraft(visit, draft, { status: 409, fault, source });
}

const seenText = z.object({ version: plainText, in_force: plainText.optional() });

async function activate(visit: Visit): Promise<void> {
  const draft = await draftOf(visit);
  if (draft === undefined) return;
  const { options, request, who, now, caller } = visit;
  const { db, organisationId, brands } = options;
  if (!isFresh(caller, now)) return goToConfirm(visit, draftPath(draft.id));
  const shown = read(seenText, {
    version: filledField(request, 'version'),
    in_force: filledField(request, 'in_force'),
  });
  if (!shown.ok) {
    await sendDraft(visit, draft, { status: 400, fault: ACTIVATION_REFUSALS.changed });
    return;
  }
  const { version, in_force: inForce = null } = shown.value;
  const asked = { organisationId, id: draft.id, operator: who.name, brands, now };
  const result = await inTransaction(
    db,
    async (trx) => await activateDraft(trx, { ...asked, version, inForce }),
  );
  if (result.ok) goTo(visit, '/policies');
  else {
    const fault = `Not put in force: ${ACTIVATION_REFUSALS[result.reason]}`;
    await sendDraft(visit, draft, { status: 409, fault });
  }
}

/** The author asks: people are told by the channels, and every other administrator on Today. */
async function ask(visit: Visit): Promise<void> {
  const draft = await draftOf(visit);
  if (draft === undefined) return;
  const { options, who, now } = visit;
  const { db, organisationId } = options;
  const { id, version, name, authors, source } = draft;
  if (version === null || draft.state !== 'DRAFT') {
    return await sendDraft(visit, draft, { status: 409, fault: ACTIVATION_REFUSALS.unusable });
  }
  const [inForce, backtests] = await Promise.all([
    findInForce(visit),
    listBacktests(db, organisationId, BACKTESTS_MAX),
  ]);
  const newest = backtests.find((item) => item.policy_version === version && item.verdict !== null);
  const changed =
    inForce === undefined ? 'no policy is in force yet' : changeCounts(inForce.source, source);
  const found =
    newest?.verdict == null
      ? 'It was not tried on the past.'
      : `Tried on the past: ${verdictText(newest.verdict)}.`;
  await askForSecond(db, {
    ...{ organisationId, id, version, operator: who.name, now },
    text: `Policy draft "${name}", written by ${authors.join(', ')}, waits for a second administrator: ${changed}. ${found} Open it under Policies in the console, and put it in force or discard it.`,
  });
  goTo(visit, `${draftPath(id)}?asked=yes`);
}

async function discard(visit: Visit): Promise<void> {
  const draft = await draftOf(visit);
  if (draft === undefined) return;
  const { options, who, now } = visit;
  const { db, organisationId } = options;
  await discardDraft(db, { organisationId, id: draft.id, operator: who.name, now });
  goTo(visit, '/policies');
}

async function tryOnThePast(visit: Visit): Promise<void> {
  const draft = await draftOf(visit);
  if (draft === undefined) return;
  const { options, who, now } = visit;
  const { db, organisationId, brands } = options;
  const checked = checkText(draft.source, { known: draft.files, brands });
  const from = new Date(now.getTime() - TRIED_DAYS * DAY_MS);
  const request = { organisationId, by: who.name, from, before: now, now, against: undefined };
  const id = checked.ok ? await requestBacktest(db, { ...request, policy: checked.policy }) : null;
  if (typeof id === 'string') return goTo(visit, `/policies/backtests/${encodeURIComponent(id)}`);
  const fault =
    id === null
      ? ACTIVATION_REFUSALS.unusable
      : `${UNFINISHED_MAX} backtests are not finished yet. Wait for one, or stop it.`;
  await sendDraft(visit, draft, { status: 409, fault });
}
