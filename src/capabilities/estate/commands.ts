/**
 * `forestall estate`: merchants, enrolments and rulesets at the service, from a reviewed file.
 *
 * Exit statuses, as tools of this kind have them: 0 nothing to do or done, 2 there are changes, 1 an
 * error.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';
import { readVariables } from '../../running/config.ts';
import { appliedPath, readApplied, writeApplied } from '../../service/estate/applied-file.ts';
import { objectsToNote } from '../../service/estate/drift.ts';
import { estateJsonSchema, organisationsOf } from '../../service/estate/estate.ts';
import type { Values } from '../../service/estate/hidden-values.ts';
import { hideText, hideValues } from '../../service/estate/hidden-values.ts';
import { importEstate } from '../../service/estate/import-estate.ts';
import type { EstatePlan, PlanOptions } from '../../service/estate/plan.ts';
import { planEstate } from '../../service/estate/plan.ts';
import type { ReadEstate } from '../../service/estate/read-estate.ts';
import { readEstate } from '../../service/estate/read-estate.ts';
import type { RemoteEstate } from '../../service/estate/remote-estate.ts';
import { writePlan } from '../../service/estate/saved-plan.ts';
import { forecastOf, stepSchema } from '../../service/estate/step.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print, printJson, say } from '../../surface/terminal/print.ts';
import { noteAt, registerApply } from './estate-apply.ts';
import {
  EXIT_CHANGES,
  FILE_HELP,
  fileOf,
  openClient,
  ownOrganisation,
  readSlowly,
  runEstate,
} from './estate-client.ts';
import { registerDrift } from './estate-drift.ts';
import { registerRules } from './estate-rules.ts';
import type { ShownPlan } from './estate-text.ts';
import { planText, sentenceText } from './estate-text.ts';
import type { OpenOrdersContext } from './orders.ts';

interface PlanFlags extends PlanOptions {
  readonly file?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export function registerEstate(program: Command, openContext: OpenOrdersContext): void {
  const estate = program.command('estate');
  estate
    .command('import')
    .description('writes what the service holds as a file')
    .option('--organisation <id...>', 'the organisations', [])
    .option('-o, --output <file>', 'where to write it; standard output without it')
    .action((flags: { readonly organisation: string[]; readonly output?: string }) =>
      runEstate(() => runImport(flags)),
    );
  withPlanOptions(
    estate.command('plan').description('says what would change, one sentence for each change'),
  )
    .option('-o, --output <plan>', 'saves the plan for "estate apply"')
    .action((flags: PlanFlags) => runEstate(() => runPlan(flags)));
  registerApply(estate);
  registerDrift(estate);
  registerRules(estate, openContext);
  estate
    .command('schema')
    .description('prints the JSON Schema of the file, for editors')
    .action(() => {
      printJson(estateJsonSchema());
    });
}

function withPlanOptions(command: Command): Command {
  return command
    .option('--file <file>', FILE_HELP)
    .option('--allow-many', 'more than 30 % of what exists may change or go')
    .option('--allow-refund-everything', 'an RDR enrolment may lose its last ruleset')
    .option('--overwrite', 'what was changed elsewhere since the last apply is changed back')
    .option('--json', 'print JSON');
}

async function runImport(flags: {
  readonly organisation: string[];
  readonly output?: string;
}): Promise<void> {
  const { output } = flags;
  if (output !== undefined) {
    await refuseExisting(output);
    await refuseExisting(appliedPath(output));
  }
  const client = await openClient();
  const organisations =
    flags.organisation.length > 0 ? flags.organisation : [await ownOrganisation()];
  const remote = await readSlowly(client, organisations);
  const { text, leftOut } = importEstate(remote, organisations);
  for (const reason of leftOut) console.error(sentenceText(`Left out: ${reason}.`));
  if (output === undefined) {
    console.log(text);
    return;
  }
  await writeFile(output, text);
  await noteImported(output, remote);
  say(
    `${output} written, with a note of what is there (${appliedPath(output)}). "forestall estate plan --file ${output}" compares them.`,
  );
}

/** From here on it shows what is changed elsewhere. */
async function noteImported(path: string, remote: RemoteEstate): Promise<void> {
  const read = await readEstate(path, readVariables());
  const { matched } = planEstate(read.estate, remote);
  await writeApplied(noteAt(appliedPath(path), read), objectsToNote({ remote, matched }));
}

async function runPlan(flags: PlanFlags): Promise<void> {
  const file = fileOf(flags);
  const read = await readEstate(file, readVariables());
  const organisations = organisationsOf(read.estate);
  const plan = await planOf(read, file, flags);
  const { steps, problems } = plan;
  const shown = hidePlan(plan, read.variables);
  print(flags, { ...shown, forecast: forecastOf(steps) }, planText(shown));
  if (problems.length > 0) process.exitCode = EXIT.wrong;
  else if (steps.length > 0) process.exitCode = EXIT_CHANGES;
  if (flags.output === undefined || problems.length > 0) return;
  const createdAt = new Date(systemClock.nowMs()).toISOString();
  await writeFile(
    flags.output,
    writePlan({ plan, organisations, variables: read.variables, createdAt }),
  );
  if (flags.json !== true) say(`Saved. "forestall estate apply ${flags.output}" does it.`);
}

/** What is printed ends in logs and reviews: values of variables stand in it no more than in the file. */
function hidePlan({ steps, problems, notes }: EstatePlan, variables: Values): ShownPlan {
  const hide = (text: string): string => hideText(text, variables);
  return {
    steps: steps.map(({ step, mark, sentence }) => ({
      step: stepSchema.parse(hideValues(step, variables, KEPT)),
      mark,
      sentence: hide(sentence),
    })),
    problems: problems.map((it) => ({ ...it, message: hide(it.message) })),
    notes: notes.map(hide),
  };
}

const KEPT: ReadonlySet<string> = new Set(['kind']);

async function planOf({ estate }: ReadEstate, file: string, flags: PlanFlags): Promise<EstatePlan> {
  const remote = await readSlowly(await openClient(), organisationsOf(estate));
  const applied = await readApplied(appliedPath(file), readVariables());
  return planEstate(estate, remote, { ...flags, applied });
}

async function refuseExisting(path: string): Promise<void> {
  try {
    await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  throw new ConfigError(`${path} exists already. Move it away, or name another file.`);
}
