/**
 * A command of a capability: its options, and what it finds as data and as text. Opening the database, `--json`, printing,
 * failures and the exit status are the same for all, and are where commands are walked.
 */
import type { Command } from 'commander';
import type { Policy } from '../../alerts/decide/policy.ts';
import type { Db } from '../../base/db/database.ts';
import type { DescribedTable } from '../../base/db/described-table.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { RateTable } from '../../base/kernel/rates.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import type { Variables } from '../../base/kernel/yaml-text.ts';
import type { ServiceClient } from '../../service/client/index.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import type { EventKind } from '../event-kind.ts';
import type { OpenReaders } from '../policy-questions.ts';

/** What a command without a database works on. */
export interface SettingsContext {
  readonly clock: Clock;
  readonly settings: OpenSettings;
  /** Every kind of the stream of events. */
  readonly eventKinds: readonly EventKind[];
}

/** What a command works on: one organisation's rows. */
export interface CommandContext extends SettingsContext {
  readonly db: Db;
  readonly organisationId: string;
  /** The service's real names. */
  readonly brands: BrandTokenMap;
  /**
   * The policy of a file, in YAML or TypeScript. @default of the file that the settings name
   *
   * @throws {ConfigError} when it cannot be read; {PolicyError} when it is wrong
   */
  readonly readPolicy: (path: string | undefined) => Promise<Policy>;
  readonly readers: OpenReaders;
}

/** The rates that amounts are converted by, and where they come from. */
export interface OwnRates {
  readonly table: RateTable | null;
  readonly from: string | null;
}

/** What a command works on that asks the service with the partner key alone. */
export interface PartnerContext extends SettingsContext {
  /** Values that files name as `${NAME}`. */
  readonly variables: Variables;
  /** Of the settings, or of the sandbox that runs in this folder. @throws {ConfigError} when there is no partner key */
  readonly openClient: () => Promise<ServiceClient>;
  /** Of the settings, or of what runs in this folder. @throws {ConfigError} when neither names one */
  readonly ownOrganisation: () => Promise<string>;
  /** Those of a file, or else of the policy. @throws {ConfigError} naming what is wrong with the file */
  readonly rates: (path: string | undefined) => OwnRates;
  /** For what is asked of our rows besides. */
  readonly onRows: <Result>(work: (context: CommandContext) => Promise<Result>) => Promise<Result>;
}

/** What a command works on that is about an organisation as a whole, and opens databases itself. */
export interface InstallationContext {
  /** The organisations of the installation's file. @default none: there is no such file */
  readonly listed: () => readonly ListedOrganisation[];
  /**
   * The address of our database, past a pooler, of the settings or of what runs in this folder.
   *
   * @throws {ConfigError} when neither names one
   */
  readonly findDatabase: () => Promise<string>;
  /** The schema of our tables there. */
  readonly schema: string;
  /** The tables of all capabilities. */
  readonly tables: readonly DescribedTable[];
}

/** As the file of the installation calls it. */
interface ListedOrganisation {
  readonly id: string;
  /** Its name in the path of its webhooks. */
  readonly path: string;
}

/** How a command ends; without either with 0. */
interface Ending {
  /** Something is not as it should be: exit status 1. */
  readonly isWrong?: boolean;
  /** There is something to do, or not done yet: exit status 2. */
  readonly isChanged?: boolean;
}

/** A part of what a command finds bit by bit; the last one that says so decides how it ends. */
export interface Line extends Ending {
  /** For `--json`: one line each. @default nothing is printed then */
  readonly data: unknown;
  /** For people. */
  readonly text: string;
}

/** What a command found. */
export type Found =
  | (Ending & {
      /** For `--json`. */
      readonly data: unknown;
      /** For people. */
      readonly text: string;
      /** What else was done, for a person at the terminal: printed on stderr, so that a pipe does not take it. */
      readonly onStderr?: string;
    })
  /** Printed as they come. */
  | { readonly lines: AsyncIterable<Line> }
  /** A file for other programs, byte for byte. */
  | { readonly file: string };

