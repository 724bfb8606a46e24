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
import { readSettings, readVariables } from '../../running/config.ts';
import { createServiceClient } from '../../service/client/index.ts';
import { waitOnTimer } from '../../service/client/wait.ts';
import { appliedPath, readApplied, writeApplied } from '../../service/estate/applied-file.ts';
import { applyPlan } from '../../service/estate/apply.ts';
import type { Estate } from '../../service/estate/estate.ts';
import { estateJsonSchema } from '../../service/estate/estate.ts';
import { importEstate } from '../../service/estate/import-estate.ts';
import { openJournal } from '../../service/estate/journal.ts';
import type { EstatePlan, PlanOptions } from '../../service/estate/plan.ts';
import { planEstate } from '../../service/estate/plan.ts';
import type { ReadEstate } from '../../service/estate/read-estate.ts';
import { readEstate } from '../../service/estate/read-estate.ts';
import type { EstateClient } from '../../service/estate/remote-estate.ts';
import { readRemoteEstate } from '../../service/estate/remote-estate.ts';
import { readPlan, writePlan } from '../../service/estate/saved-plan.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import { planText } from './estate-text.ts';
import { EXIT } from './exit.ts';
import { tellFailure } from './lifecycle.ts';
import { print } from './print.ts';
import { createProgress } from './progress.ts';
import { findRunning } from './running.ts';

const DEFAULT_FILE = 'estate.yaml';
/** Of `plan` and `drift`: there is something to do. */
const EXIT_CHANGES = 2;

interface PlanFlags extends PlanOptions {
  readonly file: string;
  readonly output?: string;
  readonly json?: boolean;
}

/** Adds `estate` and what is below it to the program. */
export function registerEstate(program: Command): void {
  const estate = program.command('estate');
  estate
    .command('import')
    .description('writes what the service holds as a file')
    .option('--organisation <id...>', 'the organisations', [])
    .option('-o, --output <file>', 'where to write it; standard output without it')
    .action((flags: { readonly organisation: string[]; readonly output?: string }) =>
      run(() => runImport(flags)),
    );
  withPlanOptions(
    estate.command('plan').description('says what would change, one sentence for each change'),
  )
    .option('-o, --output <plan>', 'saves the plan for "estate apply"')
    .action((flags: PlanFlags) => run(() => runPlan(flags)));
  estate
    .command('apply')
    .description('applies a saved plan exactly; run again, it goes on where it was')
    .argument('<plan>', 'a file of "estate plan -o"')
    .option('--file <file>', 'the estate file that the plan was made of', DEFAULT_FILE)
    .action((plan: string, flags: { readonly file: string }) =>
      run(() => runApply(plan, flags.file)),
    );
  withPlanOptions(
    estate.command('drift').description('says where the service differs from the file'),
  ).action((flags: PlanFlags) => run(() => runPlan(flags)));
  estate
    .command('schema')
    .description('prints the JSON Schema of the file, for editors')
    .action(() => {
      console.log(JSON.stringify(estateJsonSchema(), null, 2));
    });
}

function withPlanOptions(command: Command): Command {
  return command
    .option('--file <file>', 'the estate file', DEFAULT_FILE)
    .option('--allow-many', 'more than 30 % of what exists may change or go')
    .option('--allow-refund-everything', 'an RDR enrolment may lose its last ruleset')
    .option('--overwrite', 'what was changed elsewhere since the last apply is changed back')
    .option('--json', 'print JSON');
}

async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    tellFailure(error);
    process.exitCode = EXIT.wrong;
  }
}

async function runImport(flags: {
  readonly organisation: string[];
  readonly output?: string;
}): Promise<void> {
  const client = await openClient();
  const organisations =
    flags.organisation.length > 0 ? flags.organisation : [await ownOrganisation()];
  const { text, leftOut } = importEstate(await readSlowly(client, organisations), organisations);
  for (const reason of leftOut) console.error(`Left out: ${reason}.`);
  if (flags.output === undefined) {
    console.log(text);
    return;
  }
  await refuseExisting(flags.output);
  await writeFile(flags.output, text);
  console.log(
    `${flags.output} written. "forestall estate plan --file ${flags.output}" compares it.`,
  );
}

