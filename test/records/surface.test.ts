/** Guarantee: no route, command, option or metric appears, changes what it asks, or goes without a visible diff. */

import type { Command } from 'commander';
import type { RequestHandler, Router } from 'express';
import { it } from 'vitest';
import { ALL_METRICS } from '../../src/capabilities/index.ts';
import { createWholeProgram } from '../../src/people/cli/program.ts';
import { API_NEEDS } from '../../src/people/console/api-needs.ts';
import { MENU, MENU_OF_ALL } from '../../src/people/console/menu.ts';
import { apiDocument } from '../../src/people/console/openapi/document.ts';
import { registerInstallationOperators } from '../../src/people/console/pages/installation-operators.ts';
import { registerOrganisations } from '../../src/people/console/pages/organisations.ts';
import { registerWhichOrganisation } from '../../src/people/console/pages/which-organisation.ts';
import { createPages, ORGANISATION_PAGES } from '../../src/people/console/pages.ts';
import { needsOf } from '../../src/surface/access/needs.ts';
import { registerSignIn } from '../../src/surface/access/sign-in.ts';
import { expectRecorded } from './recorded.ts';

function asked(handlers: readonly RequestHandler[]): string {
  const needs = handlers.map(needsOf).find((each) => each !== undefined);
  if (needs === undefined) return 'as its page says';
  return typeof needs === 'string' ? needs : `${needs.role}, proof ${needs.proof}`;
}

function routesOf(router: Router, title: string): string[] {
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const methods = [...new Set(route.stack.map(({ method }) => method))];
    return methods
      .filter((method) => method !== undefined)
      .map((method) => {
        const handlers = route.stack.filter((layer) => layer.method === method);
        const needs = asked(handlers.map(({ handle }) => handle as RequestHandler));
        return `${title} ${method.toUpperCase()} ${String(route.path)} · ${needs}`;
      });
  });
}

it('the pages are as recorded', async () => {
  const nothing = { options: {}, auth: {} } as never;
  const ofAll = [registerOrganisations, registerInstallationOperators, registerWhichOrganisation];
  await expectRecorded('pages', [
    ...routesOf(createPages(nothing, [registerSignIn, ...ORGANISATION_PAGES]), 'organisation'),
    ...routesOf(createPages(nothing, ofAll), 'installation'),
  ]);
});

it('the menus are as recorded, in their order', async () => {
  const lines = (entries: typeof MENU, of: string): string[] =>
    entries.map(
      ({ group, label, path, icon }) => `${of} · ${group} · ${label} · ${path} · ${icon}`,
    );
  await expectRecorded(
    'menu',
    [...lines(MENU, 'organisation'), ...lines(MENU_OF_ALL, 'installation')],
    { ordered: true },
  );
});

it('the JSON API is as recorded', async () => {
  const needs = Object.entries(API_NEEDS).map(
    ([call, { role, proof }]) => `${call} · ${role}, proof ${proof}`,
  );
  const { paths = {} } = apiDocument('http://127.0.0.1') as {
    paths?: Record<string, Record<string, { summary?: string; responses?: object }>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary, responses = {} }]) =>
        `${method.toUpperCase()} ${path} · ${summary} · ${Object.keys(responses).join(' ')}`,
    ),
  );
  await expectRecorded('api', [...needs, ...operations]);
});

function commandLines(command: Command, path: readonly string[] = []): string[] {
  const name = path.join(' ');
  const own = [
    `${name} · ${command.description()}`,
    ...command.registeredArguments.map(
      (each) =>
        `${name} ${each.required ? `<${each.name()}>` : `[${each.name()}]`} · ${each.description}`,
    ),
    ...command.options.map(
      ({ flags, description, defaultValue, mandatory, argChoices }) =>
        `${name} ${flags} · ${description}${argChoices === undefined ? '' : ` · one of ${argChoices.join(', ')}`}${defaultValue === undefined ? '' : ` · default ${JSON.stringify(defaultValue)}`}${mandatory ? ' · needed' : ''}`,
    ),
  ];
  const children = command.commands.filter((child) => child.name() !== 'help');
  return [...own, ...children.flatMap((child) => commandLines(child, [...path, child.name()]))];
}

it('the commands with their options are as recorded', async () => {
  const program = await createWholeProgram();
  const lines = commandLines(program, ['forestall']);
  await expectRecorded('commands', lines);
});

it('the metrics are as recorded', async () => {
  await expectRecorded(
    'metrics',
    Object.entries(ALL_METRICS).map(([name, { type, help }]) => `${name} · ${type} · ${help}`),
  );
});
