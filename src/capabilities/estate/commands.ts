/**
 * `forestall estate …`: merchants, enrolments and rulesets at the service, from a reviewed file.
 *
 * Exit statuses, as tools of this kind have them: 0 nothing to do or done, 2 there are changes, 1 an
 * error.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { nowIso } from '../../base/kernel/clock.ts';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';
import { plainJson } from '../../base/kernel/shown-text.ts';
import type { CapabilityCommand, Found, PartnerContext } from '../../surface/terminal/command.ts';
import { describePartnerCommand, describeSettingsCommand } from '../../surface/terminal/command.ts';
import { sayOnStderr } from '../../surface/terminal/print.ts';
import { apply, noteAt } from './apply-command.ts';
import { FILE_HELP, fileOf, readSlowly } from './command-support.ts';
import type { ShownPlan } from './command-text.ts';
import { planText, sentenceText } from './command-text.ts';
import { drift } from './drift-command.ts';
import { appliedPath, readApplied, writeApplied } from './plan/applied-file.ts';
import { objectsToNote } from './plan/drift.ts';
import { estateJsonSchema, organisationsOf } from './plan/estate.ts';
import type { Values } from './plan/hidden-values.ts';
import { hideText, hideValues } from './plan/hidden-values.ts';
import { importEstate } from './plan/import-estate.ts';
import type { EstatePlan, PlanOptions } from './plan/plan.ts';
import { planEstate } from './plan/plan.ts';
import type { ReadEstate } from './plan/read-estate.ts';
import { readEstate } from './plan/read-estate.ts';
import type { RemoteEstate } from './plan/remote-estate.ts';
import { writePlan } from './plan/saved-plan.ts';
import { forecastOf, stepSchema } from './plan/step.ts';
import { rulesTry } from './rules-command.ts';

interface ImportFlags {
  readonly organisation: readonly string[];
  readonly output?: string;
}

const imported = describePartnerCommand<ImportFlags>({
  usage: 'estate import',
  says: 'writes what the service holds as a file',
  options: (command) =>
    command
      .option('--organisation <id...>', 'the organisations', [])
      .option('-o, --output <file>', 'where to write it; standard output without it'),
  isFile: true,
  examples: ['forestall estate import -o estate.yaml'],
  run: (flags) => (context) => runImport(flags, context),
});

interface PlanFlags extends PlanOptions {
  readonly file?: string;
  readonly output?: string;
}

const planned = describePartnerCommand<PlanFlags>({
  usage: 'estate plan',
  says: 'says what would change, one sentence for each change',
  options: (command) =>
    withPlanOptions(command).option('-o, --output <plan>', 'saves the plan for "estate apply"'),
  examples: ['forestall estate plan', 'forestall estate plan -o plan.json'],
  run: (flags) => (context) => runPlan(flags, context),
});

const schema = describeSettingsCommand({
  usage: 'estate schema',
  says: 'prints the JSON Schema of the file, for editors',
  isFile: true,
  examples: ['forestall estate schema > estate.schema.json'],
  run: () => async () => ({ file: `${plainJson(estateJsonSchema())}\n` }),
});

export const estateCommands: readonly CapabilityCommand[] = [
  imported,
  planned,
  apply,
  drift,
  rulesTry,
  schema,
];

function withPlanOptions(command: Command): Command {
  return command
    .option('--file <file>', FILE_HELP)
    .option('--allow-many', 'more than 30 % of what exists may change or go')
    .option('--allow-refund-everything', 'an RDR enrolment may lose its last ruleset')
    .option('--overwrite', 'what was changed elsewhere since the last apply is changed back');
}

async function runImport(flags: ImportFlags, context: PartnerContext): Promise<Found> {
  const { output } = flags;
  if (output !== undefined) {
    await refuseExisting(output);
    await refuseExisting(appliedPath(output));
  }
  const client = await context.openClient();
  const organisations =
    flags.organisation.length > 0 ? flags.organisation : [await context.ownOrganisation()];
  const remote = await readSlowly(client, organisations);
  const { text, leftOut } = importEstate(remote, organisations);
  for (const reason of leftOut) sayOnStderr(sentenceText(`Left out: ${reason}.`));
  if (output === undefined) return { file: `${text}\n` };
  await writeFile(output, text);
  await noteImported(output, remote, context);
  const said = `${output} written, with a note of what is there (${appliedPath(output)}). "forestall estate plan --file ${output}" compares them.`;
  return { data: { file: output, note: appliedPath(output) }, text: said };
}

/** From here on it shows what is changed elsewhere. */
async function noteImported(
  path: string,
  remote: RemoteEstate,
  { clock, variables }: PartnerContext,
): Promise<void> {
  const read = await readEstate(path, variables);
  const { matched } = planEstate(read.estate, remote);
  await writeApplied(noteAt(appliedPath(path), read, clock), objectsToNote({ remote, matched }));
}

async function runPlan(
  flags: PlanFlags & { readonly json?: boolean },
  context: PartnerContext,
): Promise<Found> {
  const file = fileOf(flags, context);
  const read = await readEstate(file, context.variables);
  const organisations = organisationsOf(read.estate);
  const plan = await planOf(read, { file, flags, context });
  const { steps, problems } = plan;
  const shown = hidePlan(plan, read.variables);
  const isSaved = flags.output !== undefined && problems.length === 0;
  if (flags.output !== undefined && isSaved) {
    const createdAt = nowIso(context.clock);
    const saved = writePlan({ plan, organisations, variables: read.variables, createdAt });
    await writeFile(flags.output, saved);
  }
  const next = isSaved ? [`Saved. "forestall estate apply ${flags.output}" does it.`] : [];
  return {
    data: { ...shown, forecast: forecastOf(steps) },
    text: [planText(shown), ...next].join('\n'),
    isWrong: problems.length > 0,
    isChanged: steps.length > 0,
  };
}

/** What is printed ends in logs and reviews: values of variables are in it no more than in the file. */
function hidePlan({ steps, problems, notes }: EstatePlan, variables: Values): ShownPlan {
  const hide = (text: string): string => hideText(text, variables);
  return {
    steps: steps.map(({ step, mark, sentence }) => ({
      step: stepSchema.parse(hideValues(step, variables, KEPT)),
      mark,
      sentence: hide(sentence),
    })),
    problems: problems.map((problem) => ({ ...problem, message: hide(problem.message) })),
    notes: notes.map(hide),
  };
}

const KEPT: ReadonlySet<string> = new Set(['kind']);

async function planOf(
  { estate }: ReadEstate,
  asked: {
    readonly file: string;
    readonly flags: PlanFlags;
    readonly context: PartnerContext;
  },
): Promise<EstatePlan> {
  const { file, flags, context } = asked;
  const remote = await readSlowly(await context.openClient(), organisationsOf(estate));
  const applied = await readApplied(appliedPath(file), context.variables);
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
