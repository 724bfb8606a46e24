/** What `forestall sandbox` prints. */
import type { Sandbox, ScenarioReport } from '../../sandbox/index.ts';
import type { SandboxFlags } from './sandbox-flags.ts';
import { wrapWords } from './wrap-words.ts';

const WIDTH_CHARS = 80;

/** Where it listens, and the settings that point a program at it. */
export function accountsText(
  { accounts, clock, url }: Sandbox,
  { host, webhooks }: SandboxFlags,
): string {
  const now = new Date(clock.nowMs()).toISOString();
  const runs = clock.standsStill ? 'and stands still' : `and runs ${clock.rate} times as fast`;
  const time = clock.rate === 1 ? now : `${now} ${runs}`;
  return `
The sandbox listens on ${host === '0.0.0.0' ? `${url} and beyond this machine` : url}.
Everything is in memory.

  Page      ${url}/sandbox
  Clock     ${time}
  Webhooks  ${webhooks ?? 'nowhere yet: --webhooks URL, or on the page'}

FORESTALL_SERVICE_URL=${url}
FORESTALL_API_KEY=${accounts.organisationKey}
FORESTALL_PARTNER_API_KEY=${accounts.partnerKey}
FORESTALL_WEBHOOK_SECRETS=${accounts.webhookSecret}
FORESTALL_ORGANISATION_ID=${accounts.organisationId}
FORESTALL_INTEGRATION_ID=${accounts.integrationId}
`;
}

/** One line per step, and what was not as told. */
export function scenarioText({ name, ok, steps }: ScenarioReport): string {
  const lines = steps.flatMap(({ step, problems }) => [
    ...indented(`${problems.length === 0 ? '✓' : '✗'} ${step}`, 2),
    ...problems.flatMap((problem) => indented(problem, 6)),
  ]);
  const verdict = ok ? 'It went as told.' : 'It did not go as told: see the last step.';
  return [...indented(name, 0), ...lines, verdict].join('\n');
}

/** Broken between words; a word that is too long is cut. */
function indented(text: string, by: number): string[] {
  const room = WIDTH_CHARS - by;
  return wrapWords(text.replaceAll('\n', ' '), room).map(
    (line) => ' '.repeat(by) + (line.length > room ? `${line.slice(0, room - 1)}…` : line),
  );
}
