/** Asks axe, in the browser, what is wrong with a page. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** WCAG 2.2 AA, as axe names its parts. */
export const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Has axe in every document that the page opens from now on: the policy of our pages lets in no inline script of theirs. */
export async function bringAxe(page: Page): Promise<void> {
  // The browser has it then: it is half a megabyte to send.
  await page.addInitScript(AXE);
}

/** What breaks a rule, each with the first place where. `within`: a selector; everything that is not in it is left out. */
export async function faultsOf(
  page: Page,
  rules: readonly string[],
  within = ':root',
): Promise<string[]> {
  // Of what is right nobody asks where it stands.
  const options = { runOnly: rules, resultTypes: ['violations'], selectors: false };
  const run = `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})`;
  const { violations } = await page.evaluate<{
    violations: { id: string; nodes: { html: string }[] }[];
  }>(run);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)}`);
}
