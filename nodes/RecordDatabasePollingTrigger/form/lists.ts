import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { getMatchableFilterOperators } from '../../shared/kit/filter/filterLoadOptions';
import { withLiteralResults } from '../../shared/kit/literalOptions';
import { runLookup } from '../../shared/kit/pickers/runLookup';
import { findPickedTable } from '../../shared/kit/pickers/tablePickers';
import { getTable } from '../../shared/transport/schema';
import { isDateTimeField } from '../reading/dateField';

/** The Date-Time fields of the picked table. */
async function getDateFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const tableId = await findPickedTable(this);
  if (!tableId) return [];
  const { fields } = await runLookup(this, (client) => getTable(client, tableId));
  return fields.filter(isDateTimeField).map(({ name, slug }) => ({ name, value: slug }));
}

/** The load options methods of the polling trigger, beside those of all nodes. */
export const pollingLoadOptions = withLiteralResults({
  getDateFields,
  getFilterOperators: getMatchableFilterOperators,
});
