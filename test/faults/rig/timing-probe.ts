/**
 * A process of its own that times the verifier: does a wrong digest that is wrong at its beginning take as
 * long as one that is wrong at its end? Prints Welch's t of each round, and of a control that compares
 * character by character and stops, which shows that the probe would see such a difference.
 *
 * A thread's processor time is counted too coarsely on some machines, so the clock is the monotonic one and
 * the slower half of the batches is left out: whoever was interrupted is in it. The two kinds alternate in
 * an order of chance, so drift strikes both.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createVerifier } from '../../../src/alerts/receive/signature.ts';

const ROUNDS = 3;
/** Per round: 50,000 verifications, in batches that last long enough for a clock of microseconds. */
const BATCHES = 2_500;
const BATCH = 20;
/** The slower half holds the interruptions, collections of memory and caches gone cold. */
const KEPT = 0.5;

type Refuses = (header: string) => boolean;

const secret = `whsec_${randomBytes(16).toString('hex')}`;
const body = Buffer.from('{"id":"evt_timing","type":"fault.test","data":{"object":{}}}');
const t = '1700000000';
const right = createHmac('sha512', secret).update(`${t}.`).update(body).digest('hex');

const verifier = createVerifier({
  secrets: [secret],
  clock: { nowMs: () => Number(t) * 1_000 },
});

/** What must not be written: the first difference ends it. */
function leaks(header: string): boolean {
  const expected = createHmac('sha512', secret).update(`${t}.`).update(body).digest('hex');
  const given = header.slice(header.indexOf('v1=') + 3);
  for (let index = 0; index < expected.length; index++) {
    if (given.charCodeAt(index) !== expected.charCodeAt(index)) return true;
  }
  return false;
}

/** A header whose digest differs from the right one at one place only. */
function wrongAt(index: number): string {
  const other = right[index] === '0' ? '1' : '0';
  return `t=${t},v1=${right.slice(0, index)}${other}${right.slice(index + 1)}`;
}

const HEADERS = [wrongAt(0), wrongAt(127)];

/** Times of the batches of each kind, in microseconds. */
function measure(refuses: Refuses): [number[], number[]] {
  const took: [number[], number[]] = [[], []];
  for (let batch = 0; batch < BATCHES; batch++) {
    const kind = Math.random() < 0.5 ? 0 : 1;
    const header = HEADERS[kind] ?? '';
    const before = performance.now();
    for (let count = 0; count < BATCH; count++) {
      if (!refuses(header)) throw new Error('A wrong digest was accepted.');
    }
    took[kind].push((performance.now() - before) * 1_000);
  }
  return took;
}

function welch([first, second]: [number[], number[]]): number {
  const limit = [...first, ...second].sort((a, b) => a - b)[Math.floor(BATCHES * KEPT)] ?? 0;
  const [a, b] = [first, second].map((all) => describe(all.filter((one) => one <= limit)));
  if (a === undefined || b === undefined) throw new Error('Nothing was measured.');
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
}

function describe(all: readonly number[]): { mean: number; variance: number; count: number } {
  const count = all.length;
  const mean = all.reduce((sum, one) => sum + one, 0) / count;
  const variance = all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  return { mean, variance, count };
}

/** The middle one of the rounds, by size: one disturbed round decides nothing. */
function typical(refuses: Refuses): number {
  measure(refuses);
  const all = Array.from({ length: ROUNDS }, () => Math.abs(welch(measure(refuses))));
  return all.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

/** A control that is not seen means a machine too disturbed to see anything: it is asked again. */
const TRIES = 6;
const SEEN = 4.5;

let control = 0;
for (let tries = 0; tries < TRIES && control < SEEN; tries++) control = typical(leaks);
const ours = typical((header) => !verifier.verify([header], body).ok);
process.stdout.write(`timing ${JSON.stringify({ ours, control, seen: SEEN })}\n`);
