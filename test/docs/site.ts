/**
 * `npm run docs`: the documentation of this version as pages, with a search, in a folder of the version's own
 * below `site/`: the texts of the repository as they are, and the API from its types. Nothing is written for the
 * pages alone. `--out FOLDER` names another folder; versions that are there already stay, and are listed.
 *
 * Runs with `test/contract/support/typescript-5.ts` loaded before: the generator draws with the API that
 * TypeScript had before version 7.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DocumentReflection, TypeDocOptions } from 'typedoc';
import { Application, Converter, LogLevel } from 'typedoc';
import { useCurrentLibraries } from './current-libraries.ts';
import { indexPage, versionsPage } from './version-pages.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'site') } } });
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};

/** Texts by the heading under which the pages list them. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  Guides: pagesIn('templates/guides'),
  Reference: pagesIn('templates/guides/reference'),
  Project: ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'src/README.md'],
};

/** What is imported, by the file that it leads to. */
const ENTRIES: Readonly<Record<string, string>> = {
  'src/index.ts': 'forestall',
  'src/service/client/index.ts': 'forestall/client',
  'src/sandbox/index.ts': 'forestall/sandbox',
  'src/alerts/receive/signature.ts': 'forestall/signature',
  'src/running/testing/index.ts': 'forestall/testing',
  'src/service/adapter/index.ts': 'forestall/adapter',
};

const OPTIONS: TypeDocOptions = {
  name: 'Forestall',
  tsconfig: join(ROOT, 'src/tsconfig.json'),
  // The compiler of the project has looked at the types; this one is another version.
  skipErrorChecking: true,
  entryPoints: Object.keys(ENTRIES).map((file) => join(ROOT, file)),
  readme: join(ROOT, 'README.md'),
  projectDocuments: Object.values(TEXTS).flatMap((files) => files.map((file) => join(ROOT, file))),
  out: join(values.out, `v${version}`),
  includeVersion: true,
  searchInDocuments: true,
  searchInComments: true,
  navigation: { includeGroups: true },
  customCss: join(ROOT, 'test/docs/site.css'),
  navigationLinks: { 'All versions': '../versions.html' },
  groupOrder: [...Object.keys(TEXTS), 'Modules', '*'],
  highlightLanguages: [
    'bash',
    'csv',
    'go',
    'html',
    'json',
    'php',
    'python',
    'ruby',
    'sh',
    'ts',
    'yaml',
  ],
  // The pages stand alone: where the sources lie is the repository's affair.
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  logLevel: LogLevel.Warn,
};

function pagesIn(folder: string): readonly string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.filter((name) => name !== 'README.md').map((name) => `${folder}/${name}`);
}

/** A text is called what its first line says, and stands under its heading. */
function nameDocument(document: DocumentReflection, path: string): void {
  const title = /^# (.+)$/m.exec(document.content[0]?.text ?? '')?.[1];
  document.name = title ?? document.name;
  const group = Object.entries(TEXTS).find(([, files]) => files.includes(path))?.[0];
  if (group !== undefined) document.frontmatter['group'] = group;
}

useCurrentLibraries();
rmSync(join(values.out, `v${version}`), { recursive: true, force: true });
const app = await Application.bootstrap(OPTIONS);
app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document: DocumentReflection) => {
  const path = document.project.files.getReflectionPath(document) ?? '';
  nameDocument(document, path.replace(ROOT, ''));
});
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) {
    const path = project.files.getReflectionPath(module)?.replace(ROOT, '') ?? '';
    module.name = ENTRIES[path] ?? module.name;
  }
});
const project = await app.convert();
if (project === undefined) throw new Error('The types could not be read.');
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
mkdirSync(values.out, { recursive: true });
const versions = readdirSync(values.out).filter((name) => /^v\d+\.\d+\.\d+$/.test(name));
writeFileSync(join(values.out, 'versions.html'), versionsPage(versions));
writeFileSync(join(values.out, 'index.html'), indexPage(versions));
process.stdout.write(`${join(values.out, `v${version}`, 'index.html')}\n`);
