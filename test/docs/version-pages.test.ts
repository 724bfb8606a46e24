/** Guarantee: the pages above the versions list each of them, newest first, and lead to the newest. */
import { expect, it } from 'vitest';
import { indexPage, versionsPage } from './version-pages.ts';

const VERSIONS = ['v0.2.0', 'v0.10.0', 'v0.9.1'];

it('versions are compared as numbers', () => {
  const links = [...versionsPage(VERSIONS).matchAll(/href="\.\/(v[^/]+)\/index\.html">\1/g)];
  expect(links.map(([, name]) => name)).toEqual(['v0.10.0', 'v0.9.1', 'v0.2.0']);
  expect(versionsPage(VERSIONS)).toContain('v0.10.0</a> (newest)');
  expect(indexPage(VERSIONS)).toContain('url=./v0.10.0/index.html');
});
