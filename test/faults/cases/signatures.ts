/** S01–S17: who signed, when, and with what. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { eventText } from '../rig/scene.ts';
import type { Outgoing } from '../rig/sign.ts';
import { digest } from '../rig/sign.ts';
import { until } from '../rig/until.ts';

/** An event that no stage acts on. */
export function harmless(id?: string): string {
  return eventText({ id: 'nothing' }, { type: 'fault.test', ...(id === undefined ? {} : { id }) });
}

/** Whether the event's id is stored. */
export async function isStored(scene: Scene, body: string): Promise<boolean> {
  const id = String(JSON.parse(body).id);
  const rows = await scene.rig.sql('select 1 from inbox_id where event_id = $1', [id]);
  return rows.length === 1;
}

/** Sent as it is: 2xx, and one row. */
export async function accepted(
  scene: Scene,
  body: string,
  how: Partial<Outgoing> = {},
): Promise<void> {
  const { status } = await scene.post(body, how);
  equal(status, 200);
  ok(await isStored(scene, body), 'the event is stored');
}

/** Sent as it is: this status, no row, no inside shown. */
export async function refused(
  scene: Scene,
  body: string,
  how: Partial<Outgoing> & { readonly status?: number },
): Promise<void> {
  const answer = await scene.post(body, how);
  equal(answer.status, how.status ?? 401);
  ok(!/at .*\.ts|node_modules/.test(answer.body), 'no stack trace is shown');
  ok(!(await isStored(scene, body)), 'nothing is stored');
}

function withSignature(signature: string | readonly string[]): Partial<Outgoing> {
  return { headers: { 'x-signature': signature } };
}

/** Each header is refused for a body of its own; `make` gets the right digest and `t`. */
function refusesAll(make: (hex: string, t: string) => (string | readonly string[])[]) {
  return async (scene: Scene): Promise<void> => {
    const t = String(scene.nowSeconds());
    const count = make('', t).length;
    for (let index = 0; index < count; index++) {
      const body = harmless();
      const header = make(digest(scene.rig.secrets.webhook, t, body), t)[index] ?? '';
      await refused(scene, body, withSignature(header));
    }
  };
}

/** Odd spellings of a timestamp, each signed exactly as it is written. */
function refusesTimes(make: (t: string) => string[]) {
  return async (scene: Scene): Promise<void> => {
    for (const t of make(String(scene.nowSeconds()))) {
      const body = harmless();
      const signed = `t=${t},v1=${digest(scene.rig.secrets.webhook, t, body)}`;
      await refused(scene, body, withSignature(Buffer.from(signed).toString('latin1')));
    }
  };
}

const FULL_WIDTH_ONE = '\uff11';
const SECOND_SECRET = 'whsec_rotation_5e1f0c7a93b24d68';

async function rotation(scene: Scene): Promise<void> {
  const { rig } = scene;
  const old = rig.secrets.webhook;
  const tell = async (secrets: string, secret: string): Promise<number> => {
    const serve = await rig.startAside('serve', { FORESTALL_WEBHOOK_SECRETS: secrets });
    const body = harmless();
    const { status } = await scene.post(body, {
      port: rig.portOf(serve),
      headers: { 'x-signature': scene.signature(body, { secret }) },
    });
    deepEqual(await serve.end('SIGTERM'), { code: 0, signal: null });
    return status;
  };
  equal(await tell(`${SECOND_SECRET},${old}`, old), 200, 'the old secret during the rotation');
  equal(await tell(`${SECOND_SECRET},${old}`, SECOND_SECRET), 200, 'the new one');
  equal(await tell(SECOND_SECRET, old), 401, 'the old one after its removal');
}

async function wrongKeys(scene: Scene): Promise<void> {
  const t = String(scene.nowSeconds());
  const { webhook } = scene.rig.secrets;
  for (const key of ['', 'undefined', 'null', webhook.replace('whsec_', '')]) {
    const body = harmless();
    await refused(scene, body, withSignature(`t=${t},v1=${digest(key, t, body)}`));
  }
  const body = harmless();
  const sha256 = createHmac('sha256', webhook).update(`${t}.${body}`).digest('hex');
  await refused(scene, body, withSignature(`t=${t},v1=${sha256}`));
  await refused(scene, body, withSignature(`t=${t},v1=${sha256}${sha256}`));
}

async function replayed(scene: Scene): Promise<void> {
  const { alertId, charge } = await scene.dispute();
  await scene.refundedOnce({ alertId, charge });
  const body = eventText({ id: alertId }, { type: 'fault.replay' });
  const header = withSignature(scene.signature(body));
  for (const duplicate of [false, true, true]) {
    const answer = await scene.post(body, header);
    equal(answer.status, 200);
    equal(JSON.parse(answer.body).duplicate, duplicate);
  }
  await scene.refundedOnce({ alertId, charge });
}

