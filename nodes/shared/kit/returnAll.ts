import type { INodeProperties } from 'n8n-workflow';
import type { Item } from './item';

/** n8n's usual pair: everything, or up to a limit. */
export const returnAllOrLimit: INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { returnAll: [false] } },
  },
];

export const limitOf = (item: Item): number => (item.flag('returnAll') ? Infinity : item.count('limit', 50));
