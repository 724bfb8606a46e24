/**
 * The third part of `npm run bench`: what one refunded alert costs in SQL, what an idle installation asks, and
 * how many alerts a minute an organisation gets refunded and declared within the service's limit.
 *
 * Options: `--quick` (fewer alerts), `--json`; `--full` is the first part's.
 */
import { parseArgs } from 'node:util';
import { REQUESTS_PER_MINUTE_MAX } from '../../src/base/kernel/limits.ts';
import { demonstrationPolicy } from '../../src/policy/built-in.ts';
import { benchPatches } from './patches.ts';
import type { Row } from './rows.ts';
import { printRows } from './rows.ts';
import type { StatementReport } from './statements.ts';
import { benchStatements, IDLE_PER_SECOND_MAX, STATEMENTS_MAX } from './statements.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** Target of the refunded alerts a minute. */
const REFUNDED_PER_MINUTE_MIN = 90;

/** So long that nothing is hurried: the rate is the question here. */
const FIRST_DEADLINE_MINUTES = 24 * 60;

/** Statements that are shown. */
const SHOWN = 15;

async function benchRefunds(): Promise<Row[]> {
  const alerts = values.quick ? 120 : 320;
  const report = await benchPatches({
    alerts,
    policy: demonstrationPolicy(),
    firstDeadlineMinutes: FIRST_DEADLINE_MINUTES,
  });
  const perMinute = (report.limitShare ?? 0) * REQUESTS_PER_MINUTE_MAX;
  return [
    {
      name: `refunded and declared a minute, ${alerts} alerts`,
      measured: `${perMinute.toFixed(1)} of ${REQUESTS_PER_MINUTE_MAX}`,
      target: `≥ ${REFUNDED_PER_MINUTE_MIN}`,
      met: perMinute >= REFUNDED_PER_MINUTE_MIN,
    },
    {
      name: '429 answers; missed; refunded once, then declared',
      measured: `${report.rateLimited}; ${report.missed}; ${report.refunded}`,
      target: `0; 0; ${alerts}`,
      met: report.rateLimited === 0 && report.missed === 0 && report.refunded === alerts,
    },
    {
      name: 'reads of single alerts for each',
      measured: (report.reads / alerts).toFixed(2),
      // Once before its money moves: the answer that follows needs no other.
      target: '≤ 1.05',
      met: report.reads <= alerts * 1.05,
    },
  ];
}

function rowsOf(report: StatementReport): Row[] {
  const { alerts, refunded, statements, transactions, idlePerSecond } = report;
  return [
    {
      name: `SQL statements, webhook to closed case (${alerts} alerts)`,
      measured: statements.toFixed(1),
      target: `≤ ${STATEMENTS_MAX}`,
      met: statements <= STATEMENTS_MAX && refunded === alerts,
    },
    {
      name: 'transactions; alerts refunded and closed',
      measured: `${transactions.toFixed(1)}; ${refunded}`,
      target: `-; ${alerts}`,
      met: refunded === alerts,
    },
    {
      name: 'SQL statements a second without alerts (worker, receiver)',
      measured: idlePerSecond.toFixed(2),
      target: `≤ ${IDLE_PER_SECOND_MAX}`,
      met: idlePerSecond <= IDLE_PER_SECOND_MAX,
    },
  ];
}

function printStatements({ byText }: StatementReport): void {
  console.log('\n Most often, for one alert, without what is asked anyway:');
  for (const { text, times } of byText.slice(0, SHOWN)) {
    console.log(` ${times.toFixed(2).padStart(6)}  ${text.slice(0, 160)}`);
  }
}

const statements = await benchStatements();
const rows = [...rowsOf(statements), ...(await benchRefunds())];
if (values.json) console.log(JSON.stringify({ rows, statements }));
else {
  printRows(rows);
  printStatements(statements);
}
