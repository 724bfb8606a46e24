/** `forestall estate rules try`: the file's rulesets on past RDR disputes, with money. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Money } from '../../base/kernel/money.ts';
import { readRdrDisputes } from '../../books/estate/rdr-disputes.store.ts';
import { readPolicyText } from '../../policy/files.ts';
import { readRates } from '../../policy/head.ts';
import { loadPolicy } from '../../policy/load.ts';
import type { RateTable } from '../../policy/rates.ts';
import { convert } from '../../policy/rates.ts';
import { readCommandSettings, readVariables } from '../../running/config.ts';
import { organisationsOf } from '../../service/estate/estate.ts';
import { matchEstate } from '../../service/estate/match-estate.ts';
import { readEstate } from '../../service/estate/read-estate.ts';
import type {
  PastDispute,
  TrialOptions,
  TriedOutcome,
  UsdCents,
} from '../../service/estate/try-rulesets.ts';
import { openTrial } from '../../service/estate/try-rulesets.ts';
import { AMOUNT_RULE_CURRENCY } from '../../service/wire/limits.ts';
import { print } from '../../surface/terminal/print.ts';
import {
  FILE_HELP,
  fileOf,
  openClient,
  readNamed,
  readSlowly,
  runEstate,
} from './estate-client.ts';
import { trialText } from './estate-rules-text.ts';
import type { OpenOrdersContext } from './orders.ts';

interface TryFlags {
  readonly file?: string;
  readonly alerts: number;
  readonly rates?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** The rates that amounts are converted by, and where they come from. */
interface OwnRates {
  readonly table: RateTable | null;
  readonly from: string | null;
}

const DAYS_DEFAULT = 90;
const DAY_MS = 86_400_000;

export function registerRules(estate: Command, openContext: OpenOrdersContext): void {
  estate
    .command('rules')
    .description('the rulesets of the file')
    .command('try')
    .description('says which past RDR disputes each ruleset would have let through or refunded')
    .addOption(
      new Option('--alerts <period>', 'which alerts')
        .argParser(readPeriod)
        .default(DAYS_DEFAULT, `last-${DAYS_DEFAULT}-days`),
    )
    .option('--rates <file>', 'your own rates (default: those of the policy, if it has any)')
    .option('--file <file>', FILE_HELP)
    .option('--all', 'lists every dispute that would have been decided otherwise')
    .option('--json', 'print JSON')
    .action((flags: TryFlags) => runEstate(() => runTry(flags, openContext)));
}

function readPeriod(text: string): number {
  const days = Number(/^last-(\d{1,4})-days?$/.exec(text)?.[1] ?? 0);
  if (days > 0) return days;
  throw new InvalidArgumentError('Write it like last-90-days.');
}

async function runTry(flags: TryFlags, openContext: OpenOrdersContext): Promise<void> {
  const rates = ownRates(flags.rates);
  const { rulesets, keyOfEnrolment } = await wantedRulesets(fileOf(flags));
  const toUsd = (money: Money): UsdCents | null => usdOf(money, rates.table);
  const trial = openTrial({ rulesets, keyOfEnrolment, toUsd });
  const otherwise: (PastDispute & { readonly outcome: TriedOutcome })[] = [];
  const context = await openContext();
  try {
    const to = nowDate(context.clock);
    const from = new Date(to.getTime() - flags.alerts * DAY_MS);
    const period = { organisationId: context.organisationId, from, to };
    for await (const dispute of readRdrDisputes(context.db, period)) {
      const outcome = trial.add(dispute);
      const isOther = outcome === (dispute.wasRefunded ? 'let through' : 'refunded');
      if (flags.all === true && isOther) otherwise.push({ ...dispute, outcome });
    }
    const about = { from, to, ratesFrom: rates.from };
    const result = trial.result();
    print(flags, { ...about, ...result, otherwise }, trialText(result, { ...about, otherwise }));
  } finally {
    await context.close();
  }
}

function usdOf(money: Money, rates: RateTable | null): UsdCents | null {
  if (money.currency === AMOUNT_RULE_CURRENCY) {
    return { comparable: money.amountMinor, rounded: money.amountMinor };
  }
  const converted = rates === null ? null : convert(money, AMOUNT_RULE_CURRENCY, rates);
  if (converted === null) return null;
  return { comparable: converted.comparable, rounded: converted.shown.amountMinor };
}

async function wantedRulesets(
  file: string,
): Promise<Pick<TrialOptions, 'rulesets' | 'keyOfEnrolment'>> {
  const { estate } = await readEstate(file, readVariables());
  const remote = await readSlowly(await openClient(), organisationsOf(estate));
  const matched = matchEstate(estate, remote);
  const keys = new Map(
    matched.enrolments.flatMap(({ entry, remote: it }) => (it ? [[it.id, entry.key]] : [])),
  );
  return {
    rulesets: new Map(matched.rulesets.map(({ entry, wanted }) => [entry.key, wanted])),
    keyOfEnrolment: (id) => keys.get(id),
  };
}

function ownRates(path: string | undefined): OwnRates {
  if (path !== undefined) return { table: ratesOfFile(path), from: path };
  const { policyPath, brandTokens: brands } = readCommandSettings();
  if (policyPath === undefined || !/\.ya?ml$/.test(policyPath)) return { table: null, from: null };
  const { text, files } = readPolicyText(policyPath);
  const { rates } = loadPolicy(text, { file: policyPath, files, brands });
  return { table: rates, from: rates === null ? null : policyPath };
}

function ratesOfFile(path: string): RateTable {
  const table = readRates(readNamed(path), path);
  if (!table.has(AMOUNT_RULE_CURRENCY)) {
    throw new ConfigError(
      `${path} has no rate for ${AMOUNT_RULE_CURRENCY}, in which rules compare. Add it, or make it the base.`,
    );
  }
  return table;
}
