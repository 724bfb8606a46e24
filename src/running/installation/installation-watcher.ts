/**
 * The organisations of a running installation: the file and the secrets it names are read again when they
 * change, and on SIGHUP. What cannot be used never takes the place of what could.
 */

import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { FileProblem } from '../../base/kernel/yaml-text.ts';
import { problemLines } from '../../base/kernel/yaml-text.ts';
import type { Settings } from '../config.ts';
import { readSettings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { SettingsError } from '../environment.ts';
import { LIVE_SETTINGS, withSecretsOf } from '../live-settings.ts';
import { looseningsIn } from './layered-guards.ts';
import type { EachOrganisation, ReadOrganisation } from './read-installation.ts';
import {
  eachOrganisationOf,
  InstallationFileError,
  parseInstallation,
  readInstallation,
  readInstallationText,
} from './read-installation.ts';
import { problemOfSetting } from './setting-keys.ts';

/** How often the files are looked at, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** The name in the path of its webhooks. */
  readonly path: string;
  /** Its place in the file. */
  readonly place: number;
  /** Its settings; their secrets may be exchanged meanwhile. */
  current(): Settings;
}

export interface InstallationChange {
  /** New ones, and those that are set otherwise than before. */
  readonly start: readonly Organisation[];
  /** Those that are gone, and those that are set otherwise, as they were. */
  readonly stop: readonly Organisation[];
}

export interface InstallationWatcher {
  /** Those that can be used. */
  organisations(): readonly Organisation[];
  /** Whether an organisation of that name is in the file, used or not: its path, or its id. */
  isListed(name: string): boolean;
  /** Why the file as it is now, or some of its organisations, cannot be used; null: they can. */
  problem(): string | null;
  /** Looks at the files once. Never throws: what is wrong is logged. */
  refresh(): InstallationChange;
  /** Looks at the files now and then, and on SIGHUP. Returns what ends it. */
  follow(onChange: (change: InstallationChange) => void): () => void;
}

interface Kept extends Organisation {
  readonly env: Environment;
  exchange(next: Kept): void;
}

/** Reads every organisation of a file. @throws {InstallationFileError} naming everything that is wrong */
export function readOrganisations(file: string, env: Environment): readonly Organisation[] {
  const each = readInstallation(file, env).map((one) => ({ ...one, problems: [] }));
  const { kept, problems } = lookAt(each, new Map());
  if (problems.length > 0) throw new InstallationFileError(problems);
  return kept;
}

/** Where a layer of the file tries to loosen what is above it, as lines with their places. */
export function readLoosenings(file: string, env: Environment): readonly string[] {
  const loosenings = readInstallation(file, env).flatMap((organisation) =>
    looseningsIn(organisation.env).map(({ path, message }) => ({
      ...organisation.positionOf(path),
      message: `${organisation.entry.id}: ${message}`,
    })),
  );
  return problemLines(loosenings);
}

/**
 * Opens the installation. An organisation that cannot be used is left out until it can.
 *
 * @throws {InstallationFileError} when its file cannot be used, or none of its organisations
 */
export function openInstallation(
  file: string,
  { env, log }: { readonly env: Environment; readonly log: Log },
): InstallationWatcher {
  let text = readInstallationText(file);
  let parsed = parseInstallation(file, text, env);
  /** The text in force: of a new one that has a mistake nothing is taken. */
  let accepted = text;
  let problem: string | null = null;
  const note = (problems: readonly FileProblem[]): void => {
    tell(problems.length === 0 ? null : new InstallationFileError(problems));
  };
  const tell = (error: ConfigError | null): void => {
    const message = error === null ? null : messageOf(error);
    if (message !== null && message !== problem) {
      log.error(
        { problem: message },
        'the installation file cannot be used as it is; what was stays',
      );
    }
    problem = message;
  };
  let names: ReadonlySet<string> = new Set();
  const take = (organisations: readonly EachOrganisation[], looked: Looked): readonly Kept[] => {
    names = new Set(organisations.flatMap(({ entry, path }) => [entry.id, path]));
    accepted = text;
    note(looked.problems);
    return looked.kept;
  };
  const all = eachOrganisationOf(parsed, env);
  const first = lookAt(all, new Map());
  if (first.kept.length === 0 && all.length > 0) throw new InstallationFileError(first.problems);
  let kept = take(all, first);
  const read = (): readonly Kept[] => {
    const now = readInstallationText(file, text);
    if (now !== text) parsed = parseInstallation(file, now, env);
    text = now;
    const organisations = eachOrganisationOf(parsed, env);
    const looked = lookAt(organisations, new Map(kept.map((each) => [each.id, each])));
    if (looked.problems.length > 0 && text !== accepted) {
      throw new InstallationFileError(looked.problems);
    }
    return take(organisations, looked);
  };
  const refresh = (): InstallationChange => {
    try {
      const next = read();
      const change = compare(kept, next);
      kept = merged(kept, next);
      return change;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      tell(error);
      return { start: [], stop: [] };
    }
  };
  return {
    organisations: () => kept,
    isListed: (name) => names.has(name),
    problem: () => problem,
    refresh,
    follow(onChange): () => void {
      const look = (): void => {
        const change = refresh();
        if (change.start.length + change.stop.length > 0) onChange(change);
      };
      const timer = setInterval(look, LOOK_EVERY_MS).unref();
      process.on('SIGHUP', look);
      return () => {
        clearInterval(timer);
        process.off('SIGHUP', look);
      };
    },
  };
}

