/**
 * `forestall operators`: who may use the console, as what, and of several organisations for which.
 *
 * Needs the database only, so that somebody can be let in, or locked out, while everything else is down.
 */
import type { Command } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readCommandSettings } from '../../running/config.ts';
import type { NewToken, TokenWish } from '../../surface/access/operator.store.ts';
import {
  addOperator,
  listOperators,
  OPERATOR_FAULTS,
  readTokenEnd,
  removeOperator,
  renewToken,
  setRole,
  TOKEN_DAYS,
  TOKEN_END_FAULT,
} from '../../surface/access/operator.store.ts';
import { listRights } from '../../surface/access/right.store.ts';
import type { Role, Verb } from '../../surface/access/role.ts';
import { isVerb, ROLE_WORDS, ROLES, VERBS } from '../../surface/access/role.ts';
import { trustConsole } from '../../surface/access/trust.store.ts';
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
    .description('adds a person or a program, and prints the link that shows its token, once')
    .option('--role <role>', ROLES.map((role) => `${role}: ${ROLE_WORDS[role]}`).join('; '))
    .option('--may <verb...>', `a program, which may: ${VERBS.join(', ')}`)
    .option('--email <address>', 'the address that the identity provider knows')
    .option('--no-token', 'signs in at the identity provider only')
    .option('--expires <day>', ENDS_HELP)
    .option('--show-token', SHOW_HELP)
    .option('--organisation <name...>', WHERE_HELP)
    .option('--all', 'where there are several: for all of them')
    .action(
      async (name: string, options: AddOptions) =>
        await run((people) => add(people, name, options)),
    );
  operators
    .command('list')
    .description('every operator')
    .option('--json', 'print JSON')
    .action(
      async ({ json }: { json?: boolean }) => await run((people) => printOperators(people, json)),
    );
  operators
    .command('role <name> <role>')
    .description('gives an operator another role and ends their sessions')
    .action(
      async (name: string, role: string) => await run((people) => change(people, name, role)),
    );
  registerRights(operators, run);
  operators
    .command('token <name>')
    .description('ends the token, and prints the link that shows a new one, once')
    .option('--expires <day>', ENDS_HELP)
    .option('--show-token', SHOW_HELP)
    .action(
      async (name: string, options: TokenOptions) =>
        await run((people) => renew(people, name, options)),
    );
  operators
    .command('trust')
    .description(
      'says what a console with a database user of its own is believed when rights change',
    )
    .option('--console-token', 'the token of FORESTALL_CONSOLE_TOKEN, as set here')
    .option(
      '--provider <yes|no>',
      'the word of the identity provider, which the process alone sees',
    )
    .action(async (options: TrustOptions) => await run((people) => trust(people, options)));
  operators
    .command('remove <name>')
    .description('removes an operator with token and sessions')
    .action(async (name: string) => await run((people) => remove(people, name)));
}

const ENDS_HELP = `last day of the token, as 2027-03-31; at most ${TOKEN_DAYS} days from now, which is the default`;
const SHOW_HELP =
  'prints the token itself in place of a link: for scripts, and for a token of your own';

interface TokenOptions {
  readonly expires?: string;
  readonly showToken?: boolean;
}

/** @throws {ConfigError} for a day that cannot be meant */
function wishOf({ expires, showToken = false }: TokenOptions, now: Date): TokenWish {
  const endsAt = expires === undefined ? undefined : readTokenEnd(expires, now);
  if (expires !== undefined && endsAt === undefined) throw new ConfigError(TOKEN_END_FAULT);
  return { as: showToken ? 'shown' : 'link', endsAt };
}

/** The token, or where its owner opens the link. */
function wordOf({ link, token }: NewToken): string | undefined {
  if (link === undefined) return token;
  const { console: reached, consolePort } = readCommandSettings();
  const base = reached.url ?? `http://127.0.0.1:${consolePort}`;
  return `${base.replace(/\/+$/, '')}/token/${link}`;
}

/** @throws {ConfigError} for a word that is no verb, or a role besides verbs */
function verbsOf({ may, role, email }: AddOptions): readonly Verb[] | undefined {
  if (may === undefined) return undefined;
  if (role !== undefined || email !== undefined) {
    throw new ConfigError('A program has --may, and neither --role nor --email.');
  }
  const unknown = may.find((word) => !isVerb(word));
  if (unknown === undefined) return may.filter(isVerb);
  throw new ConfigError(`A program may not ${unknown}. The rights are ${VERBS.join(', ')}.`);
}

interface AddOptions extends Where, TokenOptions {
  readonly role?: string;
  readonly may?: readonly string[];
  readonly email?: string;
  /** Commander: false after `--no-token`. */
  readonly token: boolean;
}

