import type { IDataObject } from 'n8n-workflow';
import { bodyOf } from '../../../shared/kit/body';
import { columnMapper } from '../../../shared/kit/columnMapper';
import type { Item } from '../../../shared/kit/item';
import type { Operation } from '../../../shared/kit/operation';
import { tableLocator } from '../../../shared/kit/pickers';
import type { Entries } from '../../../shared/model/fields';
import { recordIn } from './answer';
import { createOnce, dedupeOption } from './dedupe';
import { endpoints } from './endpoints';
import { formulaHeaders, formulaOptions } from './formulas';
import { linkEntries, linkOf, linkOption } from './link';
import { withDefaults } from './defaults';
import { entriesOf, valuesOf } from '../../../shared/kit/givenValues';

/** A payload with its link: `connected_to` is an object in JSON and `connected_to[…]` keys in a form. */
function createBody(entries: Entries, link: IDataObject | undefined): IDataObject | FormData {
  const body = bodyOf(entries);
  if (!link) return body;
  return body instanceof FormData
    ? bodyOf([...entries, ...linkEntries(link)])
    : { ...body, connected_to: link };
}

/** Creates one record. @returns the answer's body */
export async function createRecord(item: Item, entries: Entries): Promise<unknown> {
  const answer = await item.client.call(endpoints.create, {
    path: { dataTableId: item.id('dataTableId') },
    query: item.option('equationLog') ? { showequationlog: true } : undefined,
    headers: formulaHeaders(item),
    body: createBody(entries, linkOf(item)),
  });
  return answer.body;
}

export const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create a record',
  description: 'Create a record',
  endpoints: [endpoints.create, endpoints.listFiltered],
  parameters: [
    tableLocator,
    columnMapper('create'),
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [
        {
          displayName: 'Apply Field Defaults',
          name: 'applyDefaults',
          type: 'boolean',
          default: true,
          description:
            'Whether columns without a value get the default that is configured on the field. The service does not do this by itself.',
        },
        dedupeOption,
        linkOption,
        ...formulaOptions,
        {
          displayName: 'Return Equation Log',
          name: 'equationLog',
          type: 'boolean',
          default: true,
          description: 'Whether the output tells how each formula was worked out, under "equationLog"',
        },
      ],
    },
  ],
  async run(item) {
    const table = await item.table(item.id('dataTableId'));
    const given = await valuesOf(item, table);
    const values = item.option('applyDefaults') ? withDefaults(given, table) : given;
    const entries = entriesOf(item, table, values);
    return recordIn(await createOnce(item, table, entries, () => createRecord(item, entries)));
  },
};
