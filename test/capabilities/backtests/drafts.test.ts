/**
 * Guarantee: a policy written in the console comes into force by a second person and never by one of its
 * authors, running workers take it at once, and where a file is configured nothing is edited here.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeWorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { activateDraft } from '../../../src/capabilities/backtests/drafts/activate-draft.ts';
import { policyLines } from '../../../src/people/doctor/policy-lines.ts';
import { HOLD_EVERYTHING_POLICY } from '../../../src/policy/built-in.ts';
import { loadPolicy, policyVersion } from '../../../src/policy/load.ts';
import { createPolicyWatcher } from '../../../src/policy/policy-watcher.ts';
import { insertActivation } from '../../../src/policy/version.store.ts';
import { openConsolePolicy } from '../../../src/running/roles/console-policy.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const FIRST = 'name: First\nrules: []\notherwise: REVIEW\n';
const SECOND = 'name: Second\nrules: []\notherwise: ACCEPT_DISPUTE\n';

const THIRD = 'name: Third\nrules: []\notherwise: ACCEPT_DISPUTE\n';

interface Person {
  readonly cookie: string;
  readonly csrf: string;
}

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let anna: Person;
let ben: Person;
let looker: Person;

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock);
  anna = await enter('anna', 'administrator');
  ben = await enter('ben', 'administrator');
  looker = await enter('looker', 'reviewer');
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  await sql`truncate policy_draft, policy_activation, policy_version, notification, fact`.execute(
    test.db,
  );
  await own('console');
  await inTransaction(test.db, async (trx) => {
    const policy = loadPolicy(FIRST, { file: 'first' });
    const use = { organisationId: ORG, author: 'ops', origin: 'built-in', now: nowDate(clock) };
    await insertActivation(trx, { ...use, policy });
  });
});

async function enter(name: string, role: 'administrator' | 'reviewer'): Promise<Person> {
  const by = { organisationId: ORG, by: 'test', now: nowDate(clock) };
  const added = await addOperator(test.db, { ...by, name, role, token: { as: 'shown' } });
  const answer = await site.post('/login', formOf({ token: (added.ok && added.token) || '' }));
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const page = await (await site.get('/', { cookie })).text();
  return { cookie, csrf: /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? '' };
}

async function own(policy: 'file' | 'program' | 'console'): Promise<void> {
  const settings = { mode: 'live' as const, hasProcessor: true, channels: [], pollSeconds: 120 };
  const scope = { organisationId: ORG, now: nowDate(clock) };
  await writeWorkerSettings(test.db, scope, { ...settings, policy });
}

async function post(
  { cookie, csrf }: Person,
  path: string,
  fields: Record<string, string> = {},
): Promise<Response> {
  return await site.post(path, formOf({ csrf_token: csrf, ...fields }, { cookie }));
}

async function pageOf({ cookie }: Person, path: string): Promise<string> {
  return await (await site.get(path, { cookie })).text();
}

/** A draft of anna's with this text; returns its path. */
async function draftOf(text: string): Promise<string> {
  const begun = await post(anna, '/policies/drafts');
  expect(begun.status).toBe(303);
  const path = begun.headers.get('location') ?? '';
  expect((await save(anna, path, text)).status).toBe(303);
  return path;
}

async function save(person: Person, path: string, text: string): Promise<Response> {
  const page = await pageOf(person, path);
  const seenAt = /name="seen" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return await post(person, path, { text, seen: seenAt });
}

function activation(text: string, inForce = FIRST): Record<string, string> {
  return { version: policyVersion(text), in_force: policyVersion(inForce) };
}

async function inForce(): Promise<string | undefined> {
  const row = await test.db
    .selectFrom('policy_activation')
    .select('version')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version;
}

/** A worker without a policy file, as it starts. */
async function startWorker() {
  const { db } = test;
  const log = createLog({ level: 'silent' });
  const scope = { db, organisationId: ORG, log, brands: IDENTITY_BRAND_TOKENS };
  const policy = await openConsolePolicy(scope, HOLD_EVERYTHING_POLICY);
  const keeper = createPolicyWatcher({
    db,
    clock,
    organisationId: ORG,
    policy,
    author: 'user:ops',
  });
  return { policy, keeper };
}

