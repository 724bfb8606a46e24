/** `forestall organisations move`: an organisation from this installation's database to another one's. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { openDatabase } from '../../base/db/connect.ts';
import { refuseUnusableSchema } from '../../base/db/migrate.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import { schemaFault } from '../../base/db/schemas.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { Found, InstallationContext } from '../../surface/terminal/command.ts';
import { describeInstallationCommand } from '../../surface/terminal/command.ts';
import { say } from '../../surface/terminal/print.ts';
import type { Progress } from '../../surface/terminal/progress.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { TABLES_AT_ONCE } from './at-once.ts';
import { readMove } from './move.store.ts';
import {
  describeAborted,
  describeForgotten,
  describeMoved,
  describePreview,
  describeStatus,
} from './move-command-text.ts';
import type { MoveContext, MoveEvent } from './move-context.ts';
import { abortMove, forgetOrganisation, moveOrganisation } from './move-organisation.ts';
import { previewMove } from './preview-move.ts';

interface MoveFlags {
  readonly to?: string;
  readonly toFile?: string;
  readonly toSchema?: string;
  readonly forwardTo?: string;
  readonly grace: string;
  readonly dryRun?: boolean;
  readonly abort?: boolean;
  readonly forget?: boolean;
  readonly status?: boolean;
  readonly json?: boolean;
}

/** Seconds that work under way may take to end. */
const GRACE_SECONDS = 20;
const GRACE_SECONDS_MAX = 600;

export const moveCommand = describeInstallationCommand<MoveFlags>({
  usage: 'organisations move',
  says: 'to another installation while deliveries arrive; run again, it goes on',
  options: (command) =>
    command
      .argument('<organisation>', 'its id, or the name in its path')
      .option('--to <url>', 'the database of the other installation')
      .option('--to-file <path>', 'a file that holds its address')
      .option(
        '--to-schema <name>',
        'the schema of its tables there, where it is another one than here',
      )
      .option('--forward-to <url>', 'where deliveries that still arrive here are sent on to')
      .option('--grace <seconds>', 'how long work under way may take to end', String(GRACE_SECONDS))
      .option('--dry-run', 'only look: how many rows, how long')
      .option('--abort', 'before it is switched over: back to how it was')
      .option('--forget', 'afterwards: delete the rows here')
      .option('--status', 'only say where it is'),
  examples: [
    'forestall organisations move two --to postgres://cell2/forestall --dry-run',
    'forestall organisations move two --to-file cell-2.url',
    'forestall organisations move two --to-file cell-2.url --abort',
  ],
  run:
    (flags, organisation = '') =>
    async (context) =>
      await onBothSides(context, { organisation, flags }),
});

async function act(context: MoveContext, flags: MoveFlags): Promise<Found> {
  const { organisationId: id, targetName } = context;
  if (flags.status === true) {
    const row = await readMove(context.source.db, id);
    return { data: row ?? null, text: describeStatus(id, row) };
  }
  if (flags.dryRun === true) {
    const preview = await previewMove(context);
    return { data: preview, text: describePreview(id, targetName, preview) };
  }
  if (flags.abort === true) {
    await abortMove(context);
    return { data: { aborted: true }, text: describeAborted(id) };
  }
  if (flags.forget === true) {
    const rows = await forgetOrganisation(context);
    return { data: { rows }, text: describeForgotten(id, rows) };
  }
  const moved = await moveOrganisation(context);
  const hasForward = (await readMove(context.source.db, id))?.forward_url != null;
  return { data: moved, text: describeMoved({ id, targetName, hasForward }, moved) };
}

interface Asked {
  /** Its id, or the name in its path. */
  readonly organisation: string;
  readonly flags: MoveFlags;
}

