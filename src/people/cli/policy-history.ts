/** The `policy` commands that look into the database: explain, backtest, versions and show. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Policy } from '../../alerts/decide/policy.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Money } from '../../base/kernel/money.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { parseAmount } from '../../base/kernel/units.ts';
import { replayReaders } from '../../capabilities/index.ts';
import { ASSUMED_FEES } from '../../capabilities/backtests/backtest-report.ts';
import { explainDecision } from '../../policy/explain.ts';
import { loadPolicy } from '../../policy/load.ts';
import { factsOf, layerOf, readDecisionsOf } from '../../policy/past-decision.store.ts';
import { replayPast } from '../../capabilities/backtests/replay.ts';
import { findVersion, listVersions } from '../../policy/version.store.ts';
import { readCommandSettings } from '../../running/config.ts';
import { readMoment } from '../../surface/terminal/option-values.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext, OrdersContext } from './orders.ts';
import { showBacktest } from '../../capabilities/backtests/command-text.ts';
import type { ExplainedAlert } from './policy-text.ts';
import { showExplanation, showVersions } from './policy-text.ts';

/** Reads a policy file, or the one in force when none is named. */
type ReadPolicy = (path: string | undefined) => Promise<Policy>;

interface JsonFlag {
  readonly json?: boolean;
}

export function registerPolicyHistory(
  policy: Command,
  openContext: OpenOrdersContext,
  readPolicy: ReadPolicy,
): void {
  const run = (work: (context: OrdersContext) => Promise<void>): Promise<void> =>
    runOn(openContext, work);
  policy
    .command('explain <alert>')
    .description('why an alert was decided as it was, and what would change that')
    .option('--json', 'print JSON')
    .action(async (alertId: string, flags: JsonFlag) => {
      await run(async (context) => {
        const explained = await explain(context, alertId);
        print(flags, explained, showExplanation(explained));
      });
    });
  policy
    .command('versions')
    .description('every version with its author, when it came into force, and how much it decided')
    .option('--json', 'print JSON')
    .action(async (flags: JsonFlag) => {
      await run(async ({ db, organisationId }) => {
        const versions = await listVersions(db, organisationId);
        print(flags, versions, showVersions(versions));
      });
    });
  policy
    .command('show <version>')
    .description('the text of a version, as it was')
    .action(async (version: string) => {
      await run(async (context) => {
        console.log((await storedVersion(context, version)).source.trimEnd());
      });
    });
  registerBacktest(policy, run, readPolicy);
}

interface BacktestFlags extends JsonFlag {
  readonly from?: Date;
  readonly to?: Date;
  readonly against?: string;
  readonly alertFee: Money;
  readonly chargebackFee: Money;
  readonly all?: boolean;
}

function registerBacktest(
  policy: Command,
  run: (work: (context: OrdersContext) => Promise<void>) => Promise<void>,
  readPolicy: ReadPolicy,
): void {
  policy
    .command('backtest [file]')
    .description('replays past alerts, as they were known then, under a policy')
    .option('--from <time>', 'decided from this moment on (ISO 8601)', readMoment)
    .option('--to <time>', 'and before this one', readMoment)
    .option('--against <policy>', 'compare with this file or version, not with what was decided')
    .option('--alert-fee <amount>', 'what an alert costs', readAmount, ASSUMED_FEES.alertFee)
    .option(
      '--chargeback-fee <amount>',
      'what a chargeback costs',
      readAmount,
      ASSUMED_FEES.chargebackFee,
    )
    .option('--all', 'list every decision that changed')
    .option('--json', 'print JSON')
    .action(async (path: string | undefined, flags: BacktestFlags) => {
      await run(async (context) => {
        const tried = await readPolicy(path);
        const against =
          flags.against === undefined
            ? undefined
            : await policyOrVersion(context, flags.against, readPolicy);
        const startedMs = performance.now();
        const { alertFee, chargebackFee, from, to } = flags;
        const { db, clock, organisationId } = context;
        const settings = openSettings(readCommandSettings().given);
        const result = await replayPast(db, {
          ...{ policy: tried, against, fees: { alertFee, chargebackFee } },
          ...{ organisationId, from, to },
          readers: await replayReaders({ db, clock, organisationId, settings }),
        });
        const tookMs = Math.round(performance.now() - startedMs);
        const about = {
          policy: { name: tried.name, version: tried.version },
          against: against === undefined ? null : { name: against.name, version: against.version },
          tookMs,
        };
        print(
          flags,
          { ...about, ...result },
          showBacktest(result, { ...about, all: flags.all === true }),
        );
      });
    });
}

async function policyOrVersion(
  context: OrdersContext,
  name: string,
  readPolicy: ReadPolicy,
): Promise<Policy> {
  const stored = await findVersion(context.db, context.organisationId, name);
  if (stored === undefined) return await readPolicy(name);
  return loadStored(stored);
}

async function storedVersion(
  { db, organisationId }: OrdersContext,
  version: string,
): Promise<NonNullable<Awaited<ReturnType<typeof findVersion>>>> {
  const stored = await findVersion(db, organisationId, version);
  if (stored !== undefined) return stored;
  throw new ConfigError(`There is no policy version ${version}. See "forestall policy versions".`);
}

function loadStored(
  stored: Awaited<ReturnType<typeof storedVersion>>,
): ReturnType<typeof loadPolicy> {
  if (stored.kind === 'module') {
    throw new ConfigError(
      `Version ${stored.version} is written in TypeScript; only its text is kept. Name its file instead.`,
    );
  }
  return loadPolicy(stored.source, {
    file: `version ${stored.version}`,
    files: stored.files,
    brands: readCommandSettings().brandTokens,
  });
}

async function explain(context: OrdersContext, alertId: string): Promise<ExplainedAlert> {
  const decisions = await readDecisionsOf(context.db, context.organisationId, alertId);
  const [latest] = decisions;
  if (latest === undefined) {
    throw new ConfigError(
      `Alert ${alertId} has no decision yet, or is not known here. Check the id.`,
    );
  }
  // What a person or a fallback decided was not asked of the policy: its last own decision is told.
  const own = decisions.find(({ decided_by: by }) => by === 'policy' || by === 'guard');
  const facts = factsOf(own?.inputs);
  const stored =
    own?.policy_version == null ? undefined : await storedVersion(context, own.policy_version);
  const explanation =
    own === undefined || facts === undefined || stored === undefined || stored.kind === 'module'
      ? null
      : explainDecision(loadStored(stored), {
          facts,
          guard: own.guard,
          fallback:
            own.action === 'REVIEW' && own.fallback_action !== null && own.fallback_at !== null
              ? { action: own.fallback_action, at: own.fallback_at.toISOString() }
              : null,
        });
  return {
    alertId,
    decidedBy: latest.decided_by,
    decidedAt: latest.decided_at.toISOString(),
    sentence: latest.sentence,
    policy:
      stored === undefined
        ? null
        : {
            version: stored.version,
            name: stored.name,
            author: stored.author,
            layer: layerOf(own?.inputs),
          },
    policySentence: own === undefined || own.id === latest.id ? null : own.sentence,
    sideActions: (own?.side_actions ?? []).map(({ kind }) => kind),
    beside:
      own?.beside_version == null
        ? null
        : { version: own.beside_version, sentence: own.beside_sentence ?? '' },
    explanation,
  };
}

function readAmount(text: string): Money {
  const parsed = parseAmount(text);
  if (parsed.ok) return parsed.value;
  throw new InvalidArgumentError(parsed.message);
}
