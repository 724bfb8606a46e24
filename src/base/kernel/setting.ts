/**
 * A setting of a capability, described once: the environment, `installation.yaml`, the options of `createForestall`, the
 * reference and the check of the settings are all made of the description.
 *
 * A setting has one variable, or several that are opened together: a folder and a region, for example.
 */
import { z } from 'zod';
import { secretsText } from './secret-rule.ts';

interface VariableWords {
  /** In the environment; `NAME_FILE` is taken too. */
  readonly name: `FORESTALL_${string}`;
  /** What it says, for the reference. */
  readonly says: string;
  /** What the reference shows where nothing is given. */
  readonly byDefault: string;
  /** It belongs to one organisation and is never that of several: no default of `installation.yaml`. @default false */
  readonly isOwn?: boolean;
  /** A merchant with a processor of its own may say it too, of itself alone. @default false */
  readonly isOfMerchant?: boolean;
}

export interface Variable extends VariableWords {
  /** In `installation.yaml`; a dot goes one level down, as in `monitoring.region`. */
  readonly key: string;
  /** Of `createForestall`: the key in camel case. Undefined: an embedding program gives it as something else. */
  readonly option: string | undefined;
  /** A path in `installation.yaml` begins at the folder of that file; secrets are named there, never written. */
  readonly kind: 'path' | 'text' | 'secrets';
  readonly type: z.ZodType<string>;
}

export interface Setting<Value = unknown> {
  readonly variables: readonly Variable[];
  /** @throws {ConfigError} naming the variable, when what it names cannot be used */
  readonly open: (given: Given) => Value;
  /** What does not fit together, in words that name the variables. @default everything does */
  readonly faults?: (given: Given) => readonly string[];
}

/** What is given, by the name of the variable. */
export type Given = Readonly<Record<string, string | undefined>>;

interface VariableOptions extends VariableWords {
  /** @default the name without its first word, in lower case */
  readonly key?: string;
  /** @default any text that is not empty */
  readonly type?: z.ZodType<string>;
  /** An embedding program gives it as something else. @default false */
  readonly isNoOption?: boolean;
}

/** A variable that names a file or a folder. */
export function pathVariable(described: VariableOptions): Variable {
  return variable('path', described);
}

export function textVariable(described: VariableOptions): Variable {
  return variable('text', described);
}

/** A variable that holds signing secrets with commas between them, newest first. */
export function secretsVariable(described: Omit<VariableOptions, 'type'>): Variable {
  return variable('secrets', { ...described, type: secretsText });
}

function variable(
  kind: Variable['kind'],
  { key, type = z.string().min(1), isNoOption = false, ...words }: VariableOptions,
): Variable {
  const place = key ?? words.name.replace(/^FORESTALL_/, '').toLowerCase();
  const named = place.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  const option = isNoOption ? undefined : named;
  return { ...words, key: place, option, kind, type };
}

/** A setting whose value is the path of a file, which `open` reads. */
export function settingOfFile<Value>({
  open,
  ...described
}: VariableOptions & { readonly open: (given: string | undefined) => Value }): Setting<Value> {
  return {
    variables: [pathVariable(described)],
    open: (given) => open(given[described.name]),
  };
}

/** A setting of several variables, which `open` is given by these names. */
export function settingOfParts<const Part extends string, Value>(
  parts: Readonly<Record<Part, Variable>>,
  open: (given: { readonly [Name in Part]?: string | undefined }) => Value,
  faults: Setting['faults'] = () => [],
): Setting<Value> {
  return {
    variables: Object.values<Variable>(parts),
    faults,
    open: (given): Value => {
      const found: { [Name in Part]?: string | undefined } = {};
      for (const part in parts) found[part] = given[parts[part].name];
      return open(found);
    },
  };
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
      if (!opened.has(setting)) opened.set(setting, setting.open(given));
      return opened.get(setting);
    },
  };
}

/** Opens each, so that what cannot be used is said at the start. @throws {ConfigError} naming the first that cannot */
export function tryAll(settings: readonly Setting[], opened: OpenSettings): void {
  for (const setting of settings) opened.of(setting);
}

/** What does not fit together among the variables of each. */
export function faultsAmong(settings: readonly Setting[], given: Given): string[] {
  return settings.flatMap(({ faults }) => faults?.(given) ?? []);
}

/** A shape of nested objects, out of what is at each place: `monitoring.region` is `region` of `monitoring`. */
export function shapeOfPlaces(
  places: readonly (readonly [place: string, type: z.ZodType])[],
): Record<string, z.ZodType> {
  const byHead = Map.groupBy(places, ([place]) => place.split('.', 1)[0] ?? '');
  return Object.fromEntries(
    [...byHead].map(([head, own]) => {
      const [first] = own;
      if (first?.[0] === head) return [head, first[1].optional()];
      const inner = own.map(([place, type]) => [place.slice(head.length + 1), type] as const);
      return [head, z.strictObject(shapeOfPlaces(inner)).optional()];
    }),
  );
}

/** What is at a place of nested objects; undefined: nothing does. */
export function valueAtPlace(value: unknown, place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
      value,
    );
}