/** Reads what was given, before anything is opened, and returns what is done then. */
export type RunCommand<Flags, Context = CommandContext> = (
  flags: Flags,
  ...args: string[]
) => (context: Context) => Promise<Found>;

interface Described<Flags, Context> {
  /** Its words and arguments, for example `credits invoice <file>`. */
  readonly usage: string;
  /** What it is for; of a command of one word, the list of commands says it. */
  readonly says?: string;
  readonly options?: (command: Command) => unknown;
  /** What its parent does where no other of its commands is named. @default false */
  readonly isDefault?: boolean;
  /** It prints a file, or says one thing after another to people alone, and takes no `--json`. @default false */
  readonly isFile?: boolean;
  /** What people type. A test holds each to the options that exist. */
  readonly examples: readonly string[];
  readonly run: RunCommand<Flags, Context>;
}

type Perform<Context> = (
  flags: { readonly json?: boolean },
  work: (context: Context) => Promise<Found>,
) => Promise<void>;

/** Carry out what a command is about, once what it works on is open, and print it. */
export interface Performers {
  readonly onDatabase: Perform<CommandContext>;
  readonly onSettings: Perform<SettingsContext>;
  readonly onPartner: Perform<PartnerContext>;
  readonly onInstallation: Perform<InstallationContext>;
}

export interface CapabilityCommand {
  readonly path: string;
  readonly examples: readonly string[];
  register(program: Command, performers: Performers): void;
}

export function describeCommand<Flags extends object>(
  described: Described<Flags, CommandContext>,
): CapabilityCommand {
  return make(described, ({ onDatabase }) => onDatabase);
}

/** A command that needs no database and no installation. */
export function describeSettingsCommand<Flags extends object>(
  described: Described<Flags, SettingsContext>,
): CapabilityCommand {
  return make(described, ({ onSettings }) => onSettings);
}

/** A command about an organisation as a whole, which opens databases itself. */
export function describeInstallationCommand<Flags extends object>(
  described: Described<Flags, InstallationContext>,
): CapabilityCommand {
  return make(described, ({ onInstallation }) => onInstallation);
}

/** A command that asks the service with the partner key; every failure of it ends with 1. */
export function describePartnerCommand<Flags extends object>(
  described: Described<Flags, PartnerContext>,
): CapabilityCommand {
  return make(described, ({ onPartner }) => onPartner);
}

function make<Flags extends object, Context>(
  described: Described<Flags, Context>,
  performOf: (performers: Performers) => Perform<Context>,
): CapabilityCommand {
  const { usage, says, options, isDefault = false, isFile = false, examples, run } = described;
  const words = usage.split(' ');
  const own = words.filter((word) => !/^[<[]/.test(word));
  return {
    path: own.join(' '),
    examples,
    register(program, performers): void {
      const parents = own.slice(0, -1);
      const parent = parents.reduce(
        (above, word) =>
          above.commands.find((each) => each.name() === word) ??
          above.command(word).description(above === program ? '' : (says ?? '')),
        program,
      );
      const command = parent.command(words.slice(parents.length).join(' '), { isDefault });
      if (says !== undefined) command.description(says);
      options?.(command);
      if (!isFile) command.option('--json', 'print JSON');
      command.action(async (...given) => {
        const count = command.registeredArguments.length;
        // What comes before the subcommand, like `--json`, belongs to the command above it.
        const flags: Flags & { readonly json?: boolean } = command.optsWithGlobals();
        await performOf(performers)(flags, run(flags, ...given.slice(0, count)));
      });
    },
  };
}

/** A command of one word of a capability, with what it is for: `--help` shows it, and loads nothing. */
export interface ListedCommands {
  /** The command whose subcommands they are; its own words say what it is for. @default none */
  readonly under?: 'policy' | 'reconcile' | 'organisations';
  readonly commands: Readonly<Record<string, string>>;
  readonly load: () => Promise<readonly CapabilityCommand[]>;
}
