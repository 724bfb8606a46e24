/** The measured cost of 20 simulated portfolios, looked at every day: `node test/bench/measured-cost.ts [everyDays]`. */
import { lookAt, portfolios } from '../capabilities/measured-cost/portfolio.ts';

const every = Number(process.argv[2] ?? 1);
const rows = portfolios().map((portfolio) => ({ portfolio, ...lookAt(portfolio, every) }));
console.log('share  median  a day  looks  in interval  worst threshold  sure where it straddles');
for (const { portfolio, looks, covered, worstRegret, sureWhereStraddling } of rows) {
  console.log(
    [
      portfolio.share.toFixed(2).padEnd(6),
      `${portfolio.medianDays} d`.padStart(6),
      String(portfolio.perDay).padStart(6),
      String(looks).padStart(6),
      `${((100 * covered) / looks).toFixed(1)} %`.padStart(12),
      `+${(100 * worstRegret).toFixed(2)} %`.padStart(16),
      String(sureWhereStraddling).padStart(12),
    ].join(' '),
  );
}
const looks = rows.reduce((sum, row) => sum + row.looks, 0);
const covered = rows.reduce((sum, row) => sum + row.covered, 0);
const worst = Math.max(...rows.map((row) => row.worstRegret));
const sure = rows.reduce((sum, row) => sum + row.sureWhereStraddling, 0);
console.log(
  `All: ${((100 * covered) / looks).toFixed(2)} % of ${looks} looks in the interval; worst threshold +${(100 * worst).toFixed(2)} %; sure where it straddles: ${sure}`,
);
process.exitCode = covered / looks >= 0.97 && worst <= 0.02 && sure === 0 ? 0 : 1;
