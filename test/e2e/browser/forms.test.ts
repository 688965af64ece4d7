import { RELEASE } from '../installation';
import { versionOf } from '../n8n';
import { watchClicks } from './clicks';
import { byId } from './nodeForm';
import { Stage } from './stage';

const MANUAL = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

describe(`forms in n8n ${versionOf(RELEASE)}`, () => {
  test('the palette finds a node by what a user wants to do', async () => {
    await stage.workflow('Phrases', MANUAL);
    for (const [phrase, node] of [
      ['create record', 'Record Database'],
      ['get many records', 'Record Database'],
      ['import csv', 'Record Database Import/Export'],
    ] as const) {
      await stage.editor.searchPalette(phrase);
      await stage.editor.paletteLists(node);
      await stage.page.keyboard.press('Escape');
    }
  });

  test('a read shows records four clicks after the node was added', async () => {
    await stage.workflow('Four Clicks', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Get many records');
    const countClicks = await watchClicks(stage.page);
    await form.pick('dataTableId', 'Customers');
    expect(await form.execute()).toBe('50 items');
    // The list of tables, a table, Execute step. The fourth is the action in the palette.
    expect(await countClicks()).toBe(3);
  });

  test('the filter and the columns appear when a table is chosen, and nothing is red before', async () => {
    await stage.workflow('Hidden', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Create record');
    expect(await form.root.getByText('No fields found').count()).toBe(0);
    for (const hidden of ['columnsMode', 'mappingMode', 'unknownInputs'])
      expect(await form.root.locator(byId(`parameter-input-${hidden}`)).count()).toBe(0);
    await form.pick('dataTableId', 'Customers');
    await form.input('company').waitFor();
    // The label says what to type.
    await form.root
      .getByText(/^Tags \(/)
      .first()
      .waitFor();
    await form.close();
  });

  test('Get Many has the operators and the inputs of the filter form', async () => {
    await stage.workflow('Get Many', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Get many records');
    await form.pick('dataTableId', 'Customers');
    const conditions = form.collection('conditions');
    await form.choose('field', 'Credit Limit (Currency)', conditions);
    expect(await form.choices('operator', conditions)).toEqual(
      expect.arrayContaining(['Is', 'Higher Than', 'Lower Than or Equal To']),
    );
    await form.choose('operator', 'Higher Than', conditions);
    await form.type('numberValue', '15000', conditions);
    await form.toggle('returnAll');
    const wanted = [...stage.service.getTable('Customers').records.values()].filter(
      ({ credit_limit }) => Number(credit_limit) > 15_000,
    );
    expect(wanted.length).toBeGreaterThan(1);
    expect(await form.execute()).toBe(`${wanted.length} items`);
  });

  test('Between has the inputs From and To', async () => {
    await stage.workflow('Between', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Count records');
    await form.pick('dataTableId', 'Customers');
    await form.choose('filterMode', 'All Conditions Must Match');
    const conditions = form.conditions();
    await form.choose('field', 'Credit Limit (Currency)', conditions);
    await form.choose('operator', 'Between', conditions);
    await form.type('numberValue', '100', conditions);
    await form.type('numberTo', '5000', conditions);
    for (const label of ['From', 'To']) await conditions.getByText(label, { exact: true }).waitFor();
    const count = [...stage.service.getTable('Customers').records.values()].filter(
      ({ credit_limit: limit }) => limit !== null && Number(limit) >= 100 && Number(limit) <= 5_000,
    ).length;
    expect(await form.execute()).toBe('1 item');
    await form.outputShows(String(count));
  });

  test('the next node shows the fields of an output before the first run', async () => {
    const { editor, page } = stage;
    await stage.workflow('Preview', MANUAL);
    const form = await editor.addNode('Record Database', 'Get many records');
    await form.pick('dataTableId', 'Customers');
    await form.close();
    await editor.searchPalette('Edit Fields');
    await editor.pickFromPalette('Edit Fields (Set)');
    const fields = page.locator(`${byId('ndv-input-panel')} ${byId('run-data-schema-item')}`);
    for (const field of ['id', 'created_at'])
      await fields.getByText(field, { exact: true }).first().waitFor();
  });

  test('no call was undocumented', () => {
    expect(stage.service.violations).toEqual([]);
  });
});
