/**
 * `npm run faults`: the fault catalogue against the real service, as separate processes.
 *
 *   npm run faults                      every case
 *   npm run faults -- --only F46,S12    these
 *   npm run faults:quick                those that fit into a minute
 *   npm run faults -- --organisations 2  beside a second organisation, which has every name of the first
 *
 * The report goes to `.forestall/faults/` as `summary.txt`, `junit.xml` and `report.json`. Exit status
 * 1: a case failed. 2: no such case.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { restOf, selectCases } from './all-cases.ts';
import type { CaseResult } from './case.ts';
import { CATALOGUE } from './catalogue.ts';
import { json, junit, textLine, textSummary } from './report.ts';
import { killAll } from './rig/child.ts';
import { stopAllPostgres } from './rig/postgres.ts';
import { stopAllPairs } from './rig/standby.ts';
import { packageVersion, runCases } from './runner.ts';

const OUT = '.forestall/faults';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    organisations: { type: 'string', default: '1' },
  },
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    killAll();
    void Promise.allSettled([stopAllPostgres(), stopAllPairs()]).finally(() => process.exit(1));
  });
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const { cases, unknown } = selectCases({ only: values.only?.split(','), quick: values.quick });
if (unknown.length > 0) {
  say(`There is no case ${unknown.join(', ')}. See npm run faults -- --list.`);
  process.exit(2);
}
if (!['1', '2'].includes(values.organisations)) {
  say('--organisations is 1 or 2.');
  process.exit(2);
}
if (values.list) {
  for (const { id, title, drivenBy } of CATALOGUE)
    say(`${id.padEnd(10)}${title}${drivenBy === undefined ? '' : ` [driven by ${drivenBy}]`}`);
  process.exit(0);
}

const startedAt = new Date().toISOString();
const startedMs = performance.now();
const results: CaseResult[] = [];
const folder = await runCases({
  cases,
  hasNeighbour: values.organisations === '2',
  onResult(result) {
    results.push(result);
    say(textLine(result));
  },
});
for (const rest of restOf(results)) {
  results.push(rest);
  if (rest.status === 'held elsewhere' && values.only === undefined && !values.quick)
    say(textLine(rest));
}
const facts = {
  version: packageVersion(),
  node: process.version,
  startedAt,
  tookMs: Math.round(performance.now() - startedMs),
};
mkdirSync(OUT, { recursive: true });
const summary = textSummary(results, facts);
const shown = results.filter(({ status }) => status !== 'not selected').map(textLine);
writeFileSync(`${OUT}/summary.txt`, `${shown.join('\n')}\n${summary}\n`);
writeFileSync(`${OUT}/junit.xml`, junit(results, facts));
writeFileSync(`${OUT}/report.json`, json(results, facts));
say(summary);
say(`Report: ${OUT}/ · logs of every process: ${folder}`);
process.exit(results.some(({ status }) => status === 'failed') ? 1 : 0);
