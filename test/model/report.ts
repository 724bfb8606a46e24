/** One line for each run, of 80 columns, and the way into a break. */
import type { Done, Run } from './runs.ts';

const COLUMNS = 80;

export function lineOf({ scenario, without }: Run, done: Done): string {
  const name = without === undefined ? scenario : `without ${without}`;
  const count = done.states.toLocaleString('en').padStart(10);
  const time = `${done.seconds.toFixed(1)} s`.padStart(8);
  return `${verdictOf(without !== undefined, done).padEnd(12)}${name.padEnd(34)}${count} states${time}`;
}

function verdictOf(isRemoval: boolean, { breach, asItMust, unreached }: Done): string {
  if (!isRemoval && unreached.length > 0) return 'UNREACHED';
  if (!isRemoval) return asItMust ? 'holds' : 'BROKEN';
  return asItMust ? `breaks ${breach.slice(0, 2)}` : 'NOT CAUGHT';
}

export function traceLines({ breach, trace, unreached }: Done): string[] {
  if (breach === '') return unreached.map((name) => `       never reached: ${name}`);
  const steps = trace.map((label, index) => `  ${String(index + 1).padStart(3)}. ${label}`);
  return [...steps, `       ${breach}`].map((line) => line.slice(0, COLUMNS));
}
