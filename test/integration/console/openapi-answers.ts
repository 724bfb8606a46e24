/** Holds answers of the JSON API against its OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { apiDocument } from '../../../src/people/console/openapi/document.ts';

interface Described {
  readonly responses: Readonly<Record<string, unknown>>;
}

const document = apiDocument('http://console') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'api');

const templates = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** What the document says of the operations, by method and path. */
export const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/** Why an answer is none of those in the document, or undefined. */
export async function faultOf(
  method: string,
  path: string,
  answer: Response,
): Promise<string | undefined> {
  const [asked = ''] = path.split('?');
  const found = templates.find(({ pattern }) => pattern.test(asked))?.path;
  if (found === undefined || answer.status >= 500) return undefined;
  const operation = document.paths[found]?.[method.toLowerCase()];
  const name = `${method} ${found} ${answer.status}`;
  // Which operations there are is compared with the routes.
  if (operation === undefined) return undefined;
  if (operation.responses[answer.status] === undefined) return `${name} is not in the document`;
  const place = ['paths', found, method.toLowerCase(), 'responses', String(answer.status)];
  const pointer = [...place, 'content', 'application/json', 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const check = ajv.getSchema(`api#/${pointer}`);
  if (check === undefined) return `${name} has no schema`;
  if (check(await answer.clone().json()) === true) return undefined;
  return `${name}: ${ajv.errorsText(check.errors)}`;
}
