/** Runs a scenario against a sandbox, over HTTP, step by step. */
import type { Sandbox } from '../sandbox.ts';
import type { DeliveryAttempt } from '../state/deliveries.ts';
import type { CallStep, DeliveriesStep, Scenario, ScenarioStep } from './scenario.ts';
import { durationMs } from './scenario.ts';
import type { ScenarioReceiver } from './scenario-receiver.ts';
import { startScenarioReceiver } from './scenario-receiver.ts';
import type { Saved } from './values.ts';
import { differences, fillIn, fillString, member } from './values.ts';

/** How a step went. No problems means as expected. */
export interface StepReport {
  readonly step: string;
  readonly problems: readonly string[];
}

/** How a scenario went. It stops at the first step with problems. */
export interface ScenarioReport {
  readonly name: string;
  readonly ok: boolean;
  readonly steps: readonly StepReport[];
}

interface Run {
  readonly sandbox: Sandbox;
  readonly saved: Map<string, unknown>;
  /** Events and attempts that a step has looked at already. */
  eventsSeen: number;
  attemptsSeen: ReadonlySet<DeliveryAttempt>;
}

/** Runs all steps, or those up to the first problem. */
export async function runScenario(sandbox: Sandbox, scenario: Scenario): Promise<ScenarioReport> {
  const run: Run = {
    sandbox,
    saved: new Map<string, unknown>([['accounts', sandbox.accounts]]),
    eventsSeen: sandbox.events().length,
    attemptsSeen: new Set(attemptsOf(sandbox).map(({ attempt }) => attempt)),
  };
  const receiver = await openReceiver(run, scenario);
  const steps: StepReport[] = [];
  try {
    const start = await begin(run, scenario);
    if (start.length > 0) steps.push({ step: 'the start', problems: start });
    for (const step of start.length > 0 ? [] : scenario.steps) {
      const problems = await runStep(run, step);
      steps.push({ step: step.step, problems });
      if (problems.length > 0) break;
    }
  } finally {
    await receiver?.close();
  }
  const ok = steps.length === scenario.steps.length && steps.every(isFine);
  return { name: scenario.name, ok, steps };
}

/** The sandbox's own receiver, or one that replaces it when the story has deliveries. */
async function openReceiver(run: Run, scenario: Scenario): Promise<ScenarioReceiver | undefined> {
  const { sandbox, saved } = run;
  const { url } = sandbox.state.subscriptions.get(sandbox.accounts.subscriptionId) ?? {};
  const isNeeded = scenario.webhooks === true || RECEIVER_PLACE.test(JSON.stringify(scenario));
  const receiver = isNeeded && url === null ? await startScenarioReceiver(scenario) : undefined;
  saved.set('webhooks', receiver?.url ?? url);
  if (scenario.webhooks === true && receiver !== undefined) sandbox.pointWebhooksAt(receiver.url);
  return receiver;
}

/** Where a story names the receiver's address. */
const RECEIVER_PLACE = /\$\{webhooks\}/;

/** Moves the clock to where the story begins, and sets up what is there. */
async function begin(run: Run, scenario: Scenario): Promise<readonly string[]> {
  const { sandbox } = run;
  if (scenario.clock !== undefined) {
    const waitMs = Date.parse(scenario.clock) - sandbox.clock.nowMs();
    const isEarlier = waitMs < 0 && sandbox.clock.standsStill;
    if (isEarlier) {
      return [`the story begins at ${scenario.clock}: start the sandbox with an earlier clock`];
    }
    await sandbox.advance(Math.max(0, waitMs));
  }
  for (const seed of scenario.seeds ?? []) sandbox.seed(seed);
  return [];
}

function isFine(report: StepReport): boolean {
  return report.problems.length === 0;
}

async function runStep(run: Run, step: ScenarioStep): Promise<readonly string[]> {
  if ('advance' in step) {
    await run.sandbox.advance(durationMs(step.advance));
    return [];
  }
  if ('events' in step) return checkEvents(run, step.events);
  return 'deliveries' in step ? await checkDeliveries(run, step) : await runCall(run, step);
}

