/** Guarantee: a search is kept under a name, for its owner or for everybody, and forgotten by its owner alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { NOW } from '../../integration/reconcile/rows.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let test: TestDatabase;
let site: TestConsole;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, createFixedClock(NOW));
  ({ cookie, csrf } = await site.signIn());
});
afterAll(async () => {
  await site.close();
  await test.drop();
});

describe('the console', () => {
  it('keeps a view under a name, for its owner only, and forgets it', async () => {
    const save = formOf({ name: 'Yen', query: 'currency=JPY', csrf_token: csrf }, { cookie });
    const kept = await site.post('/views', save);
    expect(kept.headers.get('location')).toBe('/alerts?state=open&currency=JPY');
    const text = await (await site.get('/alerts?state=open&currency=JPY', { cookie })).text();
    expect(text).toMatch(/aria-current="page">.* Yen<\/a>/);
    const id = /name="id" value="(\d+)"/.exec(text)?.[1] ?? '';
    await test.db.updateTable('saved_view').set({ operator: 'somebody else' }).execute();
    const drop = formOf({ id, csrf_token: csrf }, { cookie });
    await site.post('/views/delete', drop);
    expect(await test.db.selectFrom('saved_view').select('name').execute()).toHaveLength(1);
    await test.db.updateTable('saved_view').set({ operator: 'console' }).execute();
    await site.post('/views/delete', drop);
    expect(await test.db.selectFrom('saved_view').select('name').execute()).toEqual([]);
    const bad = formOf({ name: 'x', query: 'currency=usd', csrf_token: csrf }, { cookie });
    expect((await site.post('/views', bad)).status).toBe(400);
  });

  it('shows everybody a view that is shared, for its owner alone to forget', async () => {
    const fields = { name: 'Pounds', query: 'currency=GBP', shared: 'yes', csrf_token: csrf };
    await site.post('/views', formOf(fields, { cookie }));
    await test.db.updateTable('saved_view').set({ operator: 'ada' }).execute();
    const text = await (await site.get('/alerts?state=open&currency=GBP', { cookie })).text();
    expect(text).toMatch(/Pounds <span class="quiet">by ada<\/span><\/a>/);
    expect(text).not.toContain('Forget Pounds');
    expect(await (await site.get('/reviews', { cookie })).text()).not.toContain('Pounds');
    const held = { name: 'By policy', page: '/reviews', query: 'held=policy_review&open=x' };
    const bad = await site.post('/views', formOf({ ...held, csrf_token: csrf }, { cookie }));
    expect(bad.status).toBe(400);
    const good = { ...held, query: 'held=policy_review&show=all', csrf_token: csrf };
    const kept = await site.post('/views', formOf(good, { cookie }));
    expect(kept.headers.get('location')).toBe('/reviews?held=policy_review');
    expect(await (await site.get('/reviews', { cookie })).text()).toContain('By policy');
    await test.db.deleteFrom('saved_view').execute();
  });
});
