/** Shares for people. */

/** Per cent, with one decimal below ten. */
export function percentText(share: number): string {
  const percent = share * 100;
  return `${percent !== 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
