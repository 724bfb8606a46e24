/**
 * Keeps the policy up to date while the worker runs: looks at its file, or at what the console put in force, records each version put in
 * force in the audit log, and tells a person when a file cannot be used.
 *
 * Durable after a round: the version's text, its activation and the audit row, in one transaction.
 */
import { createHash } from 'node:crypto';
import type { Policy } from '../alerts/decide/policy.ts';
import { writeAudit } from '../base/audit/audit.store.ts';
import type { Installation } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { deleteNamedValue, writeNamedValue } from '../base/jobs/named-value.store.ts';
import { POLICY_PROBLEM } from '../base/jobs/value-names.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { notify } from '../base/notify/notification.store.ts';
import { insertActivation } from './version.store.ts';

/** A policy that may be replaced while running. */
export interface PolicySource {
  current(): Policy;
  /** Reads the file again if its text has changed. Returns whether another policy is in force. */
  refresh(): boolean | Promise<boolean>;
  /** The file's path; absent for a policy that comes with the program. */
  readonly origin?: string;
  /** Why the file as it is now cannot be used; null: it can. */
  problem?(): string | null;
  /** No file is configured: it follows what two people put in force in the console. */
  readonly followsConsole?: boolean;
}

export interface WatcherDeps extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  /** The policy in force. */
  readonly policy: PolicySource;
  /** The shadow policy: judged on the same alerts, never acted on. */
  readonly shadow?: PolicySource | undefined;
  /** Those of merchants: read again with it, and a person is told where one cannot be used. */
  readonly further?: readonly PolicySource[];
  /** Who puts a version in force that names no author: as whom this process runs. */
  readonly author: string;
}

/** Where a policy comes from that has no file. */
const BUILT_IN = 'built-in';

/** Longest text of problems in a message; the rest is in the log. */
const PROBLEM_LENGTH_MAX = 600;

/** A round returns how many versions it put on record. */
export function createPolicyWatcher(deps: WatcherDeps): { runOnce(): Promise<number> } {
  let recorded: string | undefined;
  const reported = new Map<PolicySource, string | null>();
  let noted: string | undefined;
  const tell = async (source: PolicySource): Promise<void> => {
    const problem = source.problem?.() ?? null;
    if (problem === (reported.get(source) ?? null)) return;
    if (problem !== null) await tellOfProblem(deps, source, problem);
    reported.set(source, problem);
  };
  return {
    async runOnce(): Promise<number> {
      const { policy: inForce, shadow, further = [] } = deps;
      for (const source of [inForce, ...(shadow === undefined ? [] : [shadow]), ...further]) {
        await source.refresh();
        await tell(source);
      }
      const problems = [inForce, ...further].flatMap((source) => problemOf(source) ?? []);
      const problem = JSON.stringify(problems);
      if (problem !== noted) await noteProblems(deps, problems);
      noted = problem;
      const policy = deps.policy.current();
      if (policy.version === recorded) return 0;
      const isNew = await activate(deps, policy);
      recorded = policy.version;
      return isNew ? 1 : 0;
    },
  };
}

interface Problem {
  readonly problem: string;
  readonly version: string;
}

function problemOf(source: PolicySource): Problem | undefined {
  const problem = source.problem?.() ?? null;
  if (problem === null) return undefined;
  return { problem: problem.slice(0, PROBLEM_LENGTH_MAX), version: source.current().version };
}

/** For health: what cannot be used now, or that everything can. */
async function noteProblems(
  { db, clock, organisationId }: WatcherDeps,
  [first]: readonly Problem[],
): Promise<void> {
  if (first === undefined) return await deleteNamedValue(db, organisationId, POLICY_PROBLEM);
  const at = nowDate(clock);
  const value = { ...first, since: at.toISOString() };
  await writeNamedValue(db, { organisationId, name: POLICY_PROBLEM, value, at });
}

/** Puts the version on record, unless another worker has. Returns whether it was new. */
async function activate(deps: WatcherDeps, policy: Policy): Promise<boolean> {
  const { db, clock, organisationId } = deps;
  const now = nowDate(clock);
  const origin = deps.policy.origin ?? BUILT_IN;
  const author = policy.author ?? deps.author;
  return await inTransaction(db, async (trx) => {
    const activation = { organisationId, policy, author, origin, now };
    const unlessApproved = deps.policy.followsConsole === true;
    const previous = await insertActivation(trx, { ...activation, unlessApproved });
    if (previous === undefined) return false;
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'policy',
      subjectId: policy.version,
      actor: deps.author,
      what: 'policy activated',
      detail: { name: policy.name, author, previous_version: previous, origin },
    });
    return true;
  });
}

async function tellOfProblem(
  deps: WatcherDeps,
  source: PolicySource,
  problem: string,
): Promise<void> {
  const { db, clock, organisationId } = deps;
  const { version } = source.current();
  const now = nowDate(clock);
  const digest = createHash('sha256').update(problem).digest('hex').slice(0, 16);
  const shown =
    problem.length > PROBLEM_LENGTH_MAX ? `${problem.slice(0, PROBLEM_LENGTH_MAX)}…` : problem;
  await notify(db, {
    organisationId,
    // Once a day for all workers: a file mended and broken again the same way is reported again.
    dedupeKey: `policy_invalid:${version}:${digest}:${now.toISOString().slice(0, 10)}`,
    kind: 'policy_invalid',
    severity: 'error',
    text: `${source.followsConsole === true ? 'The policy put in force in the console' : 'The policy file'} cannot be used; version ${version} stays in force. Mend it and run "forestall policy check".\n${shown}`,
    at: now,
  });
}
