/**
 * A project as a merchant has it when a newer version of the kit is installed: with templates of this
 * version, one edited and one moved, and a kit that has changed, added and dropped some.
 */
import { appendFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PackedKit } from './packed-kit.ts';

/** Makes it beside the kit's own project, whose templates and packages it copies. */
export async function makeUpgradedProject(kit: PackedKit): Promise<string> {
  const project = join(dirname(kit.tarball), 'upgraded');
  // Linked packages stay links; the kit itself is a copy, to be changed.
  await cp(join(kit.root, 'node_modules'), join(project, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await copy(kit, project, 'shared/setting.ts');
  for (const name of ['forestall', 'express', 'hono']) {
    await copy(kit, project, `receivers/${name}.ts`);
  }
  await copy(kit, project, 'receivers/nextjs/route.ts');
  await appendFile(join(project, 'forestall/receivers/forestall.ts'), '// mine\n');
  await mkdir(join(project, 'app/webhooks'), { recursive: true });
  await rename(
    join(project, 'forestall/receivers/nextjs/route.ts'),
    join(project, 'app/webhooks/route.ts'),
  );
  await installNewer(join(project, 'node_modules/forestall'));
  return project;
}

async function copy(kit: PackedKit, project: string, file: string): Promise<void> {
  const path = join('forestall', file);
  await cp(join(kit.root, path), join(project, path));
}

/** Another `forestall.ts`, another route handler, and no Hono any more. */
async function installNewer(home: string): Promise<void> {
  const edit = async (path: string, change: (text: string) => string): Promise<void> => {
    const text = await readFile(join(home, path), 'utf8');
    await writeFile(join(home, path), change(text));
  };
  await edit('package.json', (text) => JSON.stringify({ ...JSON.parse(text), version: '9.0.0' }));
  await edit('templates/receivers/forestall.ts', (text) => `${text}// newer\n`);
  await edit('templates/receivers/nextjs/route.ts', (text) => `${text}// newer\n`);
  await rm(join(home, 'templates/receivers/hono.ts'));
  await edit('templates/manifest.json', (text) => {
    const { templates } = JSON.parse(text) as { templates: { name: string }[] };
    const left = templates.filter(({ name }) => name !== 'receivers/hono');
    return JSON.stringify({ templates: left });
  });
}
