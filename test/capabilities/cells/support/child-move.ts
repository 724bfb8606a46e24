/** The moving command in a process of its own, to be killed with SIGKILL at a named point. Arguments: JSON. */
import { openDatabase } from '../../../../src/base/db/connect.ts';
import type { CrashPoint } from '../../../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../../../src/base/kernel/crash-point.ts';
import { createLog } from '../../../../src/base/kernel/log.ts';
import type { MoveContext } from '../../../../src/capabilities/cells/move-context.ts';
import {
  abortMove,
  forgetOrganisation,
  moveOrganisation,
} from '../../../../src/capabilities/cells/move-organisation.ts';
import { CAPABILITY_TABLES } from '../../../../src/capabilities/index.ts';

/** What the parent passes. */
export interface ChildMove {
  readonly here: string;
  readonly there: string;
  readonly organisationId: string;
  readonly command: 'move' | 'abort' | 'forget';
  readonly point: CrashPoint | 'none';
}

const input = JSON.parse(process.argv[2] ?? '{}') as ChildMove;
setCrashHook(async (point) => {
  if (point !== input.point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise<never>(() => undefined);
});
const log = createLog({ level: 'silent' });
const context: MoveContext = {
  organisationId: input.organisationId,
  source: openDatabase({ connectionString: input.here, log, statementTimeoutMs: 0 }),
  target: openDatabase({ connectionString: input.there, log, statementTimeoutMs: 0 }),
  described: CAPABILITY_TABLES,
  sourceName: 'here',
  targetName: 'there',
  forwardUrl: undefined,
  holder: `child:${process.pid}`,
  graceMs: 0,
  tell: () => undefined,
};
const run = { move: moveOrganisation, abort: abortMove, forget: forgetOrganisation };
await run[input.command](context);
await context.source.close();
await context.target.close();
