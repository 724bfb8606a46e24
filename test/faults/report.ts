/** The results as text for people, JUnit for build servers, and JSON for programs. */
import type { CaseResult } from './case.ts';

/** About the run as a whole. */
export interface RunFacts {
  readonly version: string;
  readonly node: string;
  readonly startedAt: string;
  readonly tookMs: number;
}

const SIGN = {
  passed: 'ok',
  failed: 'FAILED',
  skipped: '–',
  'held elsewhere': '–',
  'not selected': ' ',
} as const;

/** Columns of the text. */
const WIDTH = 80;

/** Breaks at spaces, and where a word alone is too long, such as a row of JSON, anywhere. */
function wrap(text: string, indent: string): string[] {
  const width = WIDTH - indent.length;
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let rest = paragraph.trimEnd();
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width);
      const at = space > width / 3 ? space : width;
      lines.push(rest.slice(0, at));
      rest = rest.slice(at).trimStart();
    }
    lines.push(rest);
  }
  return lines.filter((line) => line !== '').map((line) => indent + line);
}

/** One line per case, and what to look at under a failed one. */
export function textLine(result: CaseResult): string {
  const { id, title, status, tookMs, detail, lookAt } = result;
  const seconds =
    status === 'passed' || status === 'failed' ? `${(tookMs / 1000).toFixed(1)} s` : '';
  const start = `${SIGN[status].padEnd(7)}${id.padEnd(8)}${seconds.padStart(8)}  `;
  const [first = '', ...rest] = wrap(title, ' '.repeat(start.length));
  const more = status === 'failed' ? [detail, ...lookAt.map((line) => `look at ${line}`)] : [];
  if (status !== 'failed' && detail !== '') more.push(detail);
  const below = more.flatMap((line) => wrap(line, ' '.repeat(7)));
  return [start + first.trimStart(), ...rest, ...below].join('\n');
}

/** The last lines. */
export function textSummary(results: readonly CaseResult[], facts: RunFacts): string {
  const count = (status: CaseResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const failed = results.filter(({ status }) => status === 'failed').map(({ id }) => id);
  const elsewhere = results.filter(({ status }) => status === 'held elsewhere');
  const skippedCount = count('skipped');
  const skipped = skippedCount === 0 ? '' : `${skippedCount} skipped, `;
  const minutes = (facts.tookMs / 60_000).toFixed(1);
  return [
    '',
    `${count('passed')} passed, ${failed.length} failed, ${elsewhere.length} held elsewhere, ${skipped}in ${minutes} min`,
    ...(elsewhere.length === 0
      ? []
      : wrap(`Not driven here: ${elsewhere.map(({ id }) => id).join(', ')}`, '')),
    ...(failed.length === 0 ? [] : [`Failed: npm run faults -- --only ${failed.join(',')}`]),
  ].join('\n');
}

/** JUnit XML; a row that nothing drives is a skipped test. */
export function junit(results: readonly CaseResult[], facts: RunFacts): string {
  const shown = results.filter(({ status }) => status !== 'not selected');
  const failures = shown.filter(({ status }) => status === 'failed').length;
  const skipped = shown.filter(
    ({ status }) => status === 'held elsewhere' || status === 'skipped',
  ).length;
  const head = `<testsuite name="faults" tests="${shown.length}" failures="${failures}" skipped="${skipped}" time="${(facts.tookMs / 1000).toFixed(3)}" timestamp="${escapeXml(facts.startedAt)}">`;
  const body = shown.map((result) => {
    const open = `  <testcase classname="faults" name="${escapeXml(`${result.id} ${result.title}`)}" time="${(result.tookMs / 1000).toFixed(3)}"`;
    if (result.status === 'passed') return `${open}/>`;
    const inner =
      result.status === 'failed'
        ? `<failure message="${escapeXml(result.detail)}">${escapeXml(result.lookAt.join('\n'))}</failure>`
        : `<skipped message="${escapeXml(result.detail)}"/>`;
    return `${open}>\n    ${inner}\n  </testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${body.join('\n')}\n</testsuite>\n`;
}

/** Everything, as JSON. */
export function json(results: readonly CaseResult[], facts: RunFacts): string {
  return `${JSON.stringify({ ...facts, results }, undefined, 2)}\n`;
}

/** Also drops what XML 1.0 cannot carry. */
function escapeXml(text: string): string {
  return [...text]
    .filter((character) => character >= ' ' || character === '\n' || character === '\t')
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
