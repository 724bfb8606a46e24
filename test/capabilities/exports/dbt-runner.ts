/** Runs the models and the schema tests of the dbt project on DuckDB, as far as the project goes: `source` and `ref`. */
import { readdirSync, readFileSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parse } from 'yaml';
import { z } from 'zod';

const MODELS = new URL('../../../templates/dbt/models/', import.meta.url);

const sourcesFile = z.object({
  sources: z
    .array(
      z.object({
        name: z.string(),
        config: z.object({ meta: z.object({ external_location: z.string() }) }),
        tables: z.array(z.object({ name: z.string() })),
      }),
    )
    .length(1),
});

const accepted = z.strictObject({
  accepted_values: z.strictObject({ arguments: z.strictObject({ values: z.array(z.string()) }) }),
});
const schemaFile = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      columns: z.array(
        z.object({
          name: z.string(),
          data_tests: z.array(z.union([z.enum(['not_null', 'unique']), accepted])),
        }),
      ),
    }),
  ),
});

const read = (file: string): string => readFileSync(new URL(file, MODELS), 'utf8');

export async function rowsOf(
  duck: DuckDBConnection,
  query: string,
): Promise<Record<string, unknown>[]> {
  return (await duck.runAndReadAll(query)).getRowObjectsJson();
}

/** Builds every model. Returns their names. */
export async function buildModels(duck: DuckDBConnection, folder: string): Promise<string[]> {
  const [source] = sourcesFile.parse(parse(read('sources.yml'))).sources;
  if (source === undefined) throw new Error('no source');
  const known = new Set(source.tables.map(({ name }) => name));
  const at = (table: string): string => {
    if (!known.has(table)) throw new Error(`${table} is no table of the source`);
    return source.config.meta.external_location
      .replace(/\{\{ env_var\('FORESTALL_EXPORT_FOLDER'\) \}\}/, folder)
      .replace('{name}', table);
  };
  const files = readdirSync(MODELS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql'),
  );
  const texts = new Map(
    files.map((file) => [file.replace(/^.*\/|\.sql$/g, ''), read(file)] as const),
  );
  const built = new Set<string>();
  const build = async (name: string): Promise<void> => {
    if (built.has(name)) return;
    const text = texts.get(name);
    if (text === undefined) throw new Error(`There is no model ${name}.`);
    for (const [, needed = ''] of text.matchAll(/\{\{ ref\('(\w+)'\) \}\}/g)) await build(needed);
    const query = text
      .replaceAll(/\{\{ ref\('(\w+)'\) \}\}/g, '"$1"')
      .replaceAll(/\{\{ source\('forestall', '(\w+)'\) \}\}/g, (_, table: string) => at(table));
    await duck.run(`create or replace view "${name}" as ${query}`);
    built.add(name);
  };
  for (const name of texts.keys()) await build(name);
  return [...built].sort();
}

type DataTest = z.infer<
  typeof schemaFile
>['models'][number]['columns'][number]['data_tests'][number];

/** The condition of rows for which a test does not hold. */
function wrongRows(column: string, test: DataTest): string {
  if (test === 'not_null') return `"${column}" is null`;
  if (test === 'unique') return `"${column}" is not null group by "${column}" having count(*) > 1`;
  const values = test.accepted_values.arguments.values.map((value) => `'${value}'`);
  return `"${column}" not in (${values.join(', ')})`;
}

/** Runs every test of the schema. Returns how many there are, and what does not hold. */
export async function testModels(
  duck: DuckDBConnection,
): Promise<{ readonly tests: number; readonly failures: readonly string[] }> {
  const asked = schemaFile
    .parse(parse(read('schema.yml')))
    .models.flatMap(({ name: model, columns }) =>
      columns.flatMap(({ name: column, data_tests: tests }) =>
        tests.map((test) => ({ model, column, test })),
      ),
    );
  const failures: string[] = [];
  for (const { model, column, test } of asked) {
    const wrong = `select 1 from "${model}" where ${wrongRows(column, test)}`;
    if ((await rowsOf(duck, wrong)).length > 0) failures.push(`${model}.${column}`);
  }
  return { tests: asked.length, failures };
}
