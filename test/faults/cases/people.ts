/** V1.2.10, V2.3.5, V6.2.x, V7.x: what people at the console can do, and for how long. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { FaultCase } from '../case.ts';
import type { AsideWorld } from '../rig/aside.ts';
import type { Child } from '../rig/child.ts';
import { forestall } from '../rig/rig.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import type { Answered } from '../rig/sign.ts';
import { send } from '../rig/sign.ts';
import { until } from '../rig/until.ts';
import { ask } from './console.ts';
import { aside } from './odd-alerts.ts';

const FORMULAS = [
  '=HYPERLINK("http://evil.example","x")',
  '+1+cmd|x',
  '-2+3+cmd|x',
  '@SUM(1+1)',
  '\t=1+1',
  '\r=1+1',
];

/** Every cell of the export that a spreadsheet would calculate begins with an apostrophe. */
async function formulas(scene: Scene): Promise<string> {
  const ids = await Promise.all(
    FORMULAS.map(async (text) => {
      const charge = await scene.charge({ amount_in_cents: 90_000 });
      return await scene.alertAbout(charge, { statement_descriptor: text, card_issuer: text });
    }),
  );
  for (const id of ids) await scene.reaches(id, 'HUMAN');
  const { status, headers, body } = await visit(scene, '/alerts.csv', {
    cookie: cookieOf(await signIn(scene.rig.port('console'), scene.rig.secrets.console)),
    port: scene.rig.port('console'),
  });
  equal(status, 200);
  match(String(headers['content-type']), /^text\/csv/);
  const rows: Record<string, string>[] = parse(body, { columns: true });
  for (const [index, id] of ids.entries()) {
    const row = rows.find(({ alert_id: of }) => of === id);
    const text = `'${FORMULAS[index]}`;
    deepEqual([row?.['descriptor'], row?.['issuer']], [text, text], 'as text, and whole');
  }
  const bare = rows.flatMap(Object.values).filter((cell) => /^\s*[=+\-@]/.test(String(cell)));
  deepEqual(bare, [], 'no other cell is a formula');
  return `${FORMULAS.length} formulas in two columns each, all exported as text`;
}

interface Visit {
  readonly port: number;
  readonly cookie: string;
}

async function visit(scene: Scene, path: string, { port, cookie }: Visit): Promise<Answered> {
  return await ask(scene, path, { port, unknown: true, headers: { cookie, accept: 'text/html' } });
}

async function signIn(port: number, token: string): Promise<Answered> {
  return await send({
    port,
    path: '/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${encodeURIComponent(token)}`,
  });
}