describe('a draft', () => {
  it('begins with the text in force, and shows problems with line and column', async () => {
    const begun = await post(anna, '/policies/drafts');
    const path = begun.headers.get('location') ?? '';
    expect(await pageOf(anna, path)).toContain('name: First');
    await save(anna, path, 'name: First\nrules: []\notherwise: REFUNDS\n');
    const page = await pageOf(anna, path);
    expect(page).toContain('<strong>1 problem.</strong>');
    // "REFUNDS" begins in the third line, twelfth column.
    expect(page).toMatch(/<th scope="row">3<\/th><td class="number" data-label="Column">12<\/td>/);
    expect(page).not.toContain(`action="${path}/activate"`);
  });

  it('is checked while somebody types, without being stored', async () => {
    const path = await draftOf(SECOND);
    const draft = path.split('/').at(-1) ?? '';
    const answer = await post(anna, '/policies/drafts/check', { draft, text: 'rules: 1' });
    expect(await answer.text()).toContain('problems');
    expect(await pageOf(anna, path)).toContain('No problem found.');
  });

  it('runs its examples and says which come out otherwise', async () => {
    const path = await draftOf(
      `${SECOND}examples:\n  - {name: a small one, given: {amount: 5.00 USD}, expect: REFUND}\n`,
    );
    expect(await pageOf(anna, path)).toContain('1 of 1 examples come out otherwise.');
  });

  it('is not overwritten by a page that is older than it', async () => {
    const path = await draftOf(SECOND);
    const page = await pageOf(ben, path);
    const seenAt = /name="seen" value="([^"]+)"/.exec(page)?.[1] ?? '';
    expect((await save(anna, path, `${SECOND}# more\n`)).status).toBe(303);
    const answer = await post(ben, path, { text: FIRST, seen: seenAt });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('somebody else changed or finished this draft');
  });
});

