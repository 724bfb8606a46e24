/**
 * Guarantee: the page of what people did counts each step once, by person, day and kind, lists them newest first to the last
 * one, and tells a decision in words; what followed from it is not counted as another.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/base/audit/audit.store.ts';
import { byOperator, lineOf, ofCase, writeAudit } from '../../../src/base/audit/audit.store.ts';
import { insertLines } from '../../../src/base/db/commit-writes.store.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import {
  ACTIVITY_SCAN_MAX,
  countActivity,
  listActivity,
} from '../../../src/capabilities/activity/activity.store.ts';
import { activityPages, whatWords } from '../../../src/capabilities/activity/pages.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import { alertObject, insertAlert, NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
const ALERT = 'netalrt_1';
let site: TestConsole;
let cookie: string;

/** Hours before now, which is noon. */
function ago(hours: number): Date {
  return new Date(Date.parse(NOW) - hours * 3_600_000);
}

const STEPS: readonly (Omit<AuditEntry, 'organisationId' | 'at'> & { readonly hours: number })[] = [
  { hours: 1, ...byOperator('ada'), alertId: ALERT, what: 'asked for REFUND' },
  { hours: 1, ...ofCase(ALERT), actor: 'operator:ada', what: 'decided REFUND' },
  { hours: 2, ...byOperator('ada'), alertId: ALERT, what: 'ACCEPT_DISPUTE refused' },
  { hours: 3, ...byOperator('ada'), alertId: ALERT, what: 'claimed' },
  { hours: 30, ...byOperator('lin'), alertId: ALERT, what: 'agreed to the refund' },
  { hours: 31, ...ofCase(ALERT), actor: 'operator:lin', what: 'credit claim OPEN to SENT' },
  { hours: 32, ...byOperator('lin'), what: 'signed in' },
  { hours: 33, ...byOperator('lin'), what: 'exported alerts' },
  { hours: 34, ...byOperator('lin'), subjectId: 'ada', what: 'role changed' },
  {
    hours: 35,
    subject: 'policy',
    subjectId: 'v1',
    actor: 'operator:lin',
    what: 'policy activated',
  },
  {
    hours: 36,
    subject: 'system',
    subjectId: 'money_pause',
    actor: 'operator:lin',
    what: 'refunds paused',
  },
  {
    hours: 36,
    subject: 'system',
    subjectId: 'doc_1',
    actor: 'operator:lin',
    what: 'added a document for disputes',
  },
  // No person, another organisation, and long ago.
  { hours: 1, ...ofCase(ALERT), what: 'decided REFUND' },
  { hours: 24 * 40, ...byOperator('ada'), alertId: ALERT, what: 'asked for RETRY' },
];

beforeAll(async () => {
  await insertAlert(test.db, alertObject(ALERT));
  for (const { hours, ...entry } of STEPS) {
    await insertLines([lineOf({ organisationId: ORG, at: ago(hours), ...entry })]).execute(test.db);
  }
  const elsewhere = { organisationId: 'org_other', at: ago(1), ...byOperator('ada') };
  await insertLines([lineOf({ ...elsewhere, what: 'asked for REFUND' })]).execute(test.db);
  site = await startConsole(test.db, createFixedClock(NOW));
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});

const week = { organisationId: ORG, from: ago(24 * 7), before: ago(-12) };

