/** F04: the database's answer to COMMIT is lost, at every step of the worker and of the listener. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { storedOf } from './database.ts';
import { takenOver } from './proven.ts';
import { harmless } from './signatures.ts';

/** More than an alert takes on its way, so that every step meets it; one of so many, so that work continues. */
const LOST = 16;
const OF_EVERY = 5;

async function lostCommits(scene: Scene): Promise<string> {
  const { rig } = scene;
  const { workToDatabase, serveToDatabase } = rig.proxies;
  const disputes: Dispute[] = [];
  workToDatabase.loseAnswers({ count: LOST, every: OF_EVERY });
  await until(
    'every answer planned to be lost is lost',
    async () => {
      if (disputes.length < LOST) disputes.push(await scene.dispute());
      return workToDatabase.answersLeft() === 0;
    },
    180_000,
  );
  await takenOver(scene, disputes);
  for (const dispute of disputes) await scene.refundedOnce(dispute, 180_000);

  const bodies = Array.from({ length: 10 }, () => harmless());
  const statuses = new Map<number, number>();
  // The listener's one statement, known by the body in it, commits by itself.
  serveToDatabase.loseAnswers({ count: bodies.length, to: 'fault.test' });
  for (const body of bodies) {
    const { status } = await scene.post(body);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // A connection that was cut may be handed out once more: then nothing was asked, and nothing lost.
  const lost = bodies.length - serveToDatabase.answersLeft();
  serveToDatabase.loseAnswers({ count: 0 });
  ok(lost >= bodies.length / 2, `only ${lost} answers were lost`);
  deepEqual([...statuses.keys()].sort(), [503], 'no 2xx while the outcome is unknown');
  const again = await Promise.all(bodies.map((body) => scene.post(body)));
  deepEqual(new Set(again.map(({ status }) => status)), new Set([200]));
  equal(await storedOf(scene, bodies), bodies.length, 'the repeat stored each once');
  ok(
    again.some(({ body }) => JSON.parse(body).duplicate === true),
    'some had been committed',
  );
  return `${LOST} answers lost to the worker over ${disputes.length} alerts, each refunded and declared once; ${lost} lost to the listener, each 503, then 200`;
}

export const LOST_COMMIT_CASES: readonly FaultCase[] = [
  { id: 'F04', place: 'workers', run: lostCommits },
];
