/**
 * Runs a scenario against a sandbox, over HTTP, step by step.
 */
import type { Sandbox } from '../sandbox.ts';
import type { CallStep, Scenario, ScenarioStep } from './scenario.ts';
import { durationMs } from './scenario.ts';
import type { Saved } from './values.ts';
import { differences, fillIn, fillString } from './values.ts';

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
  /** Events that a step has looked at already. */
  eventsSeen: number;
}

/** Runs all steps, or those up to the first problem. */
export async function runScenario(sandbox: Sandbox, scenario: Scenario): Promise<ScenarioReport> {
  const run: Run = {
    sandbox,
    saved: new Map<string, unknown>([['accounts', sandbox.accounts]]),
    eventsSeen: sandbox.events().length,
  };
  const steps: StepReport[] = [];
  for (const step of scenario.steps) {
    const problems = await runStep(run, step);
    steps.push({ step: step.step, problems });
    if (problems.length > 0) break;
  }
  const ok = steps.length === scenario.steps.length && steps.every(isFine);
  return { name: scenario.name, ok, steps };
}

function isFine(report: StepReport): boolean {
  return report.problems.length === 0;
}

async function runStep(run: Run, step: ScenarioStep): Promise<readonly string[]> {
  if ('advance' in step) {
    await run.sandbox.advance(durationMs(step.advance));
    return [];
  }
  return 'events' in step ? checkEvents(run, step.events) : runCall(run, step);
}

function checkEvents(run: Run, expected: readonly string[]): readonly string[] {
  const types = run.sandbox.events().map(({ type }) => type);
  const fresh = types.slice(run.eventsSeen);
  run.eventsSeen = types.length;
  return differences(expected, fresh, 'events');
}

async function runCall(run: Run, step: CallStep): Promise<readonly string[]> {
  const call = fillString(step.call, run.saved);
  const space = call.indexOf(' ');
  const response = await fetch(run.sandbox.url + call.slice(space + 1), {
    method: call.slice(0, space),
    redirect: 'manual',
    headers: headersOf(run, step),
    ...(step.body === undefined ? {} : { body: JSON.stringify(fillIn(step.body, run.saved)) }),
  });
  const body = parse(await response.text());
  if (step.save !== undefined) run.saved.set(step.save, body);
  return judge(step, { status: response.status, body }, run.saved);
}

function headersOf(run: Run, step: CallStep): Record<string, string> {
  const { organisationKey, partnerKey } = run.sandbox.accounts;
  const keys = { organisation: organisationKey, partner: partnerKey, nobody: undefined };
  const key = keys[step.as ?? 'organisation'];
  return {
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...step.headers,
  };
}

function judge(
  step: CallStep,
  answer: { readonly status: number; readonly body: unknown },
  saved: Saved,
): readonly string[] {
  const { status, body } = step.expect ?? {};
  const isStatus =
    status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status;
  const wrongStatus = isStatus
    ? []
    : [`status ${answer.status} instead of ${status ?? '2xx'}: ${JSON.stringify(answer.body)}`];
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