describe('what the second person reads', () => {
  const lines = Array.from({ length: 40 }, (_, line) => `# line ${line + 1}`);
  /** 43 lines; in the other one the thirtieth is another. */
  const LONG = `${[...lines, 'name: Long', 'rules: []', 'otherwise: REVIEW'].join('\n')}\n`;
  const CHANGED = LONG.replace('# line 30\n', '# changed\n');

  it('is the changed line with three around it and the counts, before the whole text', async () => {
    await post(ben, `${await draftOf(LONG)}/activate`, activation(LONG));
    const page = await pageOf(ben, await draftOf(CHANGED));
    const diff = /<pre[^>]* class="diff">([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '';
    expect(diff.replaceAll(/<[^>]+>/g, '').split('\n')).toEqual([
      '  … 26 unchanged lines',
      ...['  # line 27', '  # line 28', '  # line 29', '- # line 30', '+ # changed'],
      ...['  # line 31', '  # line 32', '  # line 33'],
      '  … 10 unchanged lines',
      '',
    ]);
    expect(page).toContain('Changed: 1 line in, 1 line out.');
    expect(page.indexOf('class="diff"')).toBeLessThan(page.indexOf('<textarea'));
    expect(page).toContain('It was not tried on the past');
  });

  it('is what the newest backtest found, beside the button', async () => {
    const path = await draftOf(SECOND);
    await post(anna, `${path}/try`);
    const tally = { refunds: 4, accepted: 1, reviews: 2 };
    const result = {
      alerts: 7,
      changes: 3,
      was: tally,
      is: { refunds: 1, accepted: 4, reviews: 2 },
    };
    await test.db
      .updateTable('backtest')
      .set({ state: 'DONE', result: JSON.stringify(result), finished_at: nowDate(clock) })
      .execute();
    const page = (await pageOf(ben, path)).replaceAll(/<\/?strong>/g, '');
    const beside = page.slice(page.indexOf('/activate"'));
    expect(beside).toContain(
      'Tried on the past: 3 of 7 decided otherwise: refunds 4 → 1, accepted 1 → 4, left to a person 2 → 2.',
    );
    expect(beside).not.toContain('It was not tried on the past');
  });
});

describe('four eyes', () => {
  it('the second person puts it in force, on record with both names', async () => {
    const path = await draftOf(SECOND);
    const answer = await post(ben, `${path}/activate`, activation(SECOND));
    expect(answer.status).toBe(303);
    expect(await inForce()).toBe(policyVersion(SECOND));
    const row = await test.db
      .selectFrom('policy_activation')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ author: 'anna', approved_by: 'ben', origin: 'console' });
    const audit = await test.db
      .selectFrom('audit')
      .select(['actor', 'detail'])
      .where('what', '=', 'policy activated')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(audit.actor).toBe('operator:ben');
    expect(audit.detail).toMatchObject({ author: 'anna', approved_by: 'ben' });
    expect(await pageOf(anna, '/policies')).toContain('put in force by ben');
  });

  it('the doctor names the version and who put it in force', async () => {
    const lines = async () =>
      await policyLines({
        settings: { policyPath: undefined, brandTokens: IDENTITY_BRAND_TOKENS },
        isSandbox: false,
        service: { organisationId: ORG },
        rows: { value: test.db },
      } as unknown as Parameters<typeof policyLines>[0]);
    expect(await lines()).toMatchObject([{ status: 'warning' }]);
    await post(ben, `${await draftOf(SECOND)}/activate`, activation(SECOND));
    const version = policyVersion(SECOND);
    expect(await lines()).toMatchObject([
      { status: 'ok', detail: `written in the console, version ${version}, put in force by ben` },
    ]);
  });

  it('an author is refused, by the page and by the server', async () => {
    const path = await draftOf(SECOND);
    expect(await pageOf(anna, path)).toContain('Another administrator must put it in force');
    const answer = await post(anna, `${path}/activate`, activation(SECOND));
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('You wrote at this policy.');
    expect(await inForce()).toBe(policyVersion(FIRST));
  });

  it('whoever changed one letter is an author, also after the other one wrote again', async () => {
    const path = await draftOf(SECOND);
    await save(ben, path, `${SECOND}# a comment\n`);
    await save(anna, path, SECOND);
    expect((await post(ben, `${path}/activate`, activation(SECOND))).status).toBe(409);
    expect(await inForce()).toBe(policyVersion(FIRST));
  });

  it('the several names of the console’s token are one person', async () => {
    const path = await draftOf(SECOND);
    await test.db
      .updateTable('policy_draft')
      .set({ authors: ['console'] })
      .execute();
    const asked = {
      organisationId: ORG,
      id: path.split('/').at(-1) ?? '',
      operator: 'cli',
      version: policyVersion(SECOND),
      inForce: policyVersion(FIRST),
      brands: undefined,
      now: nowDate(clock),
    };
    const result = await inTransaction(test.db, (trx) => activateDraft(trx, asked));
    expect(result).toEqual({ ok: false, reason: 'same_person' });
  });

  it('the database itself refuses an author, whatever the program does', async () => {
    await draftOf(SECOND);
    const broken = test.db
      .updateTable('policy_draft')
      .set({ state: 'ACTIVE', activated_by: 'anna', activated_at: nowDate(clock) })
      .execute();
    await expect(broken).rejects.toThrow(/activated_by_another/);
    const alone = test.db.updateTable('policy_activation').set({ approved_by: 'ops' }).execute();
    await expect(alone).rejects.toThrow();
  });

  it('a reviewer is refused', async () => {
    const path = await draftOf(SECOND);
    expect((await post(looker, `${path}/activate`, activation(SECOND))).status).toBe(403);
    expect(await pageOf(looker, path)).not.toContain('<textarea');
  });

  it('a text that was changed since it was read, or another policy meanwhile, is refused', async () => {
    const path = await draftOf(SECOND);
    await save(anna, path, `${SECOND}# more\n`);
    const changed = await post(ben, `${path}/activate`, activation(SECOND));
    expect(await changed.text()).toContain('Its text was changed since you looked at it.');
    const fields = activation(`${SECOND}# more\n`, SECOND);
    const overtaken = await post(ben, `${path}/activate`, fields);
    expect(await overtaken.text()).toContain('Another policy was put in force meanwhile.');
    expect(await inForce()).toBe(policyVersion(FIRST));
  });

  it('who has not proved who they are for a quarter of an hour does so first', async () => {
    const path = await draftOf(SECOND);
    clock.advanceMs(16 * 60_000);
    const answer = await post(ben, `${path}/activate`, activation(SECOND));
    expect(answer.headers.get('location')).toMatch(/^\/confirm\?next=/);
    expect(await inForce()).toBe(policyVersion(FIRST));
    clock.setMs(Date.parse(NOW));
  });

  it('going back to an earlier version takes two people as well', async () => {
    await post(ben, `${await draftOf(SECOND)}/activate`, activation(SECOND));
    const begun = await post(anna, '/policies/drafts', { version: policyVersion(FIRST) });
    const path = begun.headers.get('location') ?? '';
    const back = activation(FIRST, SECOND);
    expect((await post(anna, `${path}/activate`, back)).status).toBe(409);
    expect((await post(ben, `${path}/activate`, back)).status).toBe(303);
    expect(await inForce()).toBe(policyVersion(FIRST));
  });
});

