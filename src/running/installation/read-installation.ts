/**
 * Reads `installation.yaml` and everything it names. Every problem is reported with line, column and the word
 * that was probably meant.
 */
import { readFileSync } from 'node:fs';
import { CARD_IN_SETTINGS, lineOfSettingsWithCard } from '../../base/kernel/card-number.ts';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';
import { issueWords } from '../../base/kernel/issue-words.ts';
import type { FilePosition, FileProblem } from '../../base/kernel/yaml-text.ts';
import {
  inOrder,
  parseYamlText,
  problemLines,
  valueProblems,
} from '../../base/kernel/yaml-text.ts';
import type { Environment } from '../environment.ts';
import type { InstallationFile, OrganisationEntry } from './installation-file.ts';
import { installationSchema, pathOf } from './installation-file.ts';
import type { OrganisationEnvironment } from './organisation-environment.ts';
import { organisationEnvironment } from './organisation-environment.ts';
import type { KeyProblem } from './setting-keys.ts';

/** The file cannot be used. Lists everything that is wrong with it. */
export class InstallationFileError extends ConfigError {
  readonly problems: readonly FileProblem[];
  constructor(problems: readonly FileProblem[], options?: ErrorOptions) {
    super(problemLines(problems).join('\n'), options);
    this.problems = inOrder(problems);
  }
}

export interface ReadOrganisation {
  readonly entry: OrganisationEntry;
  readonly path: string;
  /** The settings that it means. */
  readonly env: Environment;
  /** Where a key of it is. */
  positionOf(path: readonly string[]): FilePosition;
}

/** Reads the text of the file; what is the same as before was looked through then. @throws {InstallationFileError} */
export function readInstallationText(file: string, before?: string): string {
  const text = readWhole(file);
  if (text === before) return before;
  const line = lineOfSettingsWithCard(text);
  if (line === undefined) return text;
  throw new InstallationFileError([{ file, line, column: 1, message: CARD_IN_SETTINGS }]);
}

function readWhole(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message =
      codeOf(error) === 'ENOENT'
        ? 'there is no such file. "forestall organisations add" makes it.'
        : `it cannot be read (${codeOf(error) ?? 'unknown reason'}). Check the path.`;
    throw new InstallationFileError([{ file, line: 1, column: 1, message }], { cause: error });
  }
}

/** A text whose form is right. */
interface ParsedInstallation {
  readonly file: string;
  readonly data: InstallationFile;
  positionOf(path: readonly (string | number)[]): FilePosition;
}

/** Reads the organisations of a file. @throws {InstallationFileError} naming everything that is wrong */
export function readInstallation(file: string, env: Environment): readonly ReadOrganisation[] {
  return organisationsOf(parseInstallation(file, readInstallationText(file), env), env);
}

/** Parses a text. @throws {InstallationFileError} naming everything that is wrong with its form */
export function parseInstallation(
  file: string,
  text: string,
  env: Environment,
): ParsedInstallation {
  const yaml = parseYamlText(file, text, { variables: env, used: new Map() });
  if (yaml.problems.length > 0) throw new InstallationFileError(yaml.problems);
  const parsed = installationSchema.safeParse(yaml.value, { error: issueWords });
  if (!parsed.success) {
    const problems = valueProblems(yaml, parsed.error.issues, installationSchema);
    throw new InstallationFileError(problems);
  }
  return { file, data: parsed.data, positionOf: yaml.positionOf };
}

/** An organisation of the file, and what is wrong with it alone. */
export interface EachOrganisation extends ReadOrganisation {
  readonly problems: readonly FileProblem[];
}

/**
 * Reads what its organisations name: again whenever a secret may have been exchanged. What cannot be read of one is told
 * with it, and is no reason not to use the others.
 *
 * @throws {InstallationFileError} naming everything that is there twice, and then what cannot be read too
 */
export function eachOrganisationOf(
  { file, data, positionOf: placeIn }: ParsedInstallation,
  env: Environment,
): readonly EachOrganisation[] {
  const { defaults, installation, organisations } = data;
  const positionOf = (place: number, path: readonly string[]): FilePosition => {
    const inner = path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    return placeIn(['organisations', place, ...inner]);
  };
  const located = ({ place, path, message }: Fault): FileProblem => ({
    ...positionOf(place, path),
    message,
  });
  const read = organisations.map((entry) =>
    organisationEnvironment(entry, { file, defaults, installation, env }),
  );
  const twice = [...repeated(data, read), ...repeatedMerchants(data)];
  if (twice.length > 0) {
    throw new InstallationFileError([...problemsOf(read), ...twice].map(located));
  }
  return organisations.map((entry, place) => ({
    entry,
    path: pathOf(entry),
    env: read[place]?.env ?? {},
    positionOf: (path) => positionOf(place, path),
    problems: (read[place]?.problems ?? []).map((problem) => located({ ...problem, place })),
  }));
}

/** The same. @throws {InstallationFileError} also where something cannot be read */
export function organisationsOf(
  parsed: ParsedInstallation,
  env: Environment,
): readonly ReadOrganisation[] {
  const each = eachOrganisationOf(parsed, env);
  const problems = each.flatMap((organisation) => organisation.problems);
  if (problems.length > 0) throw new InstallationFileError(problems);
  return each;
}

type Fault = KeyProblem & { readonly place: number };

function problemsOf(read: readonly OrganisationEnvironment[]): Fault[] {
  return read.flatMap(({ problems }, place) => problems.map((problem) => ({ ...problem, place })));
}

/** What may belong to one organisation only: anyone who shares a secret receives what is the other's. */
function repeated(
  { organisations }: InstallationFile,
  read: readonly OrganisationEnvironment[],
): Fault[] {
  const owners = new Map<string, string>();
  const faults: Fault[] = [];
  const claim = (kind: string, text: string, fault: Fault): void => {
    const owner = owners.get(`${kind} ${text}`);
    const { id } = organisations[fault.place] ?? { id: '' };
    if (owner === undefined) owners.set(`${kind} ${text}`, id);
    else faults.push({ ...fault, message: fault.message.replace('%', owner) });
  };
  for (const [place, entry] of organisations.entries()) {
    const env = read[place]?.env ?? {};
    const message = (what: string): string => `${what} is that of % as well. Each needs its own.`;
    claim('id', entry.id, {
      place,
      path: ['id'],
      message: `the id ${entry.id} stands here twice. Remove one of them.`,
    });
    for (const name of new Set([pathOf(entry), entry.id])) {
      claim('path', name, { place, path: ['path'], message: message(`the path ${name}`) });
    }
    for (const key of ['api_key', 'webhook_secrets'] as const) {
      const text = env[key === 'api_key' ? 'FORESTALL_API_KEY' : 'FORESTALL_WEBHOOK_SECRETS'];
      for (const secret of new Set((text ?? '').split(',').filter((each) => each !== ''))) {
        claim('secret', secret, { place, path: [key], message: message(key) });
      }
    }
  }
  return faults;
}

/** A merchant belongs to one organisation. */
function repeatedMerchants({ organisations }: InstallationFile): Fault[] {
  const owners = new Map<string, string>();
  return organisations.flatMap(({ id, merchants = [] }, place) =>
    merchants.flatMap((merchant, index) => {
      const owner = owners.get(merchant.id);
      owners.set(merchant.id, owner ?? id);
      const message = `the merchant ${merchant.id} stands under ${owner} already. Name it once.`;
      return owner === undefined
        ? []
        : [{ place, path: ['merchants', String(index), 'id'], message }];
    }),
  );
}
