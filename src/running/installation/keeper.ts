/**
 * The organisations of a running installation: the file and the secrets it names are read again when they
 * change, and on SIGHUP. What cannot be used never takes the place of what could.
 */
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { Settings } from '../config.ts';
import { readSettings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { SettingsError } from '../environment.ts';
import { LIVE_SETTINGS, withSecretsOf } from '../roles/live-settings.ts';
import { looseningsIn } from './layered-guards.ts';
import type { InstallationProblem, ReadOrganisation } from './read-installation.ts';
import {
  InstallationFileError,
  linesOf,
  organisationsOf,
  parseInstallation,
  readInstallation,
  readInstallationText,
} from './read-installation.ts';
import { problemOfSetting } from './setting-keys.ts';

/** How often the files are looked at, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** An organisation of the installation. */
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

/** What a look found. */
export interface InstallationChange {
  /** New ones, and those that are set otherwise than before. */
  readonly start: readonly Organisation[];
  /** Those that are gone, and those that are set otherwise, as they were. */
  readonly stop: readonly Organisation[];
}

/** The installation of a process. */
export interface InstallationKeeper {
  organisations(): readonly Organisation[];
  /** Why the file as it is now cannot be used; null: it can. */
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
  return keptOf(readInstallation(file, env));
}

/** Where a layer of the file tries to loosen what stands above it, as lines with their places. */
export function readLoosenings(file: string, env: Environment): readonly string[] {
  const told = readInstallation(file, env).flatMap((organisation) =>
    looseningsIn(organisation.env).map(({ path, message }) => ({
      ...organisation.positionOf(path),
      message: `${organisation.entry.id}: ${message}`,
    })),
  );
  return linesOf(told);
}

/** Opens the installation. @throws {InstallationFileError} when its file cannot be used */
export function openInstallation(
  file: string,
  { env, log }: { readonly env: Environment; readonly log: Log },
): InstallationKeeper {
  let text = readInstallationText(file);
  let parsed = parseInstallation(file, text, env);
  let kept = keptOf(organisationsOf(parsed, env));
  let problem: string | null = null;
  const read = (): readonly Kept[] => {
    const now = readInstallationText(file);
    if (now !== text) parsed = parseInstallation(file, now, env);
    text = now;
    const organisations = organisationsOf(parsed, env);
    const before = new Map(kept.map((each) => [each.id, each]));
    // Settings are read again only where something has changed.
    return keptOf(organisations, ({ entry, path, env: own }, place) => {
      const known = before.get(entry.id);
      const isSame =
        known !== undefined &&
        known.place === place &&
        isAlike(known, { name: entry.name, path }) &&
        changed(known.env, own).length === 0;
      return isSame ? known : undefined;
    });
  };
  const refresh = (): InstallationChange => {
    try {
      const next = read();
      problem = null;
      const change = compare(kept, next);
      kept = merged(kept, next);
      return change;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const told = messageOf(error);
      if (told !== problem) {
        log.error({ problem: told }, 'the installation file cannot be used; the old one stays');
      }
      problem = told;
      return { start: [], stop: [] };
    }
  };
  return {
    organisations: () => kept,
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

/** @throws {InstallationFileError} naming every setting that cannot be used, where it stands */
function keptOf(
  organisations: readonly ReadOrganisation[],
  find: (organisation: ReadOrganisation, place: number) => Kept | undefined = () => undefined,
): readonly Kept[] {
  const problems: InstallationProblem[] = [];
  const kept = organisations.flatMap((organisation, place): Kept[] => {
    const known = find(organisation, place);
    if (known !== undefined) return [known];
    try {
      return [keep(organisation, place)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...problemsOf(error, organisation));
      return [];
    }
  });
  if (problems.length > 0) throw new InstallationFileError(problems);
  return kept;
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

function problemsOf(error: ConfigError, organisation: ReadOrganisation): InstallationProblem[] {
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
