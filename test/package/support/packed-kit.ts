/**
 * The package as npm would publish it, unpacked into an empty project: built in a folder of its own,
 * packed, and given exactly the dependencies that its package.json names, from those installed here.
 * So a file or a dependency that the package forgot is missing here too.
 */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnv } from '../../support/child-env.ts';
import { execFile } from '../../support/child-process.ts';
import { COMPILER } from '../../support/compiler.ts';

const run = promisify(execFile);
const REPOSITORY = new URL('../../../', import.meta.url).pathname;
/** What npm packs unasked. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** An empty project with the packed kit installed. */
export interface PackedKit {
  /** The tarball. */
  readonly tarball: string;
  /** The project. */
  readonly root: string;
  /** Names of the packed files. */
  readonly files: readonly string[];
  /** Runs the installed `forestall` command in the project. */
  forestall(...args: string[]): Promise<Ran>;
  /** Runs a file of the project, or of another, with the pinned Node. */
  node(args: readonly string[], project?: string): Promise<Ran>;
  /** Where a tool of this repository lies. */
  toolPath(name: string): string;
  /** Runs a tool of this repository in the project. */
  tool(name: string, ...args: string[]): Promise<Ran>;
  /** Compiles a project. */
  compile(project: string, ...args: string[]): Promise<Ran>;
  remove(): Promise<void>;
}

export interface Ran {
  readonly status: number;
  readonly output: string;
}

/** Builds, packs and installs; about fifteen seconds. `beside`: packages a user would install too. */
export async function packKit(beside: readonly string[]): Promise<PackedKit> {
  const folder = await mkdtemp(join(tmpdir(), 'forestall-pack-'));
  const stage = join(folder, 'stage');
  const root = join(folder, 'project');
  await mkdir(stage);
  const own = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  const named: readonly string[] = own.files;
  for (const name of [...ALWAYS, ...named.filter((each) => each !== 'dist')])
    await cp(join(REPOSITORY, name), join(stage, name), { recursive: true });
  const dist = join(stage, 'dist');
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.json', '--outDir', dist];
  // `npm test` checks the types too; without checking again the same files come out, five times sooner.
  await build([...tsc, '--noCheck', ...COMPILER.arguments]);
  await build(['src/copy-data-files.ts', dist]);
  await build(['src/write-commonjs.ts', dist]);
  await build(['src/drop-types.ts', dist]);
  const packed = await run(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: stage },
  );
  const [{ filename, files }] = JSON.parse(packed.stdout) as [
    { filename: string; files: { path: string }[] },
  ];
  const tarball = join(folder, filename);
  const home = join(root, 'node_modules/forestall');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components', '1']);
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  for (const name of [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
    // npm installs them beside, as it does the others.
    ...Object.keys(manifest.peerDependencies),
    ...beside,
  ]) {
    await linkPackage(root, name);
  }
  await writeFile(
    join(root, 'package.json'),
    '{ "name": "empty", "private": true, "type": "module" }\n',
  );
  const bin = join(home, manifest.bin.forestall);
  return {
    tarball,
    root,
    files: files.map(({ path }) => path),
    forestall: (...args) => execute([bin, ...args], root),
    node: (args, project = root) => execute(args, project),
    toolPath,
    tool: (name, ...args) => runTool(toolPath(name), args, root),
    compile: (project, ...args) =>
      execute([toolPath('tsc'), '-p', project, ...COMPILER.arguments, ...args], project),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function toolPath(name: string): string {
  return join(REPOSITORY, 'node_modules/.bin', name);
}

async function build(args: readonly string[]): Promise<void> {
  const { status, output } = await execute(args, REPOSITORY);
  if (status !== 0) throw new Error(output);
}

async function linkPackage(root: string, name: string): Promise<void> {
  const target = join(root, 'node_modules', name);
  await mkdir(dirname(target), { recursive: true });
  // An optional package of another platform is not installed; the link then leads nowhere, as would npm.
  await symlink(join(REPOSITORY, 'node_modules', name), target);
}

/** A script runs on the pinned Node; a program, which some packages put in the place of their script, by itself. */
async function runTool(path: string, args: readonly string[], cwd: string): Promise<Ran> {
  const isScript = (await readFile(path)).subarray(0, 2).toString('latin1') === '#!';
  return isScript ? await execute([path, ...args], cwd) : await execute(args, cwd, path);
}

async function execute(
  args: readonly string[],
  cwd: string,
  program = process.execPath,
): Promise<Ran> {
  const env = { ...childEnv(), ...COMPILER.env, HOME: cwd };
  const options = { cwd, env, maxBuffer: 2 ** 26 };
  try {
    const { stdout, stderr } = await run(program, [...args], options);
    return { status: 0, output: stdout + stderr };
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
    } = error as {
      code?: unknown;
      stdout?: string;
      stderr?: string;
    };
    return { status: typeof code === 'number' ? code : 1, output: stdout + stderr };
  }
}
