/** `forestall estate apply`: runs a saved plan, notes what it left, and waits for statuses. */
import { Option } from 'commander';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowIso } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import type { Variables } from '../../base/kernel/yaml-text.ts';
import { waitOnTimer } from '../../service/client/budget-queue.ts';
import type { Line, PartnerContext } from '../../surface/terminal/command.ts';
import { describePartnerCommand } from '../../surface/terminal/command.ts';
import { readNamed } from '../../surface/terminal/named-file.ts';
import { readDuration } from '../../surface/terminal/option-values.ts';
import { say, sayOnStderr } from '../../surface/terminal/print.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { FILE_HELP, fileOf, readSlowly } from './command-support.ts';
import { waitingText } from './command-text.ts';
import type { Applied, AppliedNote } from './plan/applied-file.ts';
import { appendApplied, appliedPath, readApplied, writeApplied } from './plan/applied-file.ts';
import { applyPlan } from './plan/apply.ts';
import { objectsToNote } from './plan/drift.ts';
import { organisationsOf } from './plan/estate.ts';
import { openJournal } from './plan/journal.ts';
import { planEstate } from './plan/plan.ts';
import type { ReadEstate } from './plan/read-estate.ts';
import { readEstate } from './plan/read-estate.ts';
import type { EstateClient } from './plan/remote-estate.ts';
import { readPlan } from './plan/saved-plan.ts';
import type { WaitingEnrolment } from './plan/waiting.ts';
import { waitForEnabled, waitingOf } from './plan/waiting.ts';

interface ApplyFlags {
  readonly file?: string;
  readonly wait?: boolean;
  readonly waitTimeout: number;
}

/** Enrolments take days; a week covers the usual ones. */
const WAIT_DEFAULT_MS = 7 * 86_400_000;

export const apply = describePartnerCommand<ApplyFlags>({
  usage: 'estate apply <plan>',
  says: 'applies a plan of "estate plan -o" exactly; run again, it continues where it was',
  options: (command) =>
    command
      .option('--file <file>', FILE_HELP)
      .option('--wait', 'then waits until every enrolment is ENABLED, which takes days')
      .addOption(
        new Option('--wait-timeout <time>', 'at most this long, like 30m, 6h or 7d')
          .argParser(readDuration)
          .default(WAIT_DEFAULT_MS, formatDuration(WAIT_DEFAULT_MS)),
      ),
  isFile: true,
  examples: ['forestall estate apply plan.json', 'forestall estate apply plan.json --wait'],
  run:
    (flags, plan = '') =>
    async (context) => ({ lines: runApply(plan, flags, context) }),
});

async function* runApply(
  planPath: string,
  flags: ApplyFlags,
  context: PartnerContext,
): AsyncGenerator<Line> {
  const { clock, variables } = context;
  const file = fileOf(flags, context);
  const client = await context.openClient();
  const plan = readPlan(readNamed(planPath), variables);
  const journal = await openJournal(`${planPath}.journal`, plan.digest);
  const { note, applied } = await openNote(file, { clock, variables });
  const progress = createProgress('Changes');
  try {
    await applyPlan(plan, {
      client,
      journal,
      clock,
      wait: waitOnTimer,
      applied,
      ...(note === undefined ? {} : { remember: (object) => appendApplied(note, object) }),
      onStep: (done) => progress.update(done, plan.steps.length),
    });
  } finally {
    progress.stop();
  }
  yield { data: undefined, text: `Done: ${counted(plan.steps.length, 'change')}.` };
  const left = await noteApplied(client, file, context);
  yield* left.lines;
  if (flags.wait === true)
    yield* waitFor(left.waiting, { client, context, timeoutMs: flags.waitTimeout });
}

interface OpenNote {
  readonly note?: AppliedNote;
  readonly applied?: Applied | undefined;
}

/** The note of the last apply, where the plan's file is at hand. */
async function openNote(
  estatePath: string,
  { clock, variables }: { readonly clock: Clock; readonly variables: Variables },
): Promise<OpenNote> {
  let read: ReadEstate;
  try {
    read = await readEstate(estatePath, variables);
  } catch {
    // The end of the run says so.
    return {};
  }
  const path = appliedPath(estatePath);
  return { note: noteAt(path, read, clock), applied: await readApplied(path, variables) };
}

/** A note of now. */
export function noteAt(
  path: string,
  { variables }: Pick<ReadEstate, 'variables'>,
  clock: Clock,
): AppliedNote {
  return { path, notedAt: nowIso(clock), variables };
}

/** What an apply left. */
interface Left {
  /** Undefined where the file cannot be compared. */
  readonly waiting: readonly WaitingEnrolment[] | undefined;
  readonly lines: readonly Line[];
}

/** Notes what is there now. */
async function noteApplied(
  client: EstateClient,
  estatePath: string,
  { clock, variables }: PartnerContext,
): Promise<Left> {
  try {
    const read = await readEstate(estatePath, variables);
    const remote = await readSlowly(client, organisationsOf(read.estate));
    const { steps, matched } = planEstate(read.estate, remote);
    const note = noteAt(appliedPath(estatePath), read, clock);
    await writeApplied(note, objectsToNote({ remote, matched }));
    const waiting = waitingOf(matched);
    const texts = [
      ...(waiting.length > 0 ? [waitingText(waiting)] : []),
      ...(steps.length > 0 ? ['The file says more than the plan did: plan again.'] : []),
    ];
    return { waiting, lines: texts.map((text) => ({ data: undefined, text })) };
  } catch (error) {
    sayOnStderr(
      `${estatePath} was not compared again: ${messageOf(error)}\nName the plan's estate file with --file.`,
    );
    return { waiting: undefined, lines: [] };
  }
}

async function* waitFor(
  waiting: readonly WaitingEnrolment[] | undefined,
  about: {
    readonly client: EstateClient;
    readonly context: PartnerContext;
    readonly timeoutMs: number;
  },
): AsyncGenerator<Line> {
  if (waiting === undefined) {
    yield { data: undefined, text: 'Nothing was waited for.', isWrong: true };
    return;
  }
  const { client, context, timeoutMs } = about;
  const now = await waitForEnabled(waiting, {
    client,
    clock: context.clock,
    wait: waitOnTimer,
    timeoutMs,
    onChange: (enrolment) => say(waitingText([enrolment])),
  });
  const open = now.filter(({ stage }) => stage === 'in progress');
  const stuck = now.filter(({ stage }) => stage !== 'in progress' && stage !== 'enabled');
  if (stuck.length > 0) yield { data: undefined, text: waitingText(stuck), isWrong: true };
  else if (open.length > 0) {
    const text = `Not yet ENABLED after ${formatDuration(timeoutMs)}: ${open.map(({ key }) => key).join(', ')}. The same command waits on.`;
    yield { data: undefined, text, isChanged: true };
  } else yield { data: undefined, text: 'Every enrolment is ENABLED.' };
}
