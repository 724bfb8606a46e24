/** What stands between us and the database, and whether the direct address reaches what it should. */
import { leadToOneDatabase, readPooling } from '../../base/db/pooling.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import type { DoctorContext } from './context.ts';
import { whyUnreachable } from './reach-database.ts';

const NAME = 'pooler';
const DIRECT_NAME = 'direct database';
const NAME_THE_SERVER = 'Let FORESTALL_DATABASE_DIRECT_URL name the server itself.';

export async function poolerLines({
  database,
  databaseUrls,
}: Pick<DoctorContext, 'database' | 'databaseUrls'>): Promise<readonly StatusLine[]> {
  // That line has been said.
  if ('problem' in database) return [];
  const { main, direct } = databaseUrls;
  const lines = [await poolerLine(main, direct !== undefined)];
  return direct === undefined ? lines : [...lines, await directLine(main, direct)];
}

async function poolerLine(main: string, hasDirect: boolean): Promise<StatusLine> {
  const pooling = await readPooling(main);
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
