/**
 * Tries every promise of the processor port against a processor, and reports what held.
 *
 * Anybody's processor can be tried: an adapter from the templates, a module of your own, or an HTTP
 * endpoint. It moves money at whatever the fixture's charges belong to, so that must be a test mode.
 *
 * @module
 * @example
 * const report = await runProcessorConformance({ processor, fixture });
 * if (report.failed > 0) throw new Error(report.results.map(({ name }) => name).join());
 */
import { messageOf } from '../../base/kernel/errors.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { CheckOutcome, ConformanceCheck, ConformanceSubject } from './conformance-check.ts';
import { NoFixture } from './conformance-check.ts';
import { EVENT_CHECKS } from './event-checks.ts';
import { FAULT_CHECKS } from './fault-checks.ts';
import { READING_CHECKS } from './reading-checks.ts';
import { REFUND_CHECKS } from './refund-checks.ts';
import { REFUSAL_CHECKS } from './refusal-checks.ts';
import { UNDO_CHECKS } from './undo-checks.ts';

/** Every check, in the order in which they are run. */
export const PROCESSOR_CHECKS: readonly ConformanceCheck[] = [
  ...READING_CHECKS,
  ...REFUND_CHECKS,
  ...REFUSAL_CHECKS,
  ...UNDO_CHECKS,
  ...FAULT_CHECKS,
  ...EVENT_CHECKS,
];

/** The checks that this processor can be tried by: those of webhooks where it takes some. */
export function checksOf({ events }: Processor): readonly ConformanceCheck[] {
  if (events !== undefined) return PROCESSOR_CHECKS;
  return PROCESSOR_CHECKS.filter((check) => !EVENT_CHECKS.includes(check));
}

/** What became of one check. */
export interface ConformanceResult {
  readonly name: string;
  readonly guarantee: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** The problems of a failed check, or why one was skipped. */
  readonly details: readonly string[];
}

/** What became of all of them. */
export interface ConformanceReport {
  readonly processor: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly results: readonly ConformanceResult[];
}

/** How to run. */
export interface ConformanceOptions {
  /** @default those of {@link checksOf} */
  readonly checks?: readonly ConformanceCheck[];
  /** Called after each check, for a progress display. */
  readonly onResult?: (result: ConformanceResult) => void;
}

/** Runs the checks one after another. Never throws for what a processor does: that is a failure. */
export async function runProcessorConformance(
  subject: ConformanceSubject,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const results: ConformanceResult[] = [];
  for (const check of options.checks ?? checksOf(subject.processor)) {
    const result = await runCheck(check, subject);
    results.push(result);
    options.onResult?.(result);
  }
  const count = (verdict: ConformanceResult['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  return {
    processor: subject.processor.name,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    results,
  };
}

async function runCheck(
  check: ConformanceCheck,
  subject: ConformanceSubject,
): Promise<ConformanceResult> {
  const { name, guarantee } = check;
  try {
    return { name, guarantee, ...verdictOf(await check.run(subject)) };
  } catch (error) {
    if (error instanceof NoFixture) {
      return { name, guarantee, verdict: 'skipped', details: [error.message] };
    }
    // Reads never throw and outcomes are answered: an exception breaks the port.
    const details = [`threw: ${messageOf(error)}`];
    return { name, guarantee, verdict: 'failed', details };
  }
}

function verdictOf(outcome: CheckOutcome): Pick<ConformanceResult, 'verdict' | 'details'> {
  if ('skipped' in outcome) return { verdict: 'skipped', details: [outcome.skipped] };
  return { verdict: outcome.length === 0 ? 'passed' : 'failed', details: outcome };
}