async function add(people: People, name: string, options: AddOptions): Promise<void> {
  const { email, token: withToken, organisation = [], all = false } = options;
  const may = verbsOf(options);
  const role = may === undefined ? roleOf(options.role ?? '') : 'viewer';
  if (!withToken && email === undefined) {
    throw new ConfigError('Without a token an operator needs --email.');
  }
  const ids = idsOf(people, organisation);
  const isMany = people.organisations.length > 0;
  if (isMany && all === ids.length > 0) {
    throw new ConfigError('Say for which organisations: --organisation <name>, or --all.');
  }
  const home = may === undefined ? people.home : homeOfProgram(people, ids);
  const forAll = isMany && !all && may === undefined ? null : role;
  const change = { ...changeOf(people, name), organisationId: home };
  const token = withToken ? wishOf(options, change.now) : undefined;
  const entry = { ...change, role: forAll, may, email, token };
  const added = await addOperator(people.db, entry);
  if (!added.ok) return refuse(OPERATOR_FAULTS[added.reason]);
  if (ids.length > 0 && may === undefined) await grantAll(people, name, { role, ids });
  console.log(wordOf(added) ?? `${name} may sign in at the identity provider.`);
}

/** A program is entered where it acts. */
function homeOfProgram({ home }: People, ids: readonly string[]): string {
  if (ids.length <= 1) return ids[0] ?? home;
  throw new ConfigError('A program acts for one organisation, or with --all for all of them.');
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

async function renew(people: People, name: string, options: TokenOptions): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  const change = changeOf(place.people, name);
  const made = await renewToken(people.db, { ...change, token: wishOf(options, change.now) });
  report(made !== undefined, made === undefined ? '' : (wordOf(made) ?? ''));
}

interface TrustOptions {
  readonly consoleToken?: boolean;
  readonly provider?: string;
}

async function trust({ db, home }: People, options: TrustOptions): Promise<void> {
  const { consoleToken: isToken = false, provider } = options;
  if (!isToken && provider === undefined) {
    throw new ConfigError('Say what is believed: --console-token, or --provider yes or no.');
  }
  if (provider !== undefined && provider !== 'yes' && provider !== 'no') {
    throw new ConfigError('--provider is yes or no.');
  }
  const consoleToken = isToken ? readCommandSettings().consoleToken : undefined;
  if (isToken && consoleToken === undefined) {
    throw new ConfigError('FORESTALL_CONSOLE_TOKEN, or FORESTALL_CONSOLE_TOKEN_FILE, is missing.');
  }
  const word = provider === undefined ? undefined : provider === 'yes';
  await trustConsole(db, home, { consoleToken, provider: word });
  if (isToken) console.log('Whoever signs in with the console token may change rights.');
  if (word === true) console.log('So may administrators who sign in at the identity provider.');
  if (word === false) console.log('Administrators change rights after they gave their own token.');
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
  /** Of a program: what it may do. */
  readonly may: readonly Verb[] | null;
  readonly has_token: boolean;
  readonly token_ends_at: string | null;
  /** To the minute. */
  readonly token_used_at: string | null;
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
  const rowsOf = async (owner: string): Promise<OperatorLine[]> =>
    (await listOperators(db, owner)).map((row) => ({
      name: row.name,
      role: row.role,
      may: row.may,
      has_token: row.token_hash !== null,
      token_ends_at: row.token_ends_at?.toISOString() ?? null,
      token_used_at: row.token_used_at?.toISOString() ?? null,
      email: row.email,
      created_at: row.created_at.toISOString(),
      created_by: row.created_by,
      ...(organisations.length === 0
        ? {}
        : {
            entered_for: paths.get(owner) ?? null,
            rights: Object.fromEntries(
              rights
                .filter((right) => right.home === owner && right.operatorId === row.id)
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
  const { token_ends_at: endsAt, token_used_at: usedAt } = row;
  const used = usedAt === null ? 'not used yet' : `used ${usedAt.slice(0, 10)}`;
  const token = `token to ${endsAt?.slice(0, 10)}, ${used}`;
  const ways = [hasToken ? token : null, email].filter((way) => way !== null).join(', ');
  const given = Object.entries(rights).map(([path, own]) => `${path}: ${own}`);
  const may = [
    ...(row.may ?? []),
    ...(role === null || row.may !== null ? [] : [enteredFor === null ? `${role} of all` : role]),
    ...(enteredFor == null ? [] : [`of ${enteredFor}`]),
    ...given,
  ].join(' ');
  return `${name.padEnd(24)} ${may.padEnd(14)} ${ways}`;
}
