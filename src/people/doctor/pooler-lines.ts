/** What stands between us and the database, and whether the direct address reaches what it should. */
import { leadToOneDatabase, readPooling } from '../../base/db/pooling.ts';
import type { StatusLine } from '../../books/insights/status-line.ts';
import { failed, ok, warning } from '../../books/insights/status-line.ts';
import type { DoctorContext } from './context.ts';

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
  if (!(await leadToOneDatabase(main, direct))) {
    return failed(DIRECT_NAME, 'another database than DATABASE_URL’s', NAME_THE_SERVER);
  }
  return (await readPooling(direct)) === 'none'
    ? ok(DIRECT_NAME, 'the same database, without a pooler')
    : failed(DIRECT_NAME, 'a pooler’s address as well', NAME_THE_SERVER);
}
