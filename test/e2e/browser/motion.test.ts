/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { countBy } from 'lodash';
import { RELEASE } from '../installation';
import { RELEASES, versionOf } from '../n8n';
import { Motion } from './motion';
import { byId } from './nodeForm';
import { Stage } from './stage';

/** The picture at the top of the README: from an empty workflow to the filtered records of a table. */

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());

const VIEW = { width: 1440, height: 860 };

/** Bytes that a browser loads before it shows the whole README. */
const MAXIMUM = 3_000_000;

/** The name of a customer with a screen of orders, whom no other customer's name means. */
function findCustomer(): { first_name: string; last_name: string } {
  const { service } = stage;
  const customers = [...service.getTable('Customers').records.values()];
  const orders = [...service.getTable('Orders').records.values()];
  const countOrders = (id: string) =>
    orders.filter((order) => (order.customer as string[]).includes(id)).length;
  const counts = countBy(customers, ({ name }) => JSON.stringify(name));
  const found = customers.find(({ id, name }) => counts[JSON.stringify(name)] === 1 && countOrders(id) >= 10);
  return found!.name as { first_name: string; last_name: string };
}

// The editor of n8n 1 looks different, and one picture is enough.
const testNewest = RELEASE === RELEASES.newest ? test : test.skip;

testNewest(`from an empty workflow to filtered records in n8n ${versionOf(RELEASE)}`, async () => {
  const { editor, page } = stage;
  await page.setViewportSize(VIEW);
  await editor.newWorkflow();
  const motion = await Motion.start(page);
  await motion.show(900);

  const inPalette = (name: string) =>
    page
      .locator(`${byId('node-creator-item-name')}:visible`)
      .getByText(name, { exact: true })
      .first();
  const search = page.locator(byId('node-creator-search-bar'));
  await motion.click(page.locator(`${byId('canvas-add-button')} button`), search);
  await search.click();
  await motion.type(['rec', 'ord d', 'atabase'], inPalette('Record Database'));
  const actions = page.getByText(/^Actions \(\d+\)$/);
  await motion.click(inPalette('Record Database'), actions);
  await motion.click(actions, inPalette('Get many records'));
  const ndv = page.locator(byId('ndv'));
  await motion.click(inPalette('Get many records'), ndv);

  const listed = page.locator(`${byId('rlc-item')}:visible`);
  const table = ndv.locator(`${byId('resource-locator-dataTableId')} ${byId('rlc-input')}`);
  await motion.click(table, listed);
  await motion.click(listed.getByText('Orders', { exact: true }).first());

  const input = (name: string) =>
    ndv
      .locator(byId(`parameter-input-${name}`))
      .and(page.locator('.parameter-value-container, .parameter-switch'))
      .last();
  const choose = async (name: string, option: string) => {
    const options = page.locator('[role=option]:visible');
    await input(name).locator('input:enabled').first().waitFor();
    await motion.click(input(name).locator('.el-select__caret').first(), options);
    const wanted = options.filter({ has: page.getByText(option, { exact: true }) }).first();
    await wanted.scrollIntoViewIfNeeded();
    await motion.click(wanted);
  };
  await choose('field', 'Customer (Connection)');
  const { first_name, last_name } = findCustomer();
  const value = input('value').locator('input, textarea').first();
  await motion.click(value);
  await motion.type([first_name.slice(0, 2), first_name.slice(2), ` ${last_name}`]);
  // n8n stores a value some time after the last key.
  await page.waitForTimeout(500);

  const output = ndv.locator(byId('output-panel'));
  await motion.click(
    page.locator(`${byId('node-execute-button')}:visible`).first(),
    output.getByText(`${first_name} ${last_name}`),
  );
  await page.mouse.move(VIEW.width / 2, VIEW.height - 20);
  // n8n's notice covers the output for some seconds.
  await page.locator('.el-notification').first().waitFor({ state: 'hidden' });
  await motion.show(3_500);

  const folder = process.env.SCREENSHOTS ?? join('reports', 'e2e', RELEASE.name);
  await motion.save(folder, 'first-records');
  for (const scheme of ['light', 'dark'])
    expect(statSync(join(folder, `first-records-${scheme}.webp`)).size).toBeLessThan(MAXIMUM);
});
