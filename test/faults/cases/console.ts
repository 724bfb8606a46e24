/** F32, F33, F90 and section 4: the console and its API under hostile hands. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import type { Answered } from '../rig/sign.ts';
import { send } from '../rig/sign.ts';

/** A request to the console. */
export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the token. */
  readonly unknown?: boolean;
  /** Another console than the first. */
  readonly port?: number;
}

/** Asks the console, as the holder of the token by default. */
export async function ask(scene: Scene, path: string, how: Ask = {}): Promise<Answered> {
  const { method = 'GET', body, headers = {}, unknown = false } = how;
  const { rig } = scene;
  return await send({
    port: how.port ?? rig.port('console'),
    path,
    method,
    headers: {
      ...(unknown ? {} : { authorization: `Bearer ${rig.secrets.console}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const INJECTIONS = [
  `' OR 1=1--`,
  `1; drop table alert_case`,
  `' union select token from operator--`,
  `%00`,
  `\\'; --`,
  `$1`,
  `open' and pg_sleep(5)--`,
];

async function injections(scene: Scene): Promise<void> {
  for (const path of ['/api/alerts', '/api/findings', '/api/events']) {
    for (const name of ['state', 'limit', 'cursor', 'sort', 'organisation_id']) {
      for (const value of INJECTIONS) {
        const { status, body } = await ask(scene, `${path}?${name}=${encodeURIComponent(value)}`);
        equal(status, 400, `${path} ${name}`);
        ok(!body.includes(value), 'the value is not repeated');
      }
    }
  }
  for (const value of INJECTIONS) {
    const { status } = await ask(scene, `/api/alerts/${encodeURIComponent(value)}`);
    equal(status, 404);
  }
  const [row] = await scene.rig.sql(`select to_regclass('alert_case') is not null as there`);
  equal(row?.['there'], true);
}

/** Each would become an element, an attribute or a handler if it were ever taken as HTML. */
const HOSTILE = [
  '<script>x()</script>',
  '<img src=x onerror=x()>',
  '<svg/onload=x()>',
  '"><b id=planted>',
  `' onmouseover='x()`,
  '</title><script>x()</script>',
  '<iframe src=javascript:x()>',
  '<a href="javascript:x()">y</a>',
  '<math><mi xlink:href="data:x,<script>x()</script>">',
  '<!--<img src="--><img src=x onerror=x()>',
  '<input autofocus onfocus=x()>',
  '<details open ontoggle=x()>',
  '<body onload=x()>',
  '<style>@import "x"</style>',
  '<form action=//evil.example>',
  '<base href=//evil.example>',
  '<link rel=stylesheet href=//evil.example>',
  '<object data=x>',
  '{{constructor.constructor("x()")()}}',
  `$${'{x()}'}`,
  '<scr<script>ipt>x()</scr</script>ipt>',
  '\u202e<img src=x onerror=x()>',
  '&lt;script&gt;x()&lt;/script&gt;',
  '<template><img src=x onerror=x()></template>',
  '<textarea autofocus onfocus=x()>',
  'line one\r\n{"level":"fatal","msg":"forged"}\u001b[31mred',
];

const PLANTED =
  /<(script|img|svg|iframe|math|object|base|details|textarea|template)[\s>/][^>]*(x\(\)|evil\.example|onerror|onload|src=x)|<b id=planted/i;

/** A person's session, by the console token. Returns the cookie. */
async function signIn(scene: Scene): Promise<string> {
  const { headers } = await send({
    port: scene.rig.port('console'),
    path: '/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${scene.rig.secrets.console}`,
  });
  return String(headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

async function hostileTexts(scene: Scene): Promise<string> {
  const ids = await Promise.all(
    HOSTILE.map(async (text) => {
      const charge = await scene.charge({ amount_in_cents: 90_000 });
      return await scene.alertAbout(charge, {
        statement_descriptor: text.slice(0, 100),
        note: text,
        card_issuer: text,
      });
    }),
  );
  for (const id of ids) await scene.reaches(id, 'HUMAN');
  const pages = ['/', '/alerts', ...ids.map((id) => `/alerts/${id}`)];
  const cookie = await signIn(scene);
  let looked = 0;
  for (const path of pages) {
    const { status, headers, body } = await ask(scene, path, {
      unknown: true,
      headers: { accept: 'text/html', cookie },
    });
    if (status !== 200) continue;
    looked += 1;
    const planted = PLANTED.exec(body);
    ok(planted === null, `${path} holds a planted element: ${planted?.[0]}`);
    const policy = String(headers['content-security-policy'] ?? '');
    ok(policy !== '' && !policy.includes('unsafe-inline'), `${path}: ${policy}`);
  }
  ok(looked >= 20, `only ${looked} pages could be looked at`);
  return `${looked} pages with ${HOSTILE.length} hostile texts`;
}

async function twoOperators(scene: Scene): Promise<void> {
  const { alertId, charge } = await scene.dispute({ amount_in_cents: 90_000 });
  await scene.reaches(alertId, 'HUMAN');
  const decide = (action: string): Promise<Answered> =>
    ask(scene, `/api/alerts/${alertId}/decision`, { method: 'POST', body: { action } });
  const answers = await Promise.all([decide('ACCEPT_DISPUTE'), decide('REFUND')]);
  deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
  const first = answers[0]?.status === 202 ? 'DECLARED_ACCEPT' : 'DECLARED_REFUND';
  await scene.reaches(alertId, first);
  equal((await scene.effective(alertId)).length, 1);
  ok((await scene.rig.processor.ours(charge.reference)).length <= 1);
}

/** A cookie no script can read and no other site can use; worthless once its owner has signed out. */
async function forms(scene: Scene): Promise<void> {
  const { alertId } = await scene.dispute({ amount_in_cents: 90_000 });
  await scene.reaches(alertId, 'HUMAN');
  const signedIn = await send({
    port: scene.rig.port('console'),
    path: '/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${scene.rig.secrets.console}`,
  });
  const [set = ''] = [signedIn.headers['set-cookie'] ?? ''].flat();
  match(set, /HttpOnly/);
  match(set, /SameSite=Strict/);
  match(set, /Path=\//);
  ok(!/Domain=/.test(set), 'no other host gets it');
  const cookie = set.split(';')[0] ?? '';
  const visit = (path: string, how: Ask = {}): Promise<Answered> =>
    ask(scene, path, { ...how, unknown: true, headers: { cookie, ...how.headers } });
  const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
  for (const body of ['action=REFUND&note=x', 'action=REFUND&note=x&csrf_token=guess']) {
    const how = { method: 'POST', body, headers: { ...form, origin: 'http://evil.example' } };
    equal((await visit(`/alerts/${alertId}/decision`, how)).status, 403);
  }
  const got = await visit(`/alerts/${alertId}/decision?action=REFUND&note=x`);
  ok(got.status === 404 || got.status === 405, `GET decides nothing: ${got.status}`);
  equal((await scene.caseOf(alertId))?.state, 'HUMAN');
  const page = await visit(`/alerts/${alertId}`, { headers: { accept: 'text/html' } });
  const token = /name="?csrf_token"? value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  const leaving = { method: 'POST', body: `csrf_token=${token}`, headers: form };
  equal((await visit('/logout', leaving)).status, 303);
  equal((await visit('/api/alerts')).status, 401);
}

async function methods(scene: Scene): Promise<void> {
  for (const method of ['TRACE', 'PUT', 'OPTIONS', 'DELETE']) {
    equal((await ask(scene, '/api/alerts', { method })).status, 405, method);
  }
}

async function headers(scene: Scene): Promise<void> {
  for (const path of ['/', '/api/alerts', '/healthz', '/nothing-here']) {
    const { headers: found, body } = await ask(scene, path);
    equal(found['x-powered-by'], undefined);
    equal(found['x-content-type-options'], 'nosniff');
    match(String(found['cache-control']), /no-store|no-cache|max-age/);
    match(
      String(found['x-frame-options'] ?? found['content-security-policy']),
      /DENY|frame-ancestors 'none'/,
    );
    ok(!/node_modules| at .*\.ts:/.test(body), 'no stack trace');
  }
}

async function strangers(scene: Scene): Promise<void> {
  for (const path of ['/api/alerts', '/api/orders/x', '/metrics', '/api/findings']) {
    equal((await ask(scene, path, { unknown: true })).status, 401, path);
    const wrong = { authorization: `Bearer ${digits(32)}` };
    equal((await ask(scene, path, { unknown: true, headers: wrong })).status, 401, path);
  }
  const { alertId } = await scene.dispute({ amount_in_cents: 90_000 });
  await scene.reaches(alertId, 'HUMAN');
  const decision = { method: 'POST', body: { action: 'ACCEPT_DISPUTE' }, unknown: true };
  const { status } = await ask(scene, `/api/alerts/${alertId}/decision`, decision);
  equal(status, 401);
  equal((await scene.caseOf(alertId))?.state, 'HUMAN');
}

async function prototypes(scene: Scene): Promise<void> {
  const { alertId } = await scene.dispute({ amount_in_cents: 90_000 });
  await scene.reaches(alertId, 'HUMAN');
  const body = '{"__proto__":{"action":"ACCEPT_DISPUTE"},"role":"admin"}';
  const { status } = await ask(scene, `/api/alerts/${alertId}/decision`, { method: 'POST', body });
  equal(status, 400);
  equal((await scene.caseOf(alertId))?.state, 'HUMAN');
}

async function ports(scene: Scene): Promise<void> {
  for (const path of ['/metrics', '/api/alerts', '/', '/console.css']) {
    const { status } = await send({ port: scene.rig.port('serve'), method: 'GET', path });
    equal(status, 404, `${path} on the public listener`);
  }
}

async function metadataAddress(scene: Scene): Promise<void> {
  const note = 'see http://169.254.169.254/latest/meta-data/ and http://127.0.0.1:1/';
  const charge = await scene.charge();
  const dispute = { charge, alertId: await scene.alertAbout(charge, { note }) };
  await scene.refundedOnce(dispute);
  for (const child of scene.rig.children()) {
    ok(!/169\.254\.169\.254.*(ECONN|connect)/.test(child.text()), `${child.name} tried to connect`);
  }
}

async function oddIds(scene: Scene): Promise<void> {
  for (const id of ['../orders/x?y=', '..%2forders%2fx', 'netalrt_%00', 'x'.repeat(5_000)]) {
    const { status } = await ask(scene, `/api/alerts/${id}/decision`, {
      method: 'POST',
      body: { action: 'ACCEPT_DISPUTE' },
    });
    ok(status === 404 || status === 400 || status === 405, `${id.slice(0, 20)}: ${status}`);
  }
  const seen = await scene.rig.sandbox.requests('/orders/x');
  equal(seen.length, 0, 'nothing reached the service');
}

export const CONSOLE_CASES: readonly FaultCase[] = [
  { id: 'F32', place: 'shared', run: injections },
  { id: 'F33', place: 'shared', run: hostileTexts },
  { id: 'F90', place: 'shared', quick: true, run: twoOperators },
  { id: 'V1.2.2', place: 'shared', run: oddIds },
  { id: 'V1.3.6', place: 'shared', run: metadataAddress },
  { id: 'V3.4.x', place: 'shared', run: headers },
  { id: 'V3.5.1', place: 'shared', run: forms },
  { id: 'V4.1.4', place: 'shared', run: methods },
  { id: 'V8.2.1', place: 'shared', run: strangers },
  { id: 'V13.4.x', place: 'shared', run: ports },
  { id: 'V15.3.3', place: 'shared', run: prototypes },
];