function checkEvents(run: Run, expected: readonly string[]): readonly string[] {
  const types = run.sandbox.events().map(({ type }) => type);
  const fresh = types.slice(run.eventsSeen);
  run.eventsSeen = types.length;
  return differences(expected, fresh, 'events');
}

interface AttemptMade {
  readonly attempt: DeliveryAttempt;
  readonly eventId: string;
}

function attemptsOf(sandbox: Sandbox): readonly AttemptMade[] {
  return sandbox
    .deliveries()
    .flatMap(({ attempts, event_id: eventId }) =>
      attempts.map((attempt) => ({ attempt, eventId })),
    );
}

/** What is due now is delivered first. */
async function checkDeliveries(run: Run, step: DeliveriesStep): Promise<readonly string[]> {
  const { sandbox, saved } = run;
  await sandbox.settle();
  const all = attemptsOf(sandbox);
  const fresh = all
    .filter(({ attempt }) => !run.attemptsSeen.has(attempt))
    .sort((one, other) => one.attempt.at.localeCompare(other.attempt.at));
  run.attemptsSeen = new Set(all.map(({ attempt }) => attempt));
  const events = new Map(sandbox.events().map((event) => [event.id, event]));
  const made = fresh.map(({ attempt, eventId }) => {
    const event = events.get(eventId);
    const data = member(parse(event?.body.toString() ?? ''), 'data');
    return { event: event?.type, answer: attempt.http_status ?? 'none', data };
  });
  if (step.save !== undefined) saved.set(step.save, made);
  return differences(fillIn(step.deliveries, saved), made, 'deliveries');
}

async function runCall(run: Run, step: CallStep): Promise<readonly string[]> {
  const answer = await send(run, step);
  if (step.save !== undefined) run.saved.set(step.save, answer.body);
  return judge(step, answer, run.saved);
}

interface Answer {
  /** Null: none came. */
  readonly status: number | null;
  readonly body: unknown;
}

/** A call that a fault lets hang is given up after this, in real time. */
const ANSWER_MS_MAX = 30_000;
/** Where no answer is expected, the wait is shorter. */
const SILENCE_MS = 1_000;

async function send(run: Run, step: CallStep): Promise<Answer> {
  const call = fillString(step.call, run.saved);
  const space = call.indexOf(' ');
  const body = step.body === undefined ? step.text : JSON.stringify(fillIn(step.body, run.saved));
  const waitMs = step.expect?.status === null ? SILENCE_MS : ANSWER_MS_MAX;
  try {
    const response = await fetch(run.sandbox.url + call.slice(space + 1), {
      method: call.slice(0, space),
      redirect: 'manual',
      headers: headersOf(run, step),
      signal: AbortSignal.timeout(waitMs),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, body: parse(await response.text()) };
  } catch {
    return { status: null, body: undefined };
  }
}

function headersOf(run: Run, step: CallStep): Record<string, string> {
  const { organisationKey, partnerKey } = run.sandbox.accounts;
  const keys = { organisation: organisationKey, partner: partnerKey, nobody: undefined };
  const key = keys[step.as ?? 'organisation'];
  return {
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...filledHeaders(run, step),
  };
}

function filledHeaders(run: Run, { headers = {} }: CallStep): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fillString(value, run.saved)]),
  );
}

function judge(step: CallStep, answer: Answer, saved: Saved): readonly string[] {
  const { status, body } = step.expect ?? {};
  const isSuccess = answer.status !== null && answer.status >= 200 && answer.status < 300;
  const isStatus = status === undefined ? isSuccess : answer.status === status;
  const wanted = status === undefined ? '2xx' : (status ?? 'no answer');
  const wrongStatus = isStatus
    ? []
    : [`status ${answer.status ?? 'none'} instead of ${wanted}: ${JSON.stringify(answer.body)}`];
  const wrongBody = body === undefined ? [] : differences(fillIn(body, saved), answer.body);
  return [...wrongStatus, ...wrongBody];
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