describe('a worker without a policy file', () => {
  it('takes what was put in force at its next look, and at its next start', async () => {
    const running = await startWorker();
    await running.keeper.runOnce();
    await post(ben, `${await draftOf(SECOND)}/activate`, {
      version: policyVersion(SECOND),
      in_force: (await inForce()) ?? '',
    });
    expect(running.policy.current().name).toBe('Hold everything');
    // Nothing is put on record a second time.
    expect(await running.keeper.runOnce()).toBe(0);
    expect(running.policy.current().version).toBe(policyVersion(SECOND));
    const restarted = await startWorker();
    expect(restarted.policy.current().version).toBe(policyVersion(SECOND));
    expect(await restarted.keeper.runOnce()).toBe(0);
    expect(await inForce()).toBe(policyVersion(SECOND));
  });

  it('that looks late never puts its own policy over that of two people', async () => {
    const stale = await startWorker();
    await post(ben, `${await draftOf(SECOND)}/activate`, activation(SECOND));
    // It read before the activation, and writes after it.
    const blind = { ...stale.policy, refresh: () => false };
    const keeper = createPolicyWatcher({
      db: test.db,
      clock,
      organisationId: ORG,
      policy: blind,
      author: 'user:ops',
    });
    expect(await keeper.runOnce()).toBe(0);
    expect(await inForce()).toBe(policyVersion(SECOND));
  });

  it('never takes a text that is not that of its version, and tells a person', async () => {
    const { policy, keeper } = await startWorker();
    await post(ben, `${await draftOf(SECOND)}/activate`, activation(SECOND));
    await sql`alter table policy_version disable trigger all`.execute(test.db);
    await sql`update policy_version set source = ${FIRST} where version = ${policyVersion(SECOND)}`.execute(
      test.db,
    );
    await sql`alter table policy_version enable trigger all`.execute(test.db);
    await keeper.runOnce();
    expect(policy.current().name).toBe('Hold everything');
    const message = await test.db.selectFrom('notification').select('text').executeTakeFirst();
    expect(message?.text).toContain('The policy put in force in the console cannot be used');
  });
});

describe('where a file is configured', () => {
  it('the page says so, and nothing can be begun, changed or put in force', async () => {
    const path = await draftOf(SECOND);
    await own('file');
    const page = await pageOf(ben, '/policies');
    expect(page).toContain('The policy is a file (FORESTALL_POLICY), and the file is the truth');
    expect(page).not.toContain('action="/policies/drafts"');
    expect(await pageOf(ben, path)).not.toContain('<textarea');
    for (const [target, fields] of [
      ['/policies/drafts', {}],
      [path, { text: FIRST, seen: NOW }],
      [`${path}/activate`, activation(SECOND)],
    ] as const) {
      expect((await post(ben, target, fields)).status, target).toBe(409);
    }
    expect(await inForce()).toBe(policyVersion(FIRST));
  });
});

describe('the second person', () => {
  it('is told of a draft by the channels, once for each text, and sees it on Today and on Reviews', async () => {
    const path = await draftOf(THIRD);
    const shown = await pageOf(anna, path);
    expect(shown).toContain(`action="${path}/ask"`);
    for (const time of [1, 2]) {
      const asked = await post(anna, `${path}/ask`);
      expect([time, asked.headers.get('location')]).toEqual([time, `${path}?asked=yes`]);
    }
    const messages = await test.db
      .selectFrom('notification')
      .select(['kind', 'severity', 'text'])
      .where('kind', '=', 'second_person')
      .execute();
    expect(messages).toEqual([
      {
        kind: 'second_person',
        severity: 'warning',
        text: 'Policy draft "Third", written by anna, waits for a second administrator: 2 lines in, 2 lines out. It was not tried on the past. Open it under Policies in the console, and put it in force or discard it.',
      },
    ]);
    expect(await pageOf(anna, `${path}?asked=yes`)).toContain('A message goes to your channels.');
    for (const page of ['/', '/reviews']) {
      const shown = await pageOf(ben, page);
      expect(shown, page).toContain('Waits for you as the second person:');
      expect(shown, page).toContain(`policy <a href="${path}">Third</a>, written by anna`);
      // Who wrote at it, and who may not put it in force, has nothing to do.
      expect(await pageOf(anna, page)).not.toContain('as the second person');
      expect(await pageOf(looker, page)).not.toContain('as the second person');
    }
    // In force, nobody waits for it.
    await post(ben, `${path}/activate`, activation(THIRD));
    expect(await pageOf(ben, '/')).not.toContain('as the second person');
  });

  it('is not told of a text that cannot be used', async () => {
    const path = await draftOf('name: First\nrules: []\notherwise: REFUNDS\n');
    expect((await post(anna, `${path}/ask`)).status).toBe(409);
    expect(await pageOf(ben, '/')).not.toContain('as the second person');
    expect(await test.db.selectFrom('notification').select('id').execute()).toEqual([]);
  });
});
