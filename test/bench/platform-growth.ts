/** What grows with what is stored: pages that people keep open, metrics, and the statements that took longest. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { quantile } from './platform-figures.ts';

/** A page, a look or a statement takes no longer, in milliseconds. */
export const SLOW_MS = 50;
const ASKED = 11;
/** Of each statement so much is shown. */
const SHOWN_CHARACTERS = 110;

/** Where to ask: the console, and the private port of a worker. */
export interface Places {
  readonly consolePort: number;
  readonly metricsPort: number;
  readonly token: string;
  readonly path: string;
}

export interface PageMedian {
  readonly page: string;
  readonly medianMs: number;
}

/** Median from request to answer, one at a time. */
export async function timePages({
  consolePort,
  metricsPort,
  token,
  path,
}: Places): Promise<PageMedian[]> {
  const console_ = `http://127.0.0.1:${consolePort}`;
  const signedIn = await fetch(`${console_}/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const pages = [
    ['all organisations', `${console_}/`],
    ['Today', `${console_}/organisations/${path}/`],
    ['Reviews', `${console_}/organisations/${path}/reviews`],
    ['/metrics', `http://127.0.0.1:${metricsPort}/metrics`],
  ] as const;
  const medians: PageMedian[] = [];
  for (const [page, url] of pages) {
    const took: number[] = [];
    for (let asked = 0; asked < ASKED; asked++) {
      const fromMs = performance.now();
      const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' });
      await answer.text();
      if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}.`);
      took.push(performance.now() - fromMs);
    }
    medians.push({ page, medianMs: quantile(took, 0.5) });
  }
  return medians;
}

export interface SlowStatements {
  readonly count: number;
  /** The slowest first. */
  readonly slowest: readonly { readonly ms: number; readonly text: string }[];
}

/** From now on the server tells statements of {@link SLOW_MS} and more. Returns what reads them. */
export async function watchStatements(
  connectionString: string,
  folder: string,
): Promise<() => Promise<SlowStatements>> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`alter system set log_min_duration_statement = ${SLOW_MS}`);
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
  const log = join(folder, 'postgres.log');
  const from = (await stat(log)).size;
  return async () => {
    const text = (await readFile(log)).subarray(from).toString();
    const found = [
      ...text.matchAll(/duration: ([\d.]+) ms {2}(?:\w+)[^:\n]*: ([\s\S]*?)(?=\n\d{4}-|$)/g),
    ];
    const slow = found.map(([, ms, statement = '']) => ({
      ms: Number(ms),
      text: statement.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS),
    }));
    const slowest = slow.toSorted((one, other) => other.ms - one.ms);
    const seen = new Set<string>();
    const each = slowest.filter(({ text: own }) => !seen.has(own) && seen.add(own));
    return { count: slow.length, slowest: each.slice(0, 5) };
  };
}
