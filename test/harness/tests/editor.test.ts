/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import type { Engine } from '..';
import { createNode, startEngine } from '..';
import { startFixtureService } from './fixtureService';

describe('lists of the editor', () => {
  let engine: Engine;
  let service: Awaited<ReturnType<typeof startFixtureService>>;
  const fixture = createNode('Fixture', 'n8n-nodes-fixture.fixture', {
    table: { __rl: true, mode: 'list', value: 'people' },
    rows: { row: [{ key: 'zero' }, { key: 'one' }] },
  });

  beforeAll(async () => {
    service = await startFixtureService(({ path }) => ({ body: { names: [path], next: 2 } }));
    engine = await startEngine({ packageDir: join(__dirname, 'fixture-package') });
    await engine.setCredential('fixtureApi', { baseUrl: service.baseUrl, session: 's' });
  });

  afterAll(async () => {
    await engine.stop();
    await service.stop();
  });

  it('searches a resource locator, page by page', async () => {
    const first = await engine.listSearch(fixture, 'searchThings', { filter: 'x' });
    expect(first.results).toEqual([{ name: '/things?page=1&q=x', value: '/things?page=1&q=x' }]);
    expect(first.paginationToken).toBe('2');
    const second = await engine.listSearch(fixture, 'searchThings', { paginationToken: '2' });
    expect(second.results[0]?.name).toBe('/things?page=2&q=');
  });

  it('loads options that depend on other parameters, also on a sibling in the same row', async () => {
    const options = await engine.loadOptions(fixture, 'fieldsOfTable', {
      path: 'parameters.rows.row[1].field',
    });
    expect(options).toEqual([{ name: 'Field of people next to one', value: 'field' }]);
  });

  it('loads the columns of a resource mapper, each once', async () => {
    const { fields } = await engine.getResourceMapperFields(fixture, 'columns');
    expect(fields.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('names the methods there are when asked for one that is not', async () => {
    await expect(engine.listSearch(fixture, 'search')).rejects.toThrow('it has: searchThings');
  });
});
