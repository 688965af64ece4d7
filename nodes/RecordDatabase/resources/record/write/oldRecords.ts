import type { Item } from '../../../../shared/kit/operation/item';
import { defineParameter } from '../../../../shared/kit/operation/parameter';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import type { SymbolicItem } from '../../../../shared/model/filter';
import { InputError } from '../../../../shared/model/input/inputError';
import { asObject } from '../../../../shared/model/input/isObject';
import type { Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import { readVerifiedList } from '../../../../shared/transport/paging/readVerifiedList';

export const returnOldRecordsOption = defineParameter({
  displayName: 'Return Old Records',
  name: 'returnOldRecords',
  type: 'boolean',
  default: true,
  description:
    'Whether to return the records as they were before the update, one item each. To undo the update, give these items to the operation Update. Needs 1 request for each 180 records.',
});

/**
 * Reads the records that meet all conditions, as the service returns them.
 * @param expected number of records that the check counted
 * @throws InputError when another number of records was read
 */
export async function readOldRecords(
  item: Item,
  table: Table,
  items: SymbolicItem[],
  expected: number,
): Promise<ServiceRecord[]> {
  const filters = { condition: 'AND', items };
  const records = await readVerifiedList({
    fetchPage: async (page, limit) => {
      const { body } = await item.client.call(recordEndpoints.search, {
        path: { dataTableId: table.id },
        body: { filters, page, limit },
      });
      return { items: body.items, total: body.total_items };
    },
    limit: Infinity,
    concurrency: item.client.concurrency,
    getId: ({ id }) => id,
  });
  if (records.length === expected) return records;
  throw new InputError(
    `Return Old Records: ${expected} records meet the conditions, and ${records.length} were read`,
    'Nothing was changed: records changed meanwhile, or the user may not read all of them. Run it again, or remove the option.',
  );
}

/** Adds a hint when the service updated another number of records than were read before. */
export function noteOtherTotal(item: Item, readCount: number, response: unknown): void {
  const { total } = asObject(response);
  if (total === undefined || Number(total) === readCount) return;
  item.client.notices.addHint(
    `The service updated ${String(total)} records, and the output has the ${readCount} that were read before: records changed meanwhile.`,
  );
}
