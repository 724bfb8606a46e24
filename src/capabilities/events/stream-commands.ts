/** `forestall events tail | replay | schema`: the stream in a terminal, or for another program. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { plainJson } from '../../base/kernel/shown-text.ts';
import type { EventKind } from '../../surface/event-kind.ts';
import type { CapabilityCommand, CommandContext, Line } from '../../surface/terminal/command.ts';
import { describeCommand, describeSettingsCommand } from '../../surface/terminal/command.ts';
import { readChanges, readEnd, readLast } from './event.store.ts';
import { eventBodyOf } from './event-body.ts';
import { eventsSchema } from './event-schema.ts';
import type { EventRow } from './events.table.ts';
import { placeProblem, unknownType, unknownTypeWords } from './place.ts';
import { createStreamWatch } from './stream-watch.ts';

const PAGE = 500;
const LINES_DEFAULT = 20;
const LINES_MAX = 10_000;
/** Longest wait between two reads while events are followed, in milliseconds. */
const FOLLOW_MS = 30_000;

interface StreamFlags {
  readonly after?: number;
  readonly types?: readonly string[];
}

function withStream(command: Command): Command {
  return command
    .option('--after <cursor>', 'what stands behind this position', readPosition)
    .option('--types <types>', 'only these, with commas between them', readTypes);
}

interface TailFlags extends StreamFlags {
  readonly lines: number;
  readonly follow?: boolean;
}

const tail = describeCommand<TailFlags>({
  usage: 'events tail',
  says: 'the last events; with --follow those that come, as they come',
  options: (command) =>
    withStream(command)
      .option('--lines <count>', 'so many of the last ones', readCount, LINES_DEFAULT)
      .option('--follow', 'goes on until it is interrupted'),
  examples: [
    'forestall events tail',
    'forestall events tail --follow --types refund.confirmed,alert.missed',
  ],
  run: (flags) => async (context) => ({ lines: tailLines(context, flags) }),
});

const replay = describeCommand<StreamFlags>({
  usage: 'events replay',
  says: 'every event that is kept, the oldest first, or those behind a cursor; then it ends',
  options: withStream,
  examples: [
    'forestall events replay --after 1200 --json',
    'forestall events replay --types dispute.closed',
  ],
  run: (flags) => async (context) => ({ lines: replayLines(context, flags) }),
});

const schema = describeSettingsCommand({
  usage: 'events schema',
  says: 'prints the JSON Schema of the events',
  isFile: true,
  examples: ['forestall events schema > event.schema.json'],
  run:
    () =>
    async ({ eventKinds }) => ({ file: `${plainJson(eventsSchema(eventKinds))}\n` }),
});

export const streamCommands: readonly CapabilityCommand[] = [tail, replay, schema];

const NONE: Line = { data: undefined, text: 'There is no such event.' };

async function* tailLines(context: CommandContext, flags: TailFlags): AsyncGenerator<Line> {
  const types = checkedTypes(flags.types, context.eventKinds);
  const { follow = false } = flags;
  const from = flags.after === undefined ? yield* lastLines(context, types, flags) : flags.after;
  const isShown = flags.after !== undefined;
  const end = isShown ? yield* linesBehind(context, from, types) : from;
  if (follow) yield* linesToCome(context, end, types);
}

async function* replayLines(context: CommandContext, flags: StreamFlags): AsyncGenerator<Line> {
  const types = checkedTypes(flags.types, context.eventKinds);
  yield* linesBehind(context, flags.after, types);
}

/** Returns the end of the stream: what is followed begins there. */
async function* lastLines(
  { db, organisationId }: CommandContext,
  types: readonly string[],
  { lines, follow = false }: TailFlags,
): AsyncGenerator<Line, number> {
  const end = await readEnd(db, organisationId);
  const last = await readLast(db, { organisationId, upTo: end, types, limit: lines });
  for (const event of last) yield lineOf(organisationId, event);
  if (last.length === 0 && !follow) yield NONE;
  return end;
}

/** What is behind a cursor up to the end, which is returned. @throws {ConfigError} when it cannot be gone on from */
async function* linesBehind(
  { db, organisationId }: CommandContext,
  after: number | undefined,
  types: readonly string[],
): AsyncGenerator<Line, number> {
  let from = after;
  let shown = 0;
  for (;;) {
    const found = await readChanges(db, { organisationId, after: from ?? 0, types, limit: PAGE });
    const problem = from === undefined ? undefined : placeProblem(from, found);
    if (problem !== undefined) {
      throw new ConfigError(
        `--after ${from}: ${problem.message} Without --after everything that is kept is shown; the next cursor that works is ${problem.next}.`,
      );
    }
    for (const event of found.events) yield lineOf(organisationId, event);
    shown += found.events.length;
    from = found.cursor;
    if (from < found.last) continue;
    if (shown === 0) yield NONE;
    return from;
  }
}

async function* linesToCome(
  context: CommandContext,
  after: number,
  types: readonly string[],
): AsyncGenerator<Line> {
  const { db, organisationId } = context;
  const watch = createStreamWatch({ db, organisationId });
  const { signal } = new AbortController();
  for (let from = after; ; ) {
    const found = await readChanges(db, { organisationId, after: from, types, limit: PAGE });
    for (const event of found.events) yield lineOf(organisationId, event);
    from = found.cursor;
    if (from >= found.last) await watch.beyond(from, { waitMs: FOLLOW_MS, signal });
  }
}

/** Two lines: columns next to each other would leave the sentence no room in 80 characters. */
function lineOf(organisationId: string, event: EventRow): Line {
  const { seq, type, at, alert_id: alertId, sentence } = event;
  const moment = `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
  const head = [String(seq), moment, type, ...(alertId === null ? [] : [alertId])].join('  ');
  return { data: eventBodyOf(organisationId, event), text: `${head}\n    ${sentence}` };
}

/** @throws {ConfigError} when there is no such type */
function checkedTypes(
  types: readonly string[] | undefined,
  kinds: readonly EventKind[],
): readonly string[] {
  const known = kinds.map(({ type }) => type);
  const unknown = unknownType(types ?? [], known);
  if (unknown === undefined) return types ?? [];
  throw new ConfigError(`--types: ${unknownTypeWords(unknown, known)}`);
}

function readPosition(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('Give the position of an event, a whole number.');
  }
  return Number(text);
}

function readTypes(text: string): readonly string[] {
  const types = text.split(',').map((type) => type.trim());
  if (types.includes('')) {
    throw new InvalidArgumentError(
      'Give types with commas between them: refund.confirmed,alert.missed.',
    );
  }
  return types;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > LINES_MAX) {
    throw new InvalidArgumentError(`Give a whole number, 1 to ${LINES_MAX}.`);
  }
  return count;
}
