/**
 * `forestall operators`: who may use the console, as what, and of several organisations for which.
 *
 * Needs the database only, so that somebody can be let in, or locked out, while everything else is down.
 */
import type { Command } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import {
  addOperator,
  listOperators,
  OPERATOR_FAULTS,
  removeOperator,
  renewToken,
  setRole,
} from '../../surface/access/operator.store.ts';
import { isNameTaken, listRights } from '../../surface/access/right.store.ts';
import type { Role } from '../../surface/access/role.ts';
import { ROLE_WORDS, ROLES } from '../../surface/access/role.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenPeople, People } from './open-people.ts';
import { grantAll, registerRights } from './operator-rights.ts';
import type { Where, Work } from './operator-support.ts';
import {
  changeOf,
  idsOf,
  placeOf,
  refuse,
  report,
  roleOf,
  WHERE_HELP,
} from './operator-support.ts';

export function registerOperators(program: Command, open: OpenPeople): void {
  const run = (work: Work): Promise<void> => runOn(open, work);
  const operators = program.command('operators');
  operators
    .command('add <name>')
    .description('adds an operator and prints the token, once')
    .requiredOption('--role <role>', ROLES.map((role) => `${role}: ${ROLE_WORDS[role]}`).join('; '))
    .option('--email <address>', 'the address that the identity provider knows')
    .option('--no-token', 'signs in at the identity provider only')
    .option('--organisation <name...>', WHERE_HELP)
    .option('--all', 'where there are several: for all of them')
    .action(async (name: string, options: AddOptions) => await run((of) => add(of, name, options)));
  operators
    .command('list')
    .description('every operator')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => await run((of) => printOperators(of, json)));
  operators
    .command('role <name> <role>')
    .description('gives an operator another role and ends their sessions')
    .action(async (name: string, role: string) => await run((of) => change(of, name, role)));
  registerRights(operators, run);
  operators
    .command('token <name>')
    .description('gives an operator a new token; the old one ends')
    .action(async (name: string) => await run((of) => renew(of, name)));
  operators
    .command('remove <name>')
    .description('removes an operator with token and sessions')
    .action(async (name: string) => await run((of) => remove(of, name)));
}

interface AddOptions extends Where {
  readonly role: string;
  readonly email?: string;
  /** Commander: false after `--no-token`. */
  readonly token: boolean;
}

async function add(people: People, name: string, options: AddOptions): Promise<void> {
  const { email, token: withToken, organisation = [], all = false } = options;
  const role = roleOf(options.role);
  if (!withToken && email === undefined) {
    throw new ConfigError('Without a token an operator needs --email.');
  }
  const ids = idsOf(people, organisation);
  const isMany = people.organisations.length > 0;
  if (isMany && all === ids.length > 0) {
    throw new ConfigError('Say for which organisations: --organisation <name>, or --all.');
  }
  const known = people.organisations.map(({ id }) => id);
  if (isMany && (await isNameTaken(people.db, name, known))) {
    return refuse(OPERATOR_FAULTS.name_taken);
  }
  const forAll = isMany && !all ? null : role;
  const entry = { ...changeOf(people, name), role: forAll, email, withToken };
  const added = await addOperator(people.db, entry);
  if (!added.ok) return refuse(OPERATOR_FAULTS[added.reason]);
  if (ids.length > 0) await grantAll(people, name, { role, ids });
  const { token } = added;
  console.log(token === undefined ? `${name} may sign in at the identity provider.` : token);
}

async function change(people: People, name: string, word: string): Promise<void> {
  const role = roleOf(word);
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const isDone = await setRole(people.db, { ...changeOf(place.people, name), role });
  report(isDone, `${name} is ${role}${wordsOf(place.people)} now; their sessions ended.`);
}

function wordsOf({ home, organisations }: People): string {
  if (organisations.length === 0) return '';
  const path = organisations.find(({ id }) => id === home)?.path;
  return path === undefined ? ' of all organisations' : ` of ${path}`;
}

async function renew(people: People, name: string): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const token = await renewToken(people.db, changeOf(place.people, name));
  report(token !== undefined, token ?? '');
}

async function remove(people: People, name: string): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const isDone = await removeOperator(people.db, changeOf(place.people, name));
  report(isDone, `${name} is no operator any more.`);
}

/** What `operators list --json` says of each. */
interface OperatorLine {
  readonly name: string;
  readonly role: Role | null;
  readonly has_token: boolean;
  readonly email: string | null;
  readonly created_at: string;
  readonly created_by: string;
  /** The organisation; null: the installation. */
  readonly entered_for?: string | null;
  readonly rights?: Readonly<Record<string, Role>>;
}

async function printOperators({ db, home, organisations }: People, json = false): Promise<void> {
  const paths = new Map(organisations.map(({ id, path }) => [id, path]));
  const rights = await listRights(db, [...paths.keys()]);
  const rowsOf = async (of: string): Promise<OperatorLine[]> =>
    (await listOperators(db, of)).map((row) => ({
      name: row.name,
      role: row.role,
      has_token: row.token_hash !== null,
      email: row.email,
      created_at: row.created_at.toISOString(),
      created_by: row.created_by,
      ...(organisations.length === 0
        ? {}
        : {
            entered_for: paths.get(of) ?? null,
            rights: Object.fromEntries(
              rights
                .filter((right) => right.home === of && right.operatorId === row.id)
                .map(({ organisationId, role }) => [paths.get(organisationId) ?? '', role]),
            ),
          }),
    }));
  const rows = (await Promise.all([home, ...paths.keys()].map(rowsOf))).flat();
  const lines =
    rows.length === 0
      ? ['No operator yet: only the console token lets anybody in.']
      : rows.map(lineOf);
  print({ json }, { operators: rows }, lines.join('\n'));
}

function lineOf(row: OperatorLine): string {
  const { name, role, has_token: hasToken, email, entered_for: enteredFor, rights = {} } = row;
  const ways = [hasToken ? 'token' : null, email].filter((way) => way !== null).join(', ');
  const given = Object.entries(rights).map(([path, own]) => `${path}: ${own}`);
  const may = [
    ...(role === null ? [] : [enteredFor === null ? `${role} of all` : role]),
    ...(enteredFor == null ? [] : [`of ${enteredFor}`]),
    ...given,
  ].join(' ');
  return `${name.padEnd(24)} ${may.padEnd(14)} ${ways}`;
}
