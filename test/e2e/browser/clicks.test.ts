import { RELEASE } from '../installation';
import { versionOf } from '../n8n';
import { watchClicks } from './clicks';
import { byId } from './nodeForm';
import { Stage } from './stage';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

const customers = () => [...stage.service.getTable('Customers').records.values()];
const countCustomers = (status: string) =>
  customers().filter((customer) => String(customer.status) === status).length;

/** Opens an empty workflow. @returns a function that reads the number of clicks since then */
async function startWorkflow(): Promise<() => Promise<number>> {
  await stage.editor.newWorkflow();
  return watchClicks(stage.page);
}

describe(`clicks in n8n ${versionOf(RELEASE)}`, () => {
  // Add first step, the node, its actions, the action, the list of tables, a table, Execute step.
  test('the first records take 7 clicks from an empty workflow', async () => {
    const countClicks = await startWorkflow();
    const form = await stage.editor.addFirstNode('Record Database', 'Get many records');
    await form.pick('dataTableId', 'Customers');
    expect(await form.execute()).toBe('50 items');
    expect(await countClicks()).toBe(7);
  });

  // The list of fields, a field, the list of choices, a choice, Execute step.
  test('the first filter takes 5 clicks once the table is picked, on one screen', async () => {
    await stage.editor.newWorkflow();
    const form = await stage.editor.addFirstNode('Record Database', 'Get many records');
    await form.pick('dataTableId', 'Customers');
    const countClicks = await watchClicks(stage.page);
    const conditions = form.conditions();
    await form.hasLoaded('field');
    await form.choose('field', 'Status (Select)', conditions);
    await form.hasLoaded('choiceValue');
    for (const input of ['limit', 'filterMode', 'field', 'operator', 'choiceValue'])
      expect([input, await form.isOnScreen(input)]).toEqual([input, true]);
    await form.choose('choiceValue', 'Lead', conditions);
    // n8n shows the count of the output up to the limit of 50 records.
    expect(await form.execute()).toBe(`${Math.min(50, countCustomers('lead'))} items`);
    await form.outputShows('lead');
    expect(await countClicks()).toBe(5);
  });

  // As the first records, and the input of the required column.
  test('the first written record takes 8 clicks from an empty workflow', async () => {
    const before = customers().length;
    const countClicks = await startWorkflow();
    const form = await stage.editor.addFirstNode('Record Database', 'Create record');
    await form.pick('dataTableId', 'Customers');
    await form.clickAndType('email', 'first@example.com');
    expect(await form.execute()).toBe('1 item');
    expect(customers().slice(before)).toMatchObject([{ email: 'first@example.com' }]);
    expect(await countClicks()).toBe(8);
  });

  // Add first step, the node, On record created, the list of tables, a table, Execute step.
  test('a trigger takes 6 clicks from an empty workflow', async () => {
    const countClicks = await startWorkflow();
    await stage.page.locator(`${byId('canvas-add-button')} button`).click();
    await stage.page.fill(byId('node-creator-search-bar'), 'Record Database');
    await stage.editor.pickFromPalette('Record Database');
    await stage.editor.pickFromPalette('On record created');
    const tables = stage.page.locator(byId('parameter-input-tables')).last();
    await tables.locator('input:enabled').first().waitFor();
    await tables.locator('.el-select__caret').first().click();
    await stage.page.locator('[role=option]:visible').filter({ hasText: 'Customers' }).first().click();
    await stage.page
      .locator(`${byId('node-execute-button')}:visible`)
      .first()
      .click();
    expect(await countClicks()).toBe(6);
  });

  test('no call was undocumented', () => {
    expect(stage.service.violations).toEqual([]);
  });
});
