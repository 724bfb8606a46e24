/** The table of rules in the README. `node test/model/rule-table.ts` prints it. */
import { RULE_NAMES, RULES } from './rules.ts';

export function ruleTable(): string {
  const rows = RULE_NAMES.map((name) => {
    const { says, without, scenario, breaks } = RULES[name];
    return `| \`${name}\` | ${says} | ${without} | ${scenario} | ${breaks} |`;
  });
  const head = ['| Rule | It says | Without it | Scenario | Breaks |', '|---|---|---|---|---|'];
  return [...head, ...rows].join('\n');
}

if (import.meta.main) process.stdout.write(`${ruleTable()}\n`);