async function stale(scene: Scene): Promise<void> {
  const { rig } = scene;
  const { alertId } = await scene.dispute({ amount_in_cents: 90_000 });
  await scene.reaches(alertId, 'HUMAN');
  const before = (await rig.sandbox.requests(alertId)).length;
  const body = eventText({ id: alertId, organisation_id: rig.organisationId });
  const t = String(scene.nowSeconds() - 1_000);
  await refused(scene, body, withSignature(`t=${t},v1=${digest(rig.secrets.webhook, t, body)}`));
  await until('the alert is read once more', async () => {
    const reads = await rig.sandbox.requests(alertId);
    return reads.length > before && reads.at(-1)?.method === 'GET';
  });
  await until('the request for a poll is struck off', async () => {
    const asked = await rig.sql('select 1 from poll_request where alert_id = $1', [alertId]);
    return asked.length === 0;
  });
}

async function tolerance(scene: Scene): Promise<void> {
  // The exact second is held by test/unit/receive/signature.test.ts; here the two clocks may differ.
  for (const [offset, status] of [
    [-297, 200],
    [-302, 401],
    [299, 200],
    [306, 401],
  ] as const) {
    const body = harmless();
    const t = String(scene.nowSeconds() + offset);
    const answer = await scene.post(body, withSignature(scene.signature(body, { t })));
    equal(answer.status, status, `t ${offset} s off`);
  }
}

export const SIGNATURE_CASES: readonly FaultCase[] = [
  { id: 'S01', place: 'shared', quick: true, run: (scene) => accepted(scene, harmless()) },
  {
    id: 'S02',
    place: 'shared',
    quick: true,
    run: async (scene) => {
      await refused(scene, harmless(), withSignature(''));
      const body = harmless();
      const answer = await scene.post(body, { headers: { 'x-signature': [] } });
      equal(answer.status, 401);
      match(answer.body, /signature_refused/);
    },
  },
  { id: 'S03', place: 'shared', run: refusesAll((hex, t) => [`t=${t}`, `v1=${hex}`]) },
  {
    id: 'S04',
    place: 'shared',
    run: refusesAll((hex, t) => [
      `t=${t},t=${t},v1=${hex}`,
      [`t=${t},v1=${hex}`, `t=${t},v1=${hex}`],
    ]),
  },
  {
    id: 'S05',
    place: 'shared',
    run: async (scene) => {
      const body = harmless();
      const t = String(scene.nowSeconds());
      const right = digest(scene.rig.secrets.webhook, t, body);
      await accepted(scene, body, withSignature(`t=${t},v1=${'0'.repeat(128)},v1=${right}`));
    },
  },
  {
    id: 'S06',
    place: 'shared',
    run: refusesAll((hex, t) => [`t=${t},v0=${hex}`, `t=${t},v2=${hex}`]),
  },
  { id: 'S07', place: 'shared', run: refusesAll((hex, t) => [`t=${t},v1=${hex.toUpperCase()}`]) },
  {
    id: 'S08',
    place: 'shared',
    quick: true,
    run: refusesAll((hex, t) => [
      `t=${t},v1=${hex.slice(0, 127)}`,
      `t=${t},v1=${hex}0`,
      `t=${t},v1=${hex}zz`,
      `t=${t},v1=`,
    ]),
  },
  {
    id: 'S09',
    place: 'shared',
    run: refusesTimes((t) => [
      `${t}abc`,
      `+${t}`,
      `${t.slice(0, 1)}.${t.slice(1)}e9`,
      `0x${Number(t).toString(16)}`,
      ` ${t}`,
      `${FULL_WIDTH_ONE}${t.slice(1)}`,
    ]),
  },
  {
    id: 'S10',
    place: 'shared',
    run: refusesTimes((t) => [`-${t}`, '', 'NaN', t.padStart(20, '0'), `${t}0000000000`, `0${t}`]),
  },
  { id: 'S11', place: 'shared', quick: true, run: tolerance },
  {
    id: 'S12',
    place: 'shared',
    quick: true,
    run: async (scene) => {
      const body = harmless();
      const flipped = body.replace('"nothing"', '"nothinG"');
      await refused(scene, flipped, withSignature(scene.signature(body)));
      await refused(scene, `${body}\n`, withSignature(scene.signature(body)));
    },
  },
  {
    id: 'S13',
    place: 'shared',
    run: async (scene) => {
      const body = harmless();
      const spaced = JSON.stringify(JSON.parse(body), undefined, 1);
      await refused(scene, spaced, withSignature(scene.signature(body)));
    },
  },
  { id: 'S14', place: 'shared', run: rotation },
  { id: 'S15', place: 'shared', quick: true, run: wrongKeys },
  { id: 'S16', place: 'shared', run: replayed },
  { id: 'S17', place: 'shared', run: stale },
];