async function runPlan(flags: PlanFlags): Promise<void> {
  const read = await readEstate(flags.file, readVariables());
  const organisations = organisationsOf(read.estate);
  const plan = await planOf(read, organisations, flags);
  const { steps, problems, notes } = plan;
  print(flags, { steps, problems, notes }, planText(plan));
  if (problems.length > 0) process.exitCode = EXIT.wrong;
  else if (steps.length > 0) process.exitCode = EXIT_CHANGES;
  if (flags.output === undefined || problems.length > 0) return;
  const createdAt = new Date(systemClock.nowMs()).toISOString();
  await writeFile(
    flags.output,
    writePlan({ plan, organisations, variables: read.variables, createdAt }),
  );
  if (flags.json !== true) console.log(`Saved. "forestall estate apply ${flags.output}" does it.`);
}

async function planOf(
  { estate }: ReadEstate,
  organisations: readonly string[],
  flags: PlanFlags,
): Promise<EstatePlan> {
  const remote = await readSlowly(await openClient(), organisations);
  return planEstate(estate, remote, {
    ...flags,
    applied: await readApplied(appliedPath(flags.file)),
  });
}

async function runApply(planPath: string, estatePath: string): Promise<void> {
  const client = await openClient();
  const plan = readPlan(await readPlanText(planPath), readVariables());
  const journal = await openJournal(`${planPath}.journal`, plan.digest);
  const progress = createProgress('Changes');
  try {
    await applyPlan(plan, {
      client,
      journal,
      clock: systemClock,
      wait: waitOnTimer,
      onStep: (done) => progress.update(done, plan.steps.length),
    });
  } finally {
    progress.stop();
  }
  console.log(`Done: ${plan.steps.length} change${plan.steps.length === 1 ? '' : 's'}.`);
  await noteApplied(client, estatePath);
}

/** Notes what is there now, where the plan's file is at hand. */
async function noteApplied(client: EstateClient, estatePath: string): Promise<void> {
  try {
    const { estate } = await readEstate(estatePath, readVariables());
    const remote = await readRemoteEstate(client, organisationsOf(estate));
    const { steps, matched } = planEstate(estate, remote);
    await writeApplied(appliedPath(estatePath), matched);
    const waiting = matched.enrolments.filter(
      ({ remote: it }) => it !== undefined && it.status !== 'ENABLED',
    );
    for (const { entry, remote: it } of waiting)
      console.log(`Enrolment "${entry.key}" is ${it?.status}.`);
    if (steps.length > 0) console.log('The file says more than the plan did: plan again.');
  } catch (error) {
    console.error(
      `${estatePath} was not compared again: ${error instanceof Error ? error.message : error}`,
    );
  }
}

async function readPlanText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${path} cannot be read (${codeOf(error) ?? 'unknown reason'}). Check the path.`,
      {
        cause: error,
      },
    );
  }
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

/** Every organisation that the file names. */
function organisationsOf({ organisation, merchants }: Estate): string[] {
  return [...new Set([organisation, ...merchants.flatMap((it) => it.organisation ?? [])])];
}

async function readSlowly(
  client: EstateClient,
  organisations: readonly string[],
): ReturnType<typeof readRemoteEstate> {
  const progress = createProgress('Objects read');
  try {
    return await readRemoteEstate(client, organisations, (objects) =>
      progress.update(objects, objects),
    );
  } finally {
    progress.stop();
  }
}

async function ownOrganisation(): Promise<string> {
  const { organisationId } = readSettings();
  return organisationId ?? (await findRunning()).organisationId;
}

/** A client with the partner key alone: what an organisation key may not see must not look empty. */
async function openClient(): Promise<EstateClient> {
  const settings = readSettings();
  const { service } = settings;
  const place =
    service.kind === 'remote'
      ? { url: service.url, partnerApiKey: service.partnerApiKey }
      : await sandboxPlace();
  if (place.partnerApiKey === undefined) {
    throw new ConfigError(
      'Merchants and enrolments need a partner key. Set FORESTALL_PARTNER_API_KEY.',
    );
  }
  return createServiceClient({
    baseUrl: place.url,
    partnerApiKey: place.partnerApiKey,
    brandTokens: createBrandTokens(settings.brandTokens),
  });
}

async function sandboxPlace(): Promise<{ readonly url: string; readonly partnerApiKey: string }> {
  const { sandbox } = await findRunning();
  if (sandbox === undefined) {
    throw new ConfigError(
      'No service is named and no sandbox runs in this folder. Set FORESTALL_SERVICE_URL, or run "forestall start" here.',
    );
  }
  return { url: sandbox.serviceUrl, partnerApiKey: sandbox.partnerApiKey };
}
