/** `forestall estate drift`: what others changed since the last apply, and what waits. */
import type { Command } from 'commander';
import { readVariables } from '../../running/config.ts';
import { appliedPath, readApplied } from '../../service/estate/applied-file.ts';
import { organisationsOf } from '../../service/estate/estate.ts';
import type { EstateState } from '../../service/estate/estate-state.ts';
import { judgeEstate } from '../../service/estate/estate-state.ts';
import { hideText, hideValues } from '../../service/estate/hidden-values.ts';
import { readEstate } from '../../service/estate/read-estate.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import {
  EXIT_CHANGES,
  FILE_HELP,
  fileOf,
  openClient,
  readSlowly,
  runEstate,
} from './estate-client.ts';
import { driftText } from './estate-text.ts';

interface DriftFlags {
  readonly file?: string;
  readonly json?: boolean;
}

export function registerDrift(estate: Command): void {
  estate
    .command('drift')
    .description('says what was changed elsewhere since the last apply, field by field')
    .option('--file <file>', FILE_HELP)
    .option('--json', 'print JSON')
    .action((flags: DriftFlags) => runEstate(() => runDrift(flags)));
}

/** Words of ours, in which a short value of a variable could occur by chance. */
const KEPT: ReadonlySet<string> = new Set(['kind', 'change', 'stage', 'status', 'mark']);

async function runDrift(flags: DriftFlags): Promise<void> {
  const file = fileOf(flags);
  const read = await readEstate(file, readVariables());
  const applied = await readApplied(appliedPath(file), readVariables());
  const remote = await readSlowly(await openClient(), organisationsOf(read.estate));
  const state = judgeEstate(read, remote, applied);
  const { isNoted, drift, wider, waiting, notApplied, plan } = state;
  const data = { isNoted, drift, wider, waiting, notApplied, problems: plan.problems };
  const { variables } = read;
  const text = driftText(state, (sentence) => hideText(sentence, variables));
  print(flags, hideValues(data, variables, KEPT), text);
  process.exitCode = exitOf(state);
}

/** What is in progress at the service is no difference. */
function exitOf({ drift, waiting, notApplied, plan }: EstateState): number {
  const isStuck = waiting.some(({ stage }) => stage !== 'in progress');
  if (drift.length > 0 || notApplied.length > 0 || isStuck) return EXIT_CHANGES;
  return plan.problems.length > 0 ? EXIT.wrong : EXIT.done;
}
