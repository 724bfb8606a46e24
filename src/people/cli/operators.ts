/**
 * `forestall operators`: who may use the console, as what, and of several organisations for which.
 *
 * Needs the database only, so that somebody can be let in, or locked out, while everything else is down.
 */
import type { Command } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { OperatorChange } from '../console/access/operator.store.ts';
import {
  addOperator,
  listOperators,
  OPERATOR_FAULTS,
  removeOperator,
  renewToken,
  setRole,
} from '../console/access/operator.store.ts';
import {
  findNamed,
  grantRight,
  isNameTaken,
  listRights,
  revokeRight,
} from '../console/access/right.store.ts';
import type { Role } from '../console/access/role.ts';
import { ROLE_WORDS, ROLES } from '../console/access/role.ts';
import { EXIT } from './exit.ts';
import { runCommand } from './lifecycle.ts';
import type { OpenPeople, People } from './open-people.ts';

/** Whose name stands in the audit log. */
const OPERATOR = 'cli';

type Work = (people: People) => Promise<void>;

/** One or several of the installation's organisations. */
interface Where {
  /** Names in addresses, or ids. */
  readonly organisation?: readonly string[];
  readonly all?: boolean;
}

const WHERE_HELP =
  'where there are several: for which (its path or id); may be given several times';

/** Adds the command to the program. */
export function registerOperators(program: Command, open: OpenPeople): void {
  const run = (work: Work): Promise<void> => withPeople(open, work);
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
    .action(async ({ json }: { readonly json?: boolean }) => await run((of) => list(of, json)));
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

function registerRights(operators: Command, run: (work: Work) => Promise<void>): void {
  operators
    .command('grant <name> <role>')
    .description('gives an operator a right for an organisation, where there are several')
    .requiredOption('--organisation <name...>', WHERE_HELP)
    .action(
      async (name: string, role: string, where: Where) =>
        await run((of) => grant(of, name, { ...where, role: roleOf(role) })),
    );
  operators
    .command('revoke <name>')
    .description('takes such a right away')
    .requiredOption('--organisation <name...>', WHERE_HELP)
    .action(async (name: string, where: Where) => await run((of) => revoke(of, name, where)));
}

async function withPeople(open: OpenPeople, work: Work): Promise<void> {
  await runCommand(async () => {
    const people = await open();
    try {
      await work(people);
    } finally {
      await people.close();
    }
  });
}

interface AddOptions extends Where {
  readonly role: string;
  readonly email?: string;
  /** Commander: false after `--no-token`. */
  readonly token: boolean;
}

function changeOf({ clock, home }: People, name: string): OperatorChange {
  return { organisationId: home, name, by: OPERATOR, now: nowDate(clock) };
}

function roleOf(word: string): Role {
  const role = ROLES.find((one) => one === word);
  if (role === undefined) throw new ConfigError(`The role must be one of ${ROLES.join(', ')}.`);
  return role;
}

/** Ids of the organisations that an option names. */
function idsOf({ organisations }: People, names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const found = organisations.find(({ id, path }) => name === path || name === id);
    if (found !== undefined) return found.id;
    throw new ConfigError(
      organisations.length === 0
        ? 'There is one organisation: leave --organisation out.'
        : `The installation has no organisation ${name}. "forestall organisations list" shows them.`,
    );
  });
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
  for (const id of ids) await grantOne(people, name, { id, role });
  const { token } = added;
  console.log(token === undefined ? `${name} may sign in at the identity provider.` : token);
}

/** What `operators list --json` says of each. */
async function list({ db, home, organisations }: People, json = false): Promise<void> {
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
  if (json) {
    console.log(JSON.stringify({ operators: rows }, null, 2));
    return;
  }
  if (rows.length === 0) console.log('No operator yet: only the console token lets anybody in.');
  for (const row of rows) console.log(lineOf(row));
}

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

/** Where an operator is entered; undefined: nowhere, which has been said. */
async function placeOf(people: People, name: string): Promise<People | undefined> {
  const { db, home, organisations } = people;
  const [row] = await findNamed(db, name, [home, ...organisations.map(({ id }) => id)]);
  if (row === undefined) {
    refuse(OPERATOR_FAULTS.not_found);
    return undefined;
  }
  return { ...people, home: row.organisation_id };
}

async function change(people: People, name: string, word: string): Promise<void> {
  const role = roleOf(word);
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const isDone = await setRole(place.db, { ...changeOf(place, name), role });
  report(isDone, `${name} is ${role}${wordsOf(place)} now; their sessions ended.`);
}

function wordsOf({ home, organisations }: People): string {
  if (organisations.length === 0) return '';
  const path = organisations.find(({ id }) => id === home)?.path;
  return path === undefined ? ' of all organisations' : ` of ${path}`;
}

interface Right {
  readonly id: string;
  readonly role: Role;
}

async function grantOne(people: People, name: string, { id, role }: Right): Promise<void> {
  const { db, clock } = people;
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const [row] = await findNamed(db, name, [place.home]);
  if (row === undefined) return refuse(OPERATOR_FAULTS.not_found);
  const key = { home: place.home, operatorId: row.id, organisationId: id };
  const by = { name: row.name, by: OPERATOR, now: nowDate(clock) };
  const isGiven = await grantRight(db, { ...key, ...by, role });
  if (!isGiven) refuse(OPERATOR_FAULTS.name_taken);
}

async function grant(
  people: People,
  name: string,
  { organisation = [], role }: Where & { readonly role: Role },
): Promise<void> {
  for (const id of idsOf(people, organisation)) await grantOne(people, name, { id, role });
  if (process.exitCode === undefined)
    console.log(`${name} is ${role} of ${organisation.join(', ')}.`);
}

async function revoke(people: People, name: string, { organisation = [] }: Where): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const { db, clock, home } = place;
  const [row] = await findNamed(db, name, [home]);
  for (const organisationId of idsOf(people, organisation)) {
    const key = { home, operatorId: row?.id ?? '', organisationId };
    const isDone = await revokeRight(db, { ...key, name, by: OPERATOR, now: nowDate(clock) });
    if (isDone) console.log(`${name} has no right for ${organisationId} any more.`);
    else refuse(`${name} has no such right for ${organisationId}.`);
  }
}

async function renew(people: People, name: string): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const token = await renewToken(place.db, changeOf(place, name));
  report(token !== undefined, token ?? '');
}

async function remove(people: People, name: string): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const isDone = await removeOperator(place.db, changeOf(place, name));
  report(isDone, `${name} is no operator any more.`);
}

function report(isDone: boolean, text: string): void {
  if (isDone) console.log(text);
  else refuse(OPERATOR_FAULTS.not_found);
}

function refuse(reason: string): void {
  console.error(reason);
  process.exitCode = EXIT.wrong;
}
