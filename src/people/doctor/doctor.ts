/**
 * The doctor: looks at everything that must be right before alerts are answered by themselves, and says
 * in one line each what it found and what to do. It changes nothing and moves nothing; every question
 * that it asks the service or the processor is one whose answer has no effect.
 */
import { messageOf } from '../../base/kernel/errors.ts';
import type { LineStatus, StatusLine } from '../../books/insights/status-line.ts';
import { failed, ok } from '../../books/insights/status-line.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';
import { databaseLines } from './database-lines.ts';
import { endpointLines, secretLines } from './endpoint-lines.ts';
import { operationLines } from './operation-lines.ts';
import { notifyLines, policyLines } from './policy-lines.ts';
import { poolerLines } from './pooler-lines.ts';
import { modeLines, processorLines } from './processor-lines.ts';
import { sealLines } from './seal-lines.ts';
import { serviceLines } from './service-lines.ts';

/** Everything found. */
export interface DoctorReport {
  readonly ok: number;
  readonly warnings: number;
  readonly failed: number;
  readonly lines: readonly StatusLine[];
}

/** In the order in which a person would look. */
const CHECKS: Readonly<Record<string, DoctorCheck>> = {
  database: databaseLines,
  pooler: poolerLines,
  'data keys': sealLines,
  service: serviceLines,
  'signing secret': secretLines,
  endpoint: endpointLines,
  processor: processorLines,
  'test or live': modeLines,
  policy: policyLines,
  notifications: notifyLines,
  operation: operationLines,
};

/** Runs every check, one after another. Never throws: what a check throws is its line. */
export async function runDoctor(context: DoctorContext): Promise<DoctorReport> {
  const service = context.isSandbox ? 'the sandbox' : 'a real service';
  const lines = [ok('settings', `readable; ${service}, mode ${context.settings.mode}`)];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      lines.push(...(await check(context)));
    } catch (error) {
      lines.push(failed(name, messageOf(error), 'Correct the cause and run the doctor again.'));
    }
  }
  return summarise(lines);
}

/** Counts the lines. */
export function summarise(lines: readonly StatusLine[]): DoctorReport {
  const count = (status: LineStatus): number =>
    lines.filter((line) => line.status === status).length;
  return { ok: count('ok'), warnings: count('warning'), failed: count('failed'), lines };
}
