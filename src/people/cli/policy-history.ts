/** The `policy` commands that look into the database: explain, versions and show. */
import type { Command } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { explainDecision } from '../../policy/explain.ts';
import type { LoadedPolicy } from '../../policy/load.ts';
import { loadPolicy } from '../../policy/load.ts';
import { factsOf, layerOf, readDecisionsOf } from '../../policy/past-decision.store.ts';
import type { StoredVersion } from '../../policy/version.store.ts';
import { findVersion, listVersions } from '../../policy/version.store.ts';
import { readCommandSettings } from '../../running/config.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext, OrdersContext } from './orders.ts';
import type { ExplainedAlert } from './policy-text.ts';
import { showExplanation, showVersions } from './policy-text.ts';

interface JsonFlag {
  readonly json?: boolean;
}

export function registerPolicyHistory(policy: Command, openContext: OpenOrdersContext): void {
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
}

async function storedVersion(
  { db, organisationId }: OrdersContext,
  version: string,
): Promise<StoredVersion> {
  const stored = await findVersion(db, organisationId, version);
  if (stored !== undefined) return stored;
  throw new ConfigError(`There is no policy version ${version}. See "forestall policy versions".`);
}

function loadStored({ source, version, files }: StoredVersion): LoadedPolicy {
  const brands = readCommandSettings().brandTokens;
  return loadPolicy(source, { file: `version ${version}`, files, brands });
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
