/** `forestall estate apply`: runs a saved plan, notes what it left, and waits for statuses. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { readVariables } from '../../running/config.ts';
import { waitOnTimer } from '../../service/client/budget-queue.ts';
import type { Applied, AppliedNote } from '../../service/estate/applied-file.ts';
import {
  appendApplied,
  appliedPath,
  readApplied,
  writeApplied,
} from '../../service/estate/applied-file.ts';
import { applyPlan } from '../../service/estate/apply.ts';
import { objectsToNote } from '../../service/estate/drift.ts';
import { organisationsOf } from '../../service/estate/estate.ts';
import { openJournal } from '../../service/estate/journal.ts';
import { planEstate } from '../../service/estate/plan.ts';
import type { ReadEstate } from '../../service/estate/read-estate.ts';
import { readEstate } from '../../service/estate/read-estate.ts';
import type { EstateClient } from '../../service/estate/remote-estate.ts';
import { readPlan } from '../../service/estate/saved-plan.ts';
import type { WaitingEnrolment } from '../../service/estate/waiting.ts';
import { waitForEnabled, waitingOf } from '../../service/estate/waiting.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { readDuration } from '../../surface/terminal/option-values.ts';
import { say } from '../../surface/terminal/print.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import {
  EXIT_CHANGES,
  FILE_HELP,
  fileOf,
  openClient,
  readNamed,
  readSlowly,
  runEstate,
} from './estate-client.ts';
import { waitingText } from './estate-text.ts';

interface ApplyFlags {
  readonly file?: string;
  readonly wait?: boolean;
  readonly waitTimeout: number;
}

/** Enrolments take days; a week covers the usual ones. */
const WAIT_DEFAULT_MS = 7 * 86_400_000;

export function registerApply(estate: Command): void {
  estate
    .command('apply')
    .description('applies a saved plan exactly; run again, it continues where it was')
    .argument('<plan>', 'a file of "estate plan -o"')
    .option('--file <file>', FILE_HELP)
    .option('--wait', 'then waits until every enrolment is ENABLED, which takes days')
    .addOption(
      new Option('--wait-timeout <time>', 'at most this long, like 30m, 6h or 7d')
        .argParser(readDuration)
        .default(WAIT_DEFAULT_MS, formatDuration(WAIT_DEFAULT_MS)),
    )
    .action((plan: string, flags: ApplyFlags) => runEstate(() => runApply(plan, flags)));
}

async function runApply(planPath: string, flags: ApplyFlags): Promise<void> {
  const file = fileOf(flags);
  const client = await openClient();
  const plan = readPlan(readNamed(planPath), readVariables());
  const journal = await openJournal(`${planPath}.journal`, plan.digest);
  const { note, applied } = await openNote(file);
  const progress = createProgress('Changes');
  try {
    await applyPlan(plan, {
      client,
      journal,
      clock: systemClock,
      wait: waitOnTimer,
      applied,
      ...(note === undefined ? {} : { remember: (object) => appendApplied(note, object) }),
      onStep: (done) => progress.update(done, plan.steps.length),
    });
  } finally {
    progress.stop();
  }
  console.log(`Done: ${plan.steps.length} change${plan.steps.length === 1 ? '' : 's'}.`);
  const waiting = await noteApplied(client, file);
  if (flags.wait === true) await waitFor(client, waiting, flags.waitTimeout);
}

interface OpenNote {
  readonly note?: AppliedNote;
  readonly applied?: Applied | undefined;
}

/** The note of the last apply, where the plan's file is at hand. */
async function openNote(estatePath: string): Promise<OpenNote> {
  let read: ReadEstate;
  try {
    read = await readEstate(estatePath, readVariables());
  } catch {
    // The end of the run says so.
    return {};
  }
  const path = appliedPath(estatePath);
  return { note: noteAt(path, read), applied: await readApplied(path, readVariables()) };
}

/** A note of now. */
export function noteAt(path: string, { variables }: Pick<ReadEstate, 'variables'>): AppliedNote {
  return { path, notedAt: new Date(systemClock.nowMs()).toISOString(), variables };
}

/** Notes what is there now. Returns what waits; undefined where the file cannot be compared. */
async function noteApplied(
  client: EstateClient,
  estatePath: string,
): Promise<WaitingEnrolment[] | undefined> {
  try {
    const read = await readEstate(estatePath, readVariables());
    const remote = await readSlowly(client, organisationsOf(read.estate));
    const { steps, matched } = planEstate(read.estate, remote);
    await writeApplied(noteAt(appliedPath(estatePath), read), objectsToNote({ remote, matched }));
    const waiting = waitingOf(matched);
    if (waiting.length > 0) say(waitingText(waiting));
    if (steps.length > 0) console.log('The file says more than the plan did: plan again.');
    return waiting;
  } catch (error) {
    console.error(
      `${estatePath} was not compared again: ${messageOf(error)}\nName the plan's estate file with --file.`,
    );
    return undefined;
  }
}

async function waitFor(
  client: EstateClient,
  waiting: readonly WaitingEnrolment[] | undefined,
  timeoutMs: number,
): Promise<void> {
  if (waiting === undefined) {
    process.exitCode = EXIT.wrong;
    return;
  }
  const now = await waitForEnabled(waiting, {
    client,
    clock: systemClock,
    wait: waitOnTimer,
    timeoutMs,
    onChange: (it) => say(waitingText([it])),
  });
  const open = now.filter(({ stage }) => stage === 'in progress');
  const stuck = now.filter(({ stage }) => stage !== 'in progress' && stage !== 'enabled');
  if (stuck.length > 0) {
    process.exitCode = EXIT.wrong;
    say(waitingText(stuck));
  } else if (open.length > 0) {
    process.exitCode = EXIT_CHANGES;
    say(
      `Not yet ENABLED after ${formatDuration(timeoutMs)}: ${open.map(({ key }) => key).join(', ')}. The same command waits on.`,
    );
  } else {
    console.log('Every enrolment is ENABLED.');
  }
}
