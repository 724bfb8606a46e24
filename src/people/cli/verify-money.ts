/** `forestall verify`: the money scenarios, on the sandbox, with the merchant's own configuration. */
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { HOLD_EVERYTHING_POLICY } from '../../policy/built-in.ts';
import type { Settings } from '../../running/config.ts';
import { readSettings } from '../../running/config.ts';
import { openProcessor } from '../../running/roles/open-processor.ts';
import { startTestDatabase } from '../../running/testing/test-database.ts';
import type {
  MoneyReport,
  MoneyRunOptions,
} from '../../running/verify/money/run-money-scenarios.ts';
import {
  MONEY_SCENARIOS,
  runMoneyScenarios,
} from '../../running/verify/money/run-money-scenarios.ts';
import type { ProcessorSettings } from '../../sandbox/options.ts';
import type { ProcessorCapabilities } from '../../service/wire/processor.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { createProgress } from '../../surface/terminal/progress.ts';

/** Runs the scenarios and prints the report. Exit status 1 when a promise was broken. */
export async function verifyMoney(flags: { readonly json?: boolean }): Promise<void> {
  const settings = readSettings();
  const stated = await statedOf(settings);
  const abilities = stated === undefined ? undefined : inSandboxWords(stated);
  const database = await startTestDatabase();
  const progress = createProgress('Scenarios');
  let done = 0;
  try {
    const report = await runMoneyScenarios({
      database: database.url,
      ...configurationOf(settings),
      ...(abilities === undefined ? {} : { abilities }),
      onScenario: () => {
        done += 1;
        progress.update(done, MONEY_SCENARIOS.length);
      },
    });
    progress.stop();
    const late = lateRefunds(stated);
    print(flags, report, [showReport(report), ...late].join('\n'));
    if (!report.kept) process.exitCode = EXIT.wrong;
  } finally {
    progress.stop();
    await database.stop();
  }
}

/** What the same settings would put in force, as far as it decides about money. */
export function configurationOf(settings: Settings): Omit<MoneyRunOptions, 'database'> {
  const { brandTokens, programmes, guard, matchingPath } = settings;
  return {
    brandTokens,
    programmes,
    // The merchant's own systems are never called from here.
    guard: { ...guard, actions: undefined },
    ...policyOf(settings),
    ...(matchingPath === undefined ? {} : { matching: matchingPath }),
  };
}

/** The policy that the same settings would put in force. */
function policyOf({ policyPath, service }: Settings): { readonly policy?: MoneyPolicy } {
  if (policyPath !== undefined) return { policy: policyPath };
  return service.kind === 'sandbox' ? {} : { policy: HOLD_EVERYTHING_POLICY };
}

type MoneyPolicy = string | typeof HOLD_EVERYTHING_POLICY;

/** What the merchant's processor states about itself: asked, never made to move anything. */
async function statedOf({ processor }: Settings): Promise<ProcessorCapabilities | undefined> {
  if (processor.kind === 'none' || processor.kind === 'sandbox') return undefined;
  const open = await openProcessor(processor, systemClock);
  const stated = await open.capabilities();
  if (stated === undefined) {
    throw new ConfigError(
      `${open.name} did not say what it offers. Check FORESTALL_PROCESSOR and whether it is up: forestall doctor.`,
    );
  }
  return stated;
}

/** What the sandbox's hours do not show: there refunds settle before an alert runs out. */
export function lateRefunds(stated: ProcessorCapabilities | undefined): readonly string[] {
  const { asyncRefunds = false, pendingCounts = false, settlesAfterHours = 0 } = stated ?? {};
  if (!asyncRefunds || pendingCounts || settlesAfterHours < 24) return [];
  return [
    `Your processor settles refunds after about ${settlesAfterHours} h, and a pending one is not declared: each alert would be refunded and still run out unanswered. Set pendingCounts, or have people answer these alerts.`,
  ];
}

function inSandboxWords(stated: ProcessorCapabilities): Partial<ProcessorSettings> {
  return {
    idempotency_ttl_hours: stated.idempotencyTtlHours,
    can_lookup_by_reference: stated.canLookupByReference,
    lookup_lag_seconds: stated.lookupLagSeconds,
    refuses_over_refund: stated.refusesOverRefund,
    async_refunds: stated.asyncRefunds,
    pending_counts: stated.pendingCounts,
    request_lifetime_seconds: stated.requestLifetimeSeconds,
  };
}

function showReport(report: MoneyReport): string {
  const lines = report.results.flatMap(({ name, story, kept, problems }) => [
    `${kept ? 'kept    ' : 'BROKEN  '}${name}: ${story}`,
    ...problems.map((problem) => `          ${problem}`),
  ]);
  const broken = report.results.filter(({ kept }) => !kept).length;
  return [
    ...lines,
    '',
    `${report.results.length} scenarios: ${report.refundsMade} refunds made, ${report.answered} alerts answered, ${report.leftToPeople} left to people who were told in time.`,
    broken === 0
      ? 'Refunded at most once, declared only what is true of the money, nothing missed.'
      : `${broken} scenarios broke a promise. Do not go live with this configuration; please report it.`,
  ].join('\n');
}
