/** `forestall policy …`: check, test, explain, versions, show, schema and words. */
import type { Command } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { analyseRules } from '../../policy/analyse.ts';
import { runExamples } from '../../policy/examples.ts';
import { POLICY_FIELDS } from '../../policy/fields.ts';
import type { LoadedPolicy } from '../../policy/load.ts';
import { proposeOn } from '../../policy/load.ts';
import { readLog } from '../../policy/read-log.ts';
import { policySchema } from '../../policy/schema.ts';
import { readCommandSettings } from '../../running/config.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print, printJson } from '../../surface/terminal/print.ts';
import { runCommand } from './lifecycle.ts';
import type { OpenOrdersContext } from './orders.ts';
import { registerPolicyHistory } from './policy-history.ts';
import type { CheckFinding, LookedAtLog } from './policy-text.ts';
import { showCheck, showExamples, showWords } from './policy-text.ts';
import { readYaml } from './read-policy.ts';

interface JsonFlag {
  readonly json?: boolean;
}

/** Adds `policy` and its subcommands to the program. Returns it, for those of other parts. */
export function registerPolicyCommands(program: Command, openContext: OpenOrdersContext): Command {
  const policy = program.command('policy');
  policy
    .command('check [file]')
    .description(
      'says everything that is wrong with a policy file, with line and column, and what its rules and the last 90 days say',
    )
    .option('--json', 'print JSON')
    .action(async (path: string | undefined, flags: JsonFlag) => {
      await runCommand(async () => {
        const loaded = readYaml(path);
        const log = await lookAtLog(loaded, openContext);
        const findings = [...analyseRules(loaded), ...log.findings];
        findings.sort((one, other) => one.line - other.line);
        print(flags, checked(loaded, findings, log), showCheck(loaded, findings, log));
      });
    });
  policy
    .command('test [file]')
    .description('runs the examples that are written beside the rules')
    .option('--json', 'print JSON')
    .action(async (path: string | undefined, flags: JsonFlag) => {
      await runCommand(async () => {
        const loaded = readYaml(path);
        const results = runExamples(loaded.examples, (view) => proposeOn(loaded, view));
        print(flags, results, showExamples(loaded, results));
        if (results.some(({ faults }) => faults.length > 0)) process.exitCode = EXIT.wrong;
      });
    });
  policy
    .command('schema')
    .description('prints the JSON Schema of policy files, for editors')
    .action(async () => {
      await runCommand(async () => {
        printJson(policySchema(readCommandSettings().brandTokens));
      });
    });
  policy
    .command('words')
    .description('lists every condition a rule can use')
    .option('--json', 'print JSON')
    .action(async (flags: JsonFlag) => {
      await runCommand(async () => {
        const fields = [...POLICY_FIELDS.values()];
        const data = fields.map(({ name, kind, about }) => ({ name, kind, about }));
        print(flags, data, showWords(fields));
      });
    });
  registerPolicyHistory(policy, openContext);
  return policy;
}

function checked(
  policy: LoadedPolicy,
  findings: readonly CheckFinding[],
  { findings: _listed, ...log }: LookedAtLog,
): Record<string, unknown> {
  const { name, version, author, rules, examples, asked } = policy;
  const counts = { rules: rules.length, examples: examples.length };
  return { name, version, author, ...counts, asked, findings, log };
}

/** The log of the database that the settings name; a policy can be checked without one. */
async function lookAtLog(
  policy: LoadedPolicy,
  openContext: OpenOrdersContext,
): Promise<LookedAtLog> {
  let context: Awaited<ReturnType<OpenOrdersContext>>;
  try {
    context = await openContext();
  } catch (error) {
    return { alerts: null, because: messageOf(error), findings: [] };
  }
  try {
    const { db, clock, organisationId } = context;
    return await readLog(db, policy, { organisationId, now: nowDate(clock) });
  } finally {
    await context.close();
  }
}
