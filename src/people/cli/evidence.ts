/** `forestall evidence`: a month of judgements beside the service's lookups; and one of them with its reasons. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import {
  compareWithLookups,
  countLackingFields,
  countVerdicts,
} from '../../alerts/evidence/evidence-month.store.ts';
import { openEvidenceRules } from '../../alerts/evidence/evidence-rules.ts';
import { judgeSubject } from '../../alerts/evidence/judge-subject.ts';
import type { Subject } from '../../alerts/evidence/payment.ts';
import { findSubject } from '../../alerts/evidence/subject.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { readSettings } from '../../running/config.ts';
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { showJudgement, showMonth } from './evidence-text.ts';
import { EXIT } from './exit.ts';
import type { OpenOrdersContext } from './orders.ts';
import { withContext } from './orders.ts';
import { print } from './print.ts';

interface Flags {
  readonly month?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function registerEvidence(program: Command, openContext: OpenOrdersContext): void {
  const evidence = program
    .command('evidence')
    .option('--month <month>', 'YYYY-MM, UTC (default: this month)', readMonth)
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      await withContext(openContext, async ({ db, clock, organisationId }) => {
        const month = flags.month ?? nowDate(clock).toISOString().slice(0, 7);
        const of = { organisationId, month };
        const report = {
          month,
          verdicts: await countVerdicts(db, of),
          lacking: await countLackingFields(db, of),
          lookups: await compareWithLookups(db, of),
        };
        print(flags, report, showMonth(report));
      });
    });
  evidence
    .command('explain <id>')
    .description('judges an alert, lookup, notice or dispute now, with every reason')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: Pick<Flags, 'json'>) => {
      const json = flags.json ?? evidence.opts<Flags>().json ?? false;
      await withContext(openContext, async ({ db, organisationId }) => {
        const rules = openEvidenceRules(readSettings().evidencePath);
        const known = await findSubject(db, organisationId, { kind: kindOf(id), id });
        if (known === undefined) {
          console.error(`${id} is not known here, or no order of yours tells of its payment.`);
          process.exitCode = EXIT.wrong;
          return;
        }
        const judgement = await judgeSubject(db, organisationId, { ...known, rules });
        print({ json }, { ...known, ...judgement }, showJudgement(known, judgement));
      });
    });
}

function kindOf(id: string): Subject['kind'] {
  if (id.startsWith(ID_PREFIXES.lookup)) return 'lookup';
  if (id.startsWith(ID_PREFIXES.representment)) return 'representment';
  return id.startsWith(ID_PREFIXES.schemeNotice) ? 'scheme_notice' : 'alert';
}

function readMonth(text: string): string {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) {
    throw new InvalidArgumentError('Give a month like 2026-11.');
  }
  return text;
}
