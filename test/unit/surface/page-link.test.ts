/** Guarantee: a link is one where its page is, and its words alone where it is not. */
import { expect, it } from 'vitest';
import { html } from '../../../src/base/kernel/html.ts';
import { isOffered, pageLink, withPages } from '../../../src/surface/view/page-link.ts';

it('holds', async () => {
  const link = (): string =>
    pageLink('/charges/:reference', html`<code>ch_1</code>`, { reference: 'ch/1' }).toString();
  expect(link()).toBe('<a href="/charges/ch%2F1"><code>ch_1</code></a>');
  await withPages(
    (page) => page !== '/charges/:reference',
    async () => {
      expect(link()).toBe('<code>ch_1</code>');
      expect(isOffered('/charges/:reference')).toBe(false);
      expect(pageLink('/ratios', 'Ratios').toString()).toBe('<a href="/ratios">Ratios</a>');
    },
  );
});
