/**
 * A setting of a capability, described once: the environment, `installation.yaml`, the options of `createForestall`, the
 * reference and the check of the settings are all made of the description.
 */
import { z } from 'zod';

/** A setting whose value is the path of a file, which `open` reads. */
export interface Setting<Value = unknown> {
  /** In the environment; `NAME_FILE` is taken too. */
  readonly name: `FORESTALL_${string}`;
  /** In `installation.yaml`: the name without its first word, in lower case. */
  readonly key: string;
  /** Of `createForestall`: the key in camel case. */
  readonly option: string;
  /** What it says, for the reference. */
  readonly says: string;
  /** What the reference shows where nothing is given. */
  readonly byDefault: string;
  readonly type: z.ZodType<string>;
  /** @throws {ConfigError} naming the setting, when what it names cannot be used */
  readonly open: (given: string | undefined) => Value;
}

/** What is given, by the name of the setting. */
export type Given = Readonly<Record<string, string | undefined>>;

export function settingOfFile<Value>({
  name,
  ...described
}: Pick<Setting<Value>, 'name' | 'says' | 'byDefault' | 'open'>): Setting<Value> {
  const key = name.replace(/^FORESTALL_/, '').toLowerCase();
  const option = key.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  return { ...described, name, key, option, type: z.string().min(1) };
}

/** The settings of one organisation, each opened when it is first asked for. */
export interface OpenSettings {
  of<Value>(setting: Setting<Value>): Value;
}

export function openSettings(given: Given): OpenSettings {
  // What a setting opens is kept under the setting itself: it has the type that the setting says.
  // biome-ignore lint/suspicious/noExplicitAny: no type of a map says so
  const opened = new Map<Setting, any>();
  return {
    of<Value>(setting: Setting<Value>): Value {
      if (!opened.has(setting)) opened.set(setting, setting.open(given[setting.name]));
      return opened.get(setting);
    },
  };
}

/** Opens each, so that what cannot be used is said at the start. @throws {ConfigError} naming the first that cannot */
export function tryAll(settings: readonly Setting[], opened: OpenSettings): void {
  for (const setting of settings) opened.of(setting);
}