/** A page as text, its tags gone. */
async function text(path: string): Promise<string> {
  const answer = await site.get(path, { cookie });
  expect(answer.status).toBe(200);
  return (await answer.text()).replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('what people did', () => {
  it('is counted once by person, kind and day', async () => {
    const { counts, isCut } = await countActivity(test.db, week);
    expect(isCut).toBe(false);
    // The sign-in of the test itself stands there as well.
    const known = counts.filter(({ person }) => person !== 'console');
    expect(known.map(({ person, kind, day, count }) => [person, kind, day, count])).toEqual([
      ['ada', 'decision', '2026-03-01', 2],
      ['ada', 'review', '2026-03-01', 1],
      ['lin', 'credit', '2026-02-28', 1],
      ['lin', 'decision', '2026-02-28', 1],
      ['lin', 'evidence', '2026-02-28', 1],
      ['lin', 'export', '2026-02-28', 1],
      ['lin', 'money', '2026-02-28', 1],
      ['lin', 'people', '2026-02-28', 1],
      ['lin', 'policy', '2026-02-28', 1],
      ['lin', 'sign-in', '2026-02-28', 1],
    ]);
  });

  it('is found by person and kind, what followed only where it is asked for', async () => {
    const wanted = { ...week, person: 'ada', limit: 50 };
    const whats = async (kind?: 'decision' | 'step'): Promise<string[]> =>
      (await listActivity(test.db, { ...wanted, kind })).map(({ what }) => what);
    expect(await whats()).toEqual(['asked for REFUND', 'ACCEPT_DISPUTE refused', 'claimed']);
    expect(await whats('decision')).toEqual(['asked for REFUND', 'ACCEPT_DISPUTE refused']);
    expect(await whats('step')).toEqual(['decided REFUND']);
  });

  it('is walked to its end, each step once', async () => {
    const ids: number[] = [];
    let after: { atText: string; id: number } | undefined;
    for (;;) {
      const [step] = await listActivity(test.db, { ...week, limit: 1, after });
      if (step === undefined) break;
      ids.push(step.id);
      after = step;
    }
    expect(new Set(ids).size).toBe(ids.length);
    const all = await listActivity(test.db, { ...week, limit: 50 });
    expect(ids).toEqual(all.map(({ id }) => id));
  });

  it('is cut where it is too much, which is said also where nothing of the kind is among it', async () => {
    const at = ago(24 * 60).toISOString();
    await sql`insert into audit (organisation_id, at, subject, subject_id, actor, what, alert_id)
      select ${ORG}, ${at}::timestamptz + n * interval '1 millisecond', 'operator', 'busy', 'operator:busy', 'asked for REFUND', ${ALERT}
      from generate_series(1, ${ACTIVITY_SCAN_MAX}) n`.execute(test.db);
    const days = { organisationId: ORG, from: ago(24 * 62), before: ago(24 * 59) };
    const cut = await countActivity(test.db, { ...days, kind: 'export' });
    expect(cut).toEqual({ counts: [], isCut: true });
    const [from, to] = [days.from, days.before].map((each) => each.toISOString().slice(0, 10));
    const shown = await text(`/activity?person=ada&from=${from}&to=${to}`);
    expect(shown).toContain('Nothing like this is among the newest 10,000 steps of these days.');
    expect(shown).not.toContain('Nobody did anything like this');
  });

  it('is told in words', () => {
    expect(whatWords('asked for REFUND')).toBe('decided to refund');
    expect(whatWords('asked for NOT_OURS')).toBe('said that it is not ours');
    expect(whatWords('ACCEPT_DISPUTE refused')).toBe('decided to accept the dispute: refused');
    expect(whatWords('claimed')).toBe('claimed');
  });
});

describe('the page', () => {
  it('shows the last seven days, and one person of one day', async () => {
    const page = await text('/activity');
    expect(page).toContain('ada decided to refund alert of');
    expect(page).toContain('lin agreed to the refund');
    expect(page).not.toContain('decided to try again');
    const one = await text('/activity?person=lin&from=2026-02-28&to=2026-02-28&kind=credit');
    expect(one).toContain('credit claim OPEN to SENT');
    expect(one).not.toContain('agreed to the refund');
    expect(await text('/activity?person=nobody')).toContain('Nobody did anything like this');
  });

  it('refuses what is no day or kind', async () => {
    for (const query of ['from=yesterday', 'kind=all', 'cursor=x']) {
      expect((await site.get(`/activity?${query}`, { cookie })).status, query).toBe(400);
    }
  });

  it('leads to a draft only where there is a page of drafts', async () => {
    const day = ago(24 * 50);
    const subject = { subject: 'policy', subjectId: 'pdr_1', actor: 'operator:lin' } as const;
    await inTransaction(test.db, (trx) =>
      writeAudit(trx, { organisationId: ORG, at: day, ...subject, what: 'draft changed' }),
    );
    const on = day.toISOString().slice(0, 10);
    const draft = async (from: TestConsole): Promise<string | undefined> => {
      const signedIn = await from.signIn();
      const path = `/activity?from=${on}&to=${on}`;
      const page = await (await from.get(path, { cookie: signedIn.cookie })).text();
      return /(?:<a [^>]+>)?policy draft(?:<\/a>)?/.exec(page)?.[0];
    };
    expect(await draft(site)).toBe('<a href="/policies/drafts/pdr_1">policy draft</a>');
    const alone = await startConsole(test.db, createFixedClock(NOW), {}, [
      activityPages.register ?? expect.fail('it has a page'),
    ]);
    expect(await draft(alone)).toBe('policy draft');
    await alone.close();
  });
});
