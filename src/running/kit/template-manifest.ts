/** The list of templates that ship with this version: `templates/manifest.json`, checked as it is read. */

import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import { listPackageFolder, readPackageFile } from '../../base/kernel/package-file.ts';

/** Where the templates of this version lie. */
const TEMPLATES_FOLDER = new URL('../../../templates/', import.meta.url);

const name = z.string().regex(/^[a-z]+\/[a-z0-9-]+$/);
const path = z.string().regex(/^[\w.-]+(?:\/[\w.[\]-]+)+$/);

const templateSchema = z.strictObject({
  name,
  /** What it is, in one line. */
  title: z.string().min(1),
  /** Paths under `templates/`, kept as they are under the target folder. */
  files: z.array(path).min(1),
  /** Other templates whose files it needs. */
  needs: z.array(name).default([]),
  /** npm packages to install, with their ranges. `forestall` itself goes without saying. */
  packages: z.record(z.string(), z.string()).default({}),
  /** Settings to fill in: name and meaning. */
  settings: z.record(z.string(), z.string()).default({}),
  /** What to do after copying, in order. */
  next: z.array(z.string()).default([]),
});

const manifestSchema = z.strictObject({ templates: z.array(templateSchema) });

export type Template = z.infer<typeof templateSchema>;

/** Every template of this version, in the order of the manifest, policies last. */
export function readManifest(): readonly Template[] {
  const text = readPackageFile(new URL('manifest.json', TEMPLATES_FOLDER));
  const { templates } = manifestSchema.parse(JSON.parse(text));
  return [...templates, ...policyTemplates()];
}

/** The version of the package that ships them. */
export function readKitVersion(): string {
  const text = readPackageFile(new URL('../package.json', TEMPLATES_FOLDER));
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

export function readTemplateFile(file: string): string {
  return readPackageFile(new URL(file, TEMPLATES_FOLDER));
}

const POLICY_NAME = /^name: *["']?(.+?)["']? *$/m;

/** Editors check a policy against it as it is written. */
const POLICY_SCHEMA = 'policy.schema.json';

/** Each policy file is a template of its own, with the page of the same name beside it. */
function policyTemplates(): Template[] {
  const files = listPackageFolder(new URL('policies/', TEMPLATES_FOLDER));
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const plain = file.replace(/\.yaml$/, '');
      const page = `${plain}.md`;
      const title = POLICY_NAME.exec(readTemplateFile(`policies/${file}`))?.[1] ?? plain;
      return {
        name: `policies/${plain}`,
        title: `Policy: ${title}`,
        files: [file, page, POLICY_SCHEMA]
          .filter((name) => files.includes(name))
          .map((name) => `policies/${name}`),
        needs: [],
        packages: {},
        settings: { FORESTALL_POLICY: `the path of ${file}` },
        next: [`forestall policy check forestall/policies/${file}`],
      };
    });
}

/**
 * The template and everything it needs, what is needed first.
 *
 * @throws {ConfigError} when there is no template of this name
 */
export function resolveTemplate(
  manifest: readonly Template[],
  wanted: string,
): readonly Template[] {
  const found = manifest.find((template) => template.name === wanted);
  if (found === undefined) {
    const near = manifest
      .map((template) => template.name)
      .filter((each) => each.endsWith(`/${wanted}`) || each.startsWith(`${wanted}/`));
    const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
    throw new ConfigError(
      `There is no template ${JSON.stringify(wanted)}.${hint} See "forestall add --list".`,
    );
  }
  const needed = found.needs.flatMap((need) => resolveTemplate(manifest, need));
  return [...new Set([...needed, found])];
}
