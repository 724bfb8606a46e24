/** The words of a file that people write, from the schema that reads it: where each stands, and what it takes. */
import { z } from 'zod';

/** One word. */
export interface SchemaWord {
  /** Its place: `caps.charge.count`; `[]` after what is a list. */
  readonly word: string;
  readonly takes: string;
  readonly needed: boolean;
}

interface Json {
  readonly type?: string;
  readonly title?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly additionalProperties?: Json | boolean;
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Json>>;
}

/** Every word, in the order of the schema. */
export function wordsOf(schema: z.ZodType): SchemaWord[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  return [...walk(json as Json, '')];
}

function* walk(json: Json, at: string): Generator<SchemaWord> {
  if (json.type === 'array' && json.items !== undefined) yield* walk(json.items, `${at}[]`);
  for (const [name, inner] of Object.entries(json.properties ?? {})) {
    const word = at === '' ? name : `${at}.${name}`;
    const needed = json.required?.includes(name) === true;
    const choices = choicesOf(inner);
    const said = choices.map(takesOf).filter((text) => text !== '');
    const nested = choices.filter((choice) => hasWords(choice));
    if (said.length > 0 && nested.length < choices.length)
      yield { word, takes: [...new Set(said)].join('; '), needed };
    for (const choice of nested) yield* walk(choice, word);
  }
}

/** What it may be; null is another way to leave a word out. */
function choicesOf(json: Json): readonly Json[] {
  const choices = json.anyOf ?? json.oneOf ?? [json];
  return choices.filter(({ type }) => type !== 'null');
}

function hasWords({ properties, items }: Json): boolean {
  return properties !== undefined || (items !== undefined && hasWords(items));
}

/** Empty for what has words of its own. */
function takesOf(json: Json): string {
  if (hasWords(json)) return '';
  if (json.const !== undefined) return `\`${String(json.const)}\``;
  if (json.enum !== undefined) return json.enum.map((each) => `\`${String(each)}\``).join(', ');
  if (json.title !== undefined) return json.title;
  if (json.type === 'array') return `list of: ${takesOf(json.items ?? {})}`;
  if (json.type === 'object') return mapOf(json);
  if (json.type === 'string') return textOf(json);
  if (json.type === 'integer') return `whole number${boundsOf(json)}`;
  if (json.type === 'number') return `number${boundsOf(json)}`;
  if (json.type === 'boolean') return 'yes or no';
  if (json.anyOf === undefined && json.oneOf === undefined) return 'anything';
  return choicesOf(json).map(takesOf).join('; ');
}

function mapOf({ additionalProperties: each }: Json): string {
  if (typeof each !== 'object') return 'anything';
  return `by name: ${hasWords(each) ? 'the same words' : takesOf(each)}`;
}

function textOf({ pattern, format }: Json): string {
  if (pattern === '^[A-Z]{3}$') return 'currency, like USD';
  return format === undefined ? 'text' : format;
}

function boundsOf({ minimum, maximum, exclusiveMinimum }: Json): string {
  // What a safe integer can hold is no bound that anybody set.
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return '';
  return most === undefined ? `, at least ${minimum}` : `, ${minimum} to ${most}`;
}
