import { RELEASE } from '../installation';
import { RELEASES, versionOf } from '../n8n';
import { Stage } from './stage';

const MANUAL = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

const customers = () => [...stage.service.getTable('Customers').records.values()];
const products = (sku: string) =>
  [...stage.service.getTable('Products').records.values()].filter((record) => record.sku === sku);

describe(`records in n8n ${versionOf(RELEASE)}`, () => {
  test('the palette lists the nodes of the package and their actions', async () => {
    const { editor } = stage;
    await stage.workflow('Palette', MANUAL);
    await editor.searchPalette('Record Database');
    await editor.paletteLists('Record Database', 'Record Database Tasks');
    await editor.pickFromPalette('Record Database');
    await editor.paletteLists('Create or update record', 'Get many records', 'Batch update records');
    // n8n shows the trigger's description for the node too.
    await stage.page
      .getByText(/^Read, create, update and delete records .* or start a workflow/)
      .first()
      .waitFor();
    await stage.picture('palette', 1_300);
  });

  test('the first screen of a table with connections shows at least 8 records', async () => {
    await stage.workflow('First look', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Get many records');
    await form.pick('dataTableId', 'Invoices');
    expect(await form.execute()).toBe('50 items');
    await form.outputShows('sales_order_id');
    // n8n draws each part of an object and each entry of a list on a line of its own, so other tables show fewer.
    // n8n 1 draws higher rows. The hint that the default Limit has cut the list takes the place of one or two.
    expect(await form.countVisibleRows()).toBeGreaterThanOrEqual(RELEASE === RELEASES.v1 ? 8 : 11);
    await stage.picture('records');
  });

  test('dropdowns build a nested filter, and the operators depend on the field', async () => {
    await stage.workflow('Filter', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Get many records');
    expect(await form.pick('dataTableId', 'Customers')).toEqual(
      expect.arrayContaining(['Customers', 'Orders']),
    );
    await form.toggle('returnAll');
    await form.choose('filterMode', 'Groups of Conditions');
    const top = form.conditions();
    await form.addCondition({ field: 'Status (Select)', operator: 'Is', value: { choice: 'Active' } }, top);
    await form.add(form.collection('groups'));
    await form.choose('match', 'Any Condition', form.collection('groups'));
    const group = form.conditions('group');
    await form.addCondition(
      { field: 'Company (Text)', operator: 'Contains', value: { text: 'Cedar' } },
      group,
    );
    const ofText = await form.choices('operator', group);
    await form.addCondition(
      { field: 'Credit Limit (Currency)', operator: 'Higher Than', value: { number: '15000' } },
      group,
    );
    const ofMoney = await form.choices('operator', group);
    expect(ofText).toEqual(expect.arrayContaining(['Contains', 'Starts With']));
    expect(ofText).not.toContain('Higher Than');
    expect(ofMoney).toEqual(expect.arrayContaining(['Higher Than', 'Between']));
    expect(ofMoney).not.toContain('Contains');

    const wanted = customers().filter(
      ({ status, company, credit_limit }) =>
        status === 'active' && (String(company).includes('Cedar') || Number(credit_limit) > 15_000),
    );
    expect(wanted.length).toBeGreaterThan(10);
    expect(await form.execute()).toBe(`${wanted.length} items`);
    await form.outputShows('Cedar');
    await stage.page.setViewportSize({ width: 1440, height: 1_200 });
    await form.showFrom('filterMode');
    await stage.picture('filter', 1_200);
  });

  test('maps columns with typed inputs and creates the record', async () => {
    await stage.workflow('Create', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Create record');
    await form.pick('dataTableId', 'Products');
    await form.type('name', 'Paper Tray');
    await form.type('sku', 'TRAY-1');
    await form.choose('category', 'Office');
    await form.type('price', '9.5');
    await form.choose('discontinued', 'Yes');
    await stage.picture('mapper');
    expect(await form.execute()).toBe('1 item');
    expect(products('TRAY-1')).toMatchObject([
      { name: 'Paper Tray', category: 'office', price: 9.5, discontinued: 1 },
    ]);
  });

  test('create or update matches on the unique column', async () => {
    await stage.workflow('Upsert', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Create or update record');
    await form.pick('dataTableId', 'Products');
    await form.root.getByText('Choose a unique field, such as Email').waitFor();
    await form.type('sku', 'UP-1');
    await form.type('name', 'Lamp');
    expect(await form.execute()).toBe('1 item');
    await form.outputShows('created');
    stage.service.getTable('Products').update(products('UP-1')[0]!.id, { discontinued: 1 });
    await form.type('name', 'Desk Lamp');
    expect(await form.execute()).toBe('1 item');
    await form.outputShows('updated');
    // Neither a default nor an untouched checkbox overwrites a value of the record.
    expect(products('UP-1')).toMatchObject([{ name: 'Desk Lamp', discontinued: 1 }]);
  });

  test('an update changes the columns that were filled in, and nothing else', async () => {
    const tray = products('TRAY-1')[0]!;
    await stage.workflow('Update', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Update record');
    await form.pick('dataTableId', 'Products');
    await form.typeId('recordId', tray.id);
    await form.type('price', '12');
    expect(await form.execute()).toBe('1 item');
    expect(products('TRAY-1')).toEqual([{ ...tray, price: 12 }]);
  });

  test('a look-up has the fields of the key alone, and its output has the record', async () => {
    await stage.workflow('Look up', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Look up records');
    await form.pick('dataTableId', 'Products');
    await form.type('sku', 'TRAY-1');
    await stage.picture('look-up');
    expect(await form.execute()).toBe('1 item');
    await form.outputShows('Paper Tray');
    await form.choose('returnedItems', 'Only Items Not Found');
    await form.type('sku', 'NONE');
    expect(await form.execute()).toBe('1 item');
  });

  test('waits for an export, and its file opens', async () => {
    await stage.workflow('Export', MANUAL);
    const form = await stage.editor.addNode('Record Database Import/Export', 'Run export');
    const [template] = await form.pick('templateId');
    expect(template).toMatch(/\S/);
    expect(await form.execute()).toBe('1 item');
    const file = await form.downloadedFile();
    expect(file.split('\n').length).toBeGreaterThan(100);
  });

  test('an error shows the cause and a remedy', async () => {
    await stage.workflow('Error', MANUAL);
    const form = await stage.editor.addNode('Record Database', 'Get record');
    await form.pick('dataTableId', 'Customers');
    await form.typeId('recordId', 'nosuch0001');
    const shown = await form.execute();
    expect(shown).toContain('The record "nosuch0001" does not exist');
    expect(shown).toContain('It may have been deleted');
    await stage.picture('error');
  });

  test('the credential test shows the cause for wrong keys and success for valid ones', async () => {
    const { editor, service } = stage;
    const { appId, appKey, appSecret } = service.keys;
    await editor.newCredential();
    const bad = await editor.saveCredential({ baseUrl: service.baseUrl, appId: 'nope', appKey, appSecret });
    expect(bad).toMatch(/App ID/);
    expect(bad).not.toContain(appSecret);
    expect(await editor.saveCredential({ appId })).toMatch(/tested successfully/i);
    await stage.picture('credential');
  });

  test('no call was undocumented', () => {
    expect(stage.service.violations).toEqual([]);
  });
});
