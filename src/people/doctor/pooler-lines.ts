/** What is between us and the database, and whether the direct address reaches what it should. */
import type { Pooling } from '../../base/db/pooling.ts';
import { keepsSettings, leadToOneDatabase, readPooling } from '../../base/db/pooling.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import type { DoctorContext } from './context.ts';
import { whyUnreachable } from './reach-database.ts';

const NAME = 'pooler';
const DIRECT_NAME = 'direct database';
const SESSIONS_NAME = 'pooler sessions';
const NAME_THE_SERVER = 'Let FORESTALL_DATABASE_DIRECT_URL name the server itself.';

export async function poolerLines({
  database,
  databaseUrls,
}: Pick<DoctorContext, 'database' | 'databaseUrls'>): Promise<readonly StatusLine[]> {
  // That line has been said.
  if ('problem' in database) return [];
  const { main, direct } = databaseUrls;
  const pooling = await readPooling(main);
  return [
    poolerLine(pooling, direct !== undefined),
    ...(pooling === 'session' || pooling === 'transaction' ? [await sessionsLine(main)] : []),
    ...(direct === undefined ? [] : [await directLine(main, direct)]),
  ];
}

/** Whether another program's `synchronous_commit = off` can become ours. */
async function sessionsLine(main: string): Promise<StatusLine> {
  switch (await keepsSettings(main)) {
    case true:
      return warning(
        SESSIONS_NAME,
        'a session keeps what its last client has set, a synchronous_commit = off of another program too',
        'Set server_reset_query = DISCARD ALL and, in transaction mode, server_reset_query_always = 1; give the database user to Forestall alone.',
      );
    case false:
      return ok(SESSIONS_NAME, 'cleared before the next client gets them');
    case undefined:
      return ok(SESSIONS_NAME, 'not seen: too many clients at once');
  }
}

function poolerLine(pooling: Pooling, hasDirect: boolean): StatusLine {
  switch (pooling) {
    case 'none':
      return ok(NAME, 'none; connections reach PostgreSQL itself');
    case 'statement':
      return failed(
        NAME,
        'in statement mode, which refuses transactions',
        'Set its mode for this database to transaction or session.',
      );
    case 'session':
    case 'transaction':
      return hasDirect
        ? ok(NAME, `in ${pooling} mode; wake-ups and migrations go to the direct address`)
        : warning(
            NAME,
            `in ${pooling} mode, and no direct address: work is looked for each second, and migrations run through the pooler`,
            NAME_THE_SERVER,
          );
  }
}

async function directLine(main: string, direct: string): Promise<StatusLine> {
  try {
    if (!(await leadToOneDatabase(main, direct))) {
      return failed(DIRECT_NAME, 'another database than DATABASE_URL’s', NAME_THE_SERVER);
    }
  } catch (error) {
    const { problem, nextStep } = whyUnreachable(error);
    return failed(
      DIRECT_NAME,
      `${problem}: no wake-ups and no migrations`,
      nextStep.replaceAll('DATABASE_URL', 'FORESTALL_DATABASE_DIRECT_URL'),
    );
  }
  return (await readPooling(direct)) === 'none'
    ? ok(DIRECT_NAME, 'the same database, without a pooler')
    : failed(DIRECT_NAME, 'a pooler’s address as well', NAME_THE_SERVER);
}