function cookieOf({ status, headers }: Answered): string {
  equal(status, 303, 'signed in');
  return String(headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

/** Headers of a session that may change something. */
async function asPerson(
  { scene }: AsideWorld,
  port: number,
  token: string,
): Promise<Readonly<Record<string, string>>> {
  const cookie = cookieOf(await signIn(port, token));
  const { body } = await visit(scene, '/', { port, cookie });
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(body)?.[1] ?? '';
  return { cookie, 'x-csrf-token': csrf };
}

/** `forestall operators …` on this world's database. Returns what it printed last. */
async function operators(world: AsideWorld, ...args: readonly string[]): Promise<string> {
  const { rig } = world.scene;
  const env = { ...rig.environment('console'), ...world.env };
  const name = `operators-${digits(6)}`;
  const child = forestall(rig.folder, { name, args: ['operators', ...args], env });
  deepEqual(await child.ended, { code: 0, signal: null }, child.text());
  return child.text().trim().split('\n').at(-1) ?? '';
}

const portOf = (world: AsideWorld, child: Child): number => world.scene.rig.portOf(child);

/** Above 250.00 two people, whoever decided it, and never the same one twice. */
async function twoPeople(world: AsideWorld): Promise<string> {
  const { scene } = world;
  const guards = join(scene.rig.folder, `guards-${digits(6)}.yaml`);
  writeFileSync(guards, 'approval: { above: 250.00 USD }\n');
  const byPolicy = await world.dispute({}, { amount_in_cents: 30_000 });
  const byPerson = await world.dispute({}, { amount_in_cents: 90_000 });
  const small = await world.dispute({}, { amount_in_cents: 25_000 });
  const [, people] = await Promise.all([
    world.start('work', { FORESTALL_GUARDS: guards }),
    world.start('console', { FORESTALL_GUARDS: guards }),
  ]);
  const port = portOf(world, people);
  const ann = await operators(world, 'add', 'ann', '--role', 'reviewer');
  const ben = await operators(world, 'add', 'ben', '--role', 'reviewer');
  const sessions = new Map<string, Readonly<Record<string, string>>>();
  const as = async (token: string, path: string, body: unknown): Promise<number> => {
    // A token alone proves nothing of who sends it: each has signed in.
    const headers = sessions.get(token) ?? (await asPerson(world, port, token));
    sessions.set(token, headers);
    return (await ask(scene, path, { port, method: 'POST', body, unknown: true, headers })).status;
  };
  const waits = async (id: string): Promise<void> =>
    void (await until('it waits for a second person', async () => {
      return (await scene.caseOf(id))?.hold_reason === 'approval_needed';
    }));
  await scene.refundedOnce(small);
  await scene.reaches(byPerson.alertId, 'HUMAN');
  equal(await as(ann, `/api/alerts/${byPerson.alertId}/decision`, { action: 'REFUND' }), 202);
  for (const dispute of [byPolicy, byPerson]) {
    await waits(dispute.alertId);
    const review = await ask(scene, `/api/reviews/${dispute.alertId}`, { port });
    const { approvals } = JSON.parse(review.body) as { approvals: readonly { id: number }[] };
    const approve = (who: string): Promise<number> =>
      as(who, `/api/alerts/${dispute.alertId}/approve`, { approval_id: approvals[0]?.id });
    if (dispute === byPolicy) equal(await approve(ann), 200);
    equal(await approve(ann), 409, 'the same person does not count twice');
    equal((await scene.caseOf(dispute.alertId))?.hold_reason, 'approval_needed');
    await scene.noEffect(dispute);
    equal(await approve(ben), 200);
    await scene.refundedOnce(dispute);
  }
  return 'by policy and by one operator: held until a second person agreed, each then refunded once; 250.00 itself at once';
}

const WAIT_MS = 15 * 60_000;

/** There is no password and no name to guess: one field, one answer for everything wrong. */
async function guessing(world: AsideWorld): Promise<string> {
  const { scene } = world;
  const { console: token } = scene.rig.secrets;
  await operators(world, 'add', 'ann', '--role', 'reviewer');
  let port = portOf(world, await world.start('console'));
  const form = await send({ port, method: 'GET', path: '/login' });
  const fields = [...form.body.matchAll(/<input[^>]*name="?(\w+)/g)].map(([, name]) => name);
  deepEqual(
    fields.filter((name) => name !== 'next'),
    ['token'],
    'no name and no password',
  );
  const answers: Answered[] = [];
  for (const guess of ['password', 'ann', 'admin', token.slice(0, -1), '12345678', `${token}x`]) {
    answers.push(await signIn(port, guess));
  }
  while (answers.length < 10) answers.push(await signIn(port, digits(8)));
  deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
  for (const { headers } of answers) equal(headers['set-cookie'], undefined);
  // The page says what time it is.
  const said = answers.map(({ body }) => body.replaceAll(/\d/g, ''));
  equal(new Set(said).size, 1, 'no answer tells one wrong token from another');
  for (let late = 0; late < 10; late++) {
    const { status, headers } = await signIn(port, late === 0 ? token : digits(8));
    equal(status, 429, 'after ten even the right one waits');
    ok(Number(headers['retry-after']) > 0);
  }
  const told = await scene.messages('console_guessing');
  equal(told.length, 1, 'somebody is told, once');
  await world.pass(WAIT_MS + 1_000);
  port = portOf(world, await world.start('console'));
  cookieOf(await signIn(port, token));
  return '10 guesses refused alike, 10 unread, the right token among them; told once; open again after 15 minutes';
}

/** A session ends with its owner's role, by idling, and after twelve hours however it was used. */
async function sessions(world: AsideWorld): Promise<string> {
  const { scene } = world;
  const { sql } = world.database;
  const token = await operators(world, 'add', 'ann', '--role', 'reviewer');
  let port = portOf(world, await world.start('console'));
  const open = async (): Promise<string> => cookieOf(await signIn(port, token));
  const statusOf = async (cookie: string): Promise<number> =>
    (await visit(scene, '/api/alerts', { port, cookie })).status;
  const first = await open();
  equal(await statusOf(first), 200);
  await operators(world, 'role', 'ann', 'viewer');
  equal(await statusOf(first), 401, 'after the change of the role');
  const asViewer = await open();
  equal(await statusOf(asViewer), 200, 'the new session is of the new role');

  // Used all along, begun almost twelve hours ago, and then twelve hours ago.
  const age = async (by: string): Promise<unknown> =>
    await sql(`update console_session set started_at = started_at - interval '${by}'`);
  await age('11 hours 59 minutes');
  equal(await statusOf(asViewer), 200, 'before twelve hours');
  await age('2 minutes');
  equal(await statusOf(asViewer), 401, 'after twelve hours');

  const idle = await open();
  await world.pass(29 * 60_000);
  port = portOf(world, await world.start('console'));
  equal(await statusOf(idle), 200, 'used within half an hour');
  await world.pass(31 * 60_000);
  port = portOf(world, await world.start('console'));
  equal(await statusOf(idle), 401, 'after half an hour without use');

  const renewed = await operators(world, 'token', 'ann');
  equal((await signIn(port, token)).status, 401, 'the old token');
  const last = cookieOf(await signIn(port, renewed));
  equal(await statusOf(last), 200);
  await operators(world, 'remove', 'ann');
  equal(await statusOf(last), 401, 'after the removal');
  const bearer = { unknown: true, port, headers: { authorization: `Bearer ${renewed}` } };
  equal((await ask(scene, '/api/alerts', bearer)).status, 401, 'nor as a program');
  return 'worthless after: a change of role, 12 hours of use, 31 idle minutes, a new token, the removal';
}

export const PEOPLE_CASES: readonly FaultCase[] = [
  { id: 'V1.2.10', place: 'shared', run: formulas },
  { id: 'V2.3.5', place: 'shared', run: aside(twoPeople) },
  { id: 'V6.2.x', place: 'shared', run: aside(guessing) },
  { id: 'V7.x', place: 'shared', run: aside(sessions) },
];
