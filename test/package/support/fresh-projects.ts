/**
 * Projects as each framework's own command makes them, with our templates added: nothing is set that a
 * stranger would have to know of. What each file says is what the command named beside it wrote in November 2026.
 */
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PackedKit, Ran } from './packed-kit.ts';

/** What the commands wrote. */
interface Fresh {
  readonly package: object;
  readonly tsconfig: { readonly extends?: string; readonly compilerOptions: object };
  /** A configuration that it extends. */
  readonly base?: object;
  /** Where its sources lie. */
  readonly sources: string;
  /** Templates for another framework. */
  readonly without: RegExp;
}

const receiversBut = (name: string): RegExp => new RegExp(`^receivers/(?!open|${name})`);

/** fastify-tsconfig 3.0.0. */
const FASTIFY = {
  compilerOptions: {
    ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ESNext'] },
    ...{ esModuleInterop: true, strict: true, resolveJsonModule: true, removeComments: true },
    ...{ newLine: 'lf', noUnusedLocals: true, noFallthroughCasesInSwitch: true },
    ...{ isolatedModules: true, forceConsistentCasingInFileNames: true, skipLibCheck: true },
  },
};

export const FRESH_PROJECTS: Readonly<Record<string, Fresh>> = {
  // npm init -y; npm pkg set type=module; npx tsc --init (TypeScript 7.0.2)
  express: {
    package: { name: 'shop', version: '1.0.0', type: 'module' },
    tsconfig: {
      compilerOptions: {
        ...{ module: 'nodenext', target: 'esnext', types: [] },
        ...{ sourceMap: true, declaration: true, declarationMap: true },
        ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
        ...{ strict: true, jsx: 'react-jsx', verbatimModuleSyntax: true, isolatedModules: true },
        ...{ noUncheckedSideEffectImports: true, moduleDetection: 'force', skipLibCheck: true },
      },
    },
    sources: '.',
    without: receiversBut('express'),
  },
  // fastify generate shop --lang=ts: a CommonJS project
  fastify: {
    package: { name: 'shop', version: '1.0.0', main: 'app.ts' },
    tsconfig: { extends: './base.json', compilerOptions: { outDir: 'dist', sourceMap: true } },
    base: FASTIFY,
    sources: 'src',
    without: receiversBut('fastify'),
  },
  // npm create hono@latest shop -- --template nodejs
  hono: {
    package: { name: 'shop', type: 'module' },
    tsconfig: {
      compilerOptions: {
        ...{ target: 'ESNext', module: 'NodeNext', strict: true, verbatimModuleSyntax: true },
        ...{ skipLibCheck: true, types: ['node'], jsx: 'react-jsx', jsxImportSource: 'hono/jsx' },
        ...{ outDir: './dist' },
      },
    },
    sources: 'src',
    // Without "lib" a project has the types of browsers, as those of plain Fastify have that began by tsc --init.
    without: receiversBut('hono|fastify'),
  },
  // npx create-next-app@latest shop --typescript --app
  next: {
    package: { name: 'shop', version: '0.1.0', private: true },
    tsconfig: {
      compilerOptions: {
        ...{ target: 'ES2017', lib: ['dom', 'dom.iterable', 'esnext'], allowJs: true },
        ...{ skipLibCheck: true, strict: true, noEmit: true, esModuleInterop: true },
        ...{ module: 'esnext', moduleResolution: 'bundler', resolveJsonModule: true },
        ...{ isolatedModules: true, jsx: 'react-jsx', incremental: true },
        ...{ paths: { '@/*': ['./*'] } },
      },
    },
    sources: '.',
    without: receiversBut('nextjs'),
  },
};

/** Makes the project beside the kit's, adds every template that is for it, and answers what the compiler says. */
export async function checkFreshProject(kit: PackedKit, name: string): Promise<Ran> {
  const fresh = FRESH_PROJECTS[name];
  if (fresh === undefined) throw new Error(`There is no project ${name}.`);
  const root = join(dirname(kit.root), `fresh-${name.replaceAll(/\W+/g, '-')}`);
  await mkdir(join(root, fresh.sources), { recursive: true });
  await symlink(join(kit.root, 'node_modules'), join(root, 'node_modules'));
  const write = async (file: string, content: object): Promise<void> =>
    await writeFile(join(root, file), JSON.stringify(content));
  await write('package.json', fresh.package);
  const include = [`${fresh.sources}/**/*.ts`];
  await write('tsconfig.json', { ...fresh.tsconfig, include, exclude: ['node_modules', 'dist'] });
  if (fresh.base !== undefined) await write('base.json', fresh.base);
  const folder = join(fresh.sources, 'forestall');
  await writeFile(join(root, 'add-all.mjs'), addAll(fresh.without, folder));
  const added = await kit.node(['add-all.mjs'], root);
  if (added.status !== 0) return added;
  if (name === 'next') await moveRoute(root);
  return await kit.compile(root, '--noEmit');
}

function addAll(without: RegExp, folder: string): string {
  return `
    import { carryOut, planAdd } from './node_modules/forestall/dist/running/kit/add-template.js';
    import { readManifest } from './node_modules/forestall/dist/running/kit/template-manifest.js';
    for (const { name } of readManifest().filter(({ name }) => !${without}.test(name))) {
      const plan = await planAdd(name, { root: '.', folder: ${JSON.stringify(folder)} });
      await carryOut(plan, { root: '.', overwrite: false });
    }`;
}

/** As `forestall add receivers/nextjs` says. */
async function moveRoute(root: string): Promise<void> {
  const route = join(root, 'app/webhooks/route.ts');
  await mkdir(dirname(route), { recursive: true });
  await rename(join(root, 'forestall/receivers/nextjs/route.ts'), route);
  const text = await readFile(route, 'utf8');
  await writeFile(route, text.replace("'../forestall'", "'../../forestall/receivers/forestall'"));
}
