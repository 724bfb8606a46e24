/**
 * Generates types and a client from an OpenAPI document, each with another kept generator:
 * `node --import ./typescript-5.ts generate-clients.ts <document> <folder>`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv } from 'node:process';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';

const [, , file = '', folder = ''] = argv;
const document = JSON.parse(await readFile(file, 'utf8'));
await writeFile(join(folder, 'types.ts'), astToString(await openapiTS(document)));
await createClient({
  input: file,
  output: join(folder, 'client'),
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent' },
});