/** Opens both databases for as long as it takes. */
async function onBothSides(
  { listed, findDatabase, schema, tables: described }: InstallationContext,
  { organisation, flags }: Asked,
): Promise<Found> {
  const organisationId = idOf(organisation, listed());
  const here = await findDatabase();
  const there = targetAddress(flags, here);
  const graceMs = graceOf(flags) * 1_000;
  const forwardUrl = forwardUrlOf(flags);
  const progress = tellProgress(flags);
  const source = open(here, organisationId, schema);
  const target = open(there, organisationId, schemaAt(flags, schema));
  try {
    for (const each of [source, target]) {
      await requireReachable(each);
      await refuseUnusableSchema(each.db);
    }
    const names = { sourceName: nameOf(here), targetName: nameOf(there) };
    const holder = `${hostname()}:${process.pid}`;
    const { tell } = progress;
    return await act(
      {
        ...{ organisationId, source, target, described, ...names },
        ...{ forwardUrl, holder, graceMs, tell },
      },
      flags,
    );
  } finally {
    progress.stop();
    await source.close();
    await target.close();
  }
}

function open(connectionString: string, organisation: string, schema: string): OpenDatabase {
  return openDatabase({
    connectionString,
    schema,
    organisation,
    log: createLog({ level: 'silent' }),
    // Each table at once reads from a snapshot and asks as well; one more holds the move.
    maxConnections: 2 * TABLES_AT_ONCE + 2,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    applicationName: 'forestall-move',
  });
}

/** The id, of whatever people call it. */
function idOf(organisation: string, listed: ReturnType<InstallationContext['listed']>): string {
  const found = listed.find(({ id, path }) => id === organisation || path === organisation);
  if (found !== undefined) return found.id;
  if (/^org_\w+$/.test(organisation)) return organisation;
  throw new ConfigError(
    `There is no organisation ${organisation}. "forestall organisations list" shows them; an id begins with org_.`,
  );
}

function targetAddress({ to, toFile, status }: MoveFlags, here: string): string {
  if (to !== undefined && toFile !== undefined) {
    throw new ConfigError('Give --to or --to-file, not both.');
  }
  const text = toFile === undefined ? to : readFileSync(toFile, 'utf8').trim();
  if (text === undefined) {
    if (status === true) return here;
    throw new ConfigError(
      'Where to? --to postgres://… names the database of the other installation; --to-file a file that holds it.',
    );
  }
  if (!URL.canParse(text) || !/^postgres(?:ql)?:$/.test(new URL(text).protocol)) {
    throw new ConfigError(
      '--to is no address of a PostgreSQL database: postgres://user@host/name.',
    );
  }
  return text;
}

/** As people name a database: never with its user and password. */
function nameOf(address: string): string {
  const { hostname: host, port, pathname } = new URL(address);
  return `${host}:${port === '' ? '5432' : port}${pathname}`;
}

function schemaAt({ toSchema }: MoveFlags, here: string): string {
  if (toSchema === undefined) return here;
  const fault = schemaFault(toSchema);
  if (fault !== undefined) throw new ConfigError(`--to-schema ${fault}.`);
  return toSchema;
}

function graceOf({ grace }: MoveFlags): number {
  const seconds = Number(grace);
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= GRACE_SECONDS_MAX) return seconds;
  throw new ConfigError(`--grace is a number of seconds from 0 to ${GRACE_SECONDS_MAX}.`);
}

function forwardUrlOf({ forwardTo }: MoveFlags): string | undefined {
  if (forwardTo === undefined) return undefined;
  if (URL.canParse(forwardTo) && /^https?:$/.test(new URL(forwardTo).protocol)) return forwardTo;
  throw new ConfigError(
    '--forward-to is the address at which the other installation takes its deliveries: https://…/webhooks/….',
  );
}

/** A bar for rows, and a line for each step; neither where JSON is asked for. */
function tellProgress({ json }: MoveFlags): { tell: (event: MoveEvent) => void; stop: () => void } {
  let bar: Progress | undefined;
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    stop,
    tell(event): void {
      if (json === true) return;
      if (event.kind === 'rows') {
        if (Number.isNaN(event.total)) return;
        bar ??= createProgress('Copied');
        bar.update(event.done, event.total);
        return;
      }
      stop();
      say(event.text);
    },
  };
}