interface Looked {
  readonly kept: readonly Kept[];
  /** What cannot be used, where it is written. */
  readonly problems: readonly FileProblem[];
}

/**
 * Reads the settings of each again where something has changed. One that cannot be used stays as it was before, or is
 * left out: its policy, key or secret is no reason to stop the others, nor to keep theirs from being exchanged.
 */
function lookAt(
  organisations: readonly EachOrganisation[],
  before: ReadonlyMap<string, Kept>,
): Looked {
  const problems: FileProblem[] = [];
  const kept = organisations.flatMap((organisation, place): Kept[] => {
    const known = before.get(organisation.entry.id);
    const old = known === undefined ? [] : [known];
    if (organisation.problems.length > 0) {
      problems.push(...organisation.problems);
      return old;
    }
    if (known !== undefined && isSame(known, organisation, place)) return old;
    try {
      return [keep(organisation, place)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...problemsOf(error, organisation));
      return old;
    }
  });
  return { kept, problems };
}

function isSame(known: Kept, { entry, path, env }: ReadOrganisation, place: number): boolean {
  return (
    known.place === place &&
    isAlike(known, { name: entry.name, path }) &&
    changed(known.env, env).length === 0
  );
}

function keep({ entry, path, env }: ReadOrganisation, place: number): Kept {
  let settings = readSettings(env);
  return {
    id: entry.id,
    name: entry.name,
    path,
    place,
    env,
    current: () => settings,
    exchange(next): void {
      settings = withSecretsOf(settings, next.current());
    },
  };
}

function problemsOf(error: ConfigError, organisation: ReadOrganisation): FileProblem[] {
  const faults = error instanceof SettingsError ? error.faults : [error.message];
  return faults.map((fault) => {
    const { path, message } = problemOfSetting(fault);
    return { ...organisation.positionOf(path), message: `${organisation.entry.id}: ${message}` };
  });
}

/** What has to start and to stop. Where only secrets were exchanged, nothing has. */
function compare(before: readonly Kept[], next: readonly Kept[]): InstallationChange {
  const known = new Map(before.map((each) => [each.id, each]));
  const stays = new Set(
    next.filter((each) => isExchange(known.get(each.id), each)).map(({ id }) => id),
  );
  return {
    start: next.filter(({ id }) => !stays.has(id)),
    stop: before.filter(({ id }) => !stays.has(id)),
  };
}

/** The list from now on: those that stay are the same objects, with the secrets of now. */
function merged(before: readonly Kept[], next: readonly Kept[]): readonly Kept[] {
  const known = new Map(before.map((each) => [each.id, each]));
  return next.map((each) => {
    const old = known.get(each.id);
    if (old === undefined || old === each || !isExchange(old, each)) return each;
    old.exchange(each);
    return { ...each, current: old.current, exchange: old.exchange };
  });
}

function isExchange(old: Kept | undefined, next: Kept): boolean {
  if (old === undefined || !isAlike(old, next)) return false;
  return changed(old.env, next.env).every((name) => LIVE_SETTINGS.has(name));
}

function isAlike(
  one: Pick<Organisation, 'name' | 'path'>,
  other: Pick<Organisation, 'name' | 'path'>,
): boolean {
  return one.name === other.name && one.path === other.path;
}

function changed(before: Environment, next: Environment): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(next)])].filter(
    (name) => before[name] !== next[name],
  );
}
