/** F87: odd surroundings. The same results in another time zone and language, as nobody, on a read-only disk. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultCase } from '../case.ts';
import type { Child } from '../rig/child.ts';
import type { Aside } from '../rig/rig.ts';
import { forestall } from '../rig/rig.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { send } from '../rig/sign.ts';
import { until } from '../rig/until.ts';
import { ask } from './console.ts';
import { accepted, harmless, refused } from './signatures.ts';

/** The user without rights, as images without a shell know it: by number. */
const NOBODY = 65_534;
const TREE = fileURLToPath(new URL('../../..', import.meta.url));

/** Set where a Turkish `i` or half an hour of offset would change a result. NODE_ENV is never set. */
const ODD = { TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };

const UMASK = ['sh', '-c', 'umask 077; exec "$@"', 'sh'];
const AS_NOBODY = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount -o remount,bind,ro / && umask 077 && exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$@"`,
  'sh',
];

/** How processes are started here, and what of the row that leaves out. */
function surroundings(): { how: Aside; left: string } {
  const why = whyNotNobody();
  return why === ''
    ? { how: { through: AS_NOBODY }, left: '' }
    : { how: { through: UMASK }, left: `; not as uid ${NOBODY} on a read-only root: ${why}` };
}

function whyNotNobody(): string {
  if (process.getuid?.() !== 0) return 'that takes root';
  for (let at = TREE; at !== parse(at).root; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return `others may not enter ${at}`;
  }
  try {
    accessSync(process.execPath, constants.X_OK);
    const [program = '', ...args] = AS_NOBODY;
    execFileSync(program, [...args, 'true'], {
      stdio: 'ignore',
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    return '';
  } catch {
    return 'this system lets nobody make a mount of its own';
  }
}

async function oddSurroundings(scene: Scene): Promise<string> {
  const { rig } = scene;
  const { how, left } = surroundings();
  const env = { ...ODD, HOME: '/nonexistent' };
  await Promise.all(rig.running('work').map((child) => child.end('SIGTERM')));
  const migrate = forestall(rig.folder, {
    name: `odd-migrate-${digits(4)}`,
    args: ['migrate'],
    env: { ...rig.environment('work'), ...env },
    ...how,
  });
  deepEqual(await migrate.ended, { code: 0, signal: null }, migrate.text());
  const started: Child[] = [];
  try {
    for (const role of ['work', 'serve', 'console'] as const) {
      started.push(await rig.startAside(role, env, how));
    }
    const [, serve, people] = started;
    const port = rig.portOf(serve);
    await accepted(scene, harmless(), { port });
    await refused(scene, harmless(), { port, headers: { 'x-signature': 't=1,v1=0' } });
    await until('it is ready', async () => {
      return (await send({ port, method: 'GET', path: '/readyz' })).status === 200;
    });
    const dispute = await scene.dispute({ amount_in_cents: 12_345 });
    await scene.refundedOnce(dispute);
    await showsPlainly(scene, rig.portOf(people), dispute.alertId);
  } finally {
    for (const child of started) await child.end('SIGTERM');
    await rig.start('work');
  }
  return `TZ, LANG, NODE_ENV unset, umask 077${left === '' ? `, uid ${NOBODY}, read-only root` : left}`;
}

/** Amount and time read as everywhere else; a mistake shows no inside although NODE_ENV is unset. */
async function showsPlainly(scene: Scene, port: number, alertId: string): Promise<void> {
  const shown = await ask(scene, `/api/alerts/${alertId}`, { port });
  equal(shown.status, 200, shown.body);
  match(shown.body, /12345/);
  match(shown.body, /"20\d\d-\d\d-\d\dT[\d:.]+Z"/);
  const broken = await ask(scene, `/api/alerts/${alertId}/decision`, {
    port,
    method: 'POST',
    body: '{"action":',
  });
  equal(broken.status, 400);
  ok(!/node_modules| at .*\.ts:/.test(broken.body), 'no stack trace');
}

export const SURROUNDING_CASES: readonly FaultCase[] = [
  { id: 'F87', place: 'alone', run: oddSurroundings },
];
