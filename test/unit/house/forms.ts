import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import type { Endpoint } from '../../../nodes/shared/model/endpoint';
import { SOURCES, type ListName } from '../../../nodes/shared/kit/listSources';
import { properties as triggerForm } from '../../../nodes/RecordDatabaseTrigger/properties';
import { actionNodes } from '../../operations';

/** What a person sees once resource and operation are chosen, in that order. */
export interface Form {
  at: string;
  fields: INodeProperties[];
  endpoints: Endpoint[];
}

const CHOICES = ['resource', 'operation'];

export const forms: Form[] = [
  { at: 'RecordDatabaseTrigger', fields: triggerForm, endpoints: [] },
  ...actionNodes().flatMap(({ folder, properties, resources }) =>
    resources.flatMap((resource) =>
      resource.operations.map(({ name, endpoints }) => {
        const fields = properties.filter(({ name: field, displayOptions: { show = {} } = {} }) => {
          const isShown = (key: string, value: string) => show[key]?.includes(value) ?? true;
          return !CHOICES.includes(field) && isShown('resource', resource.name) && isShown('operation', name);
        });
        return { at: `${folder} ${resource.name} ${name}`, fields, endpoints };
      }),
    ),
  ),
];

/** Rows of fields inside a field. Those of an options collection are added one by one, and so have no order. */
export const rowsIn = ({ type, options = [] }: INodeProperties): INodeProperties[][] => {
  if (type === 'fixedCollection') return (options as INodePropertyCollection[]).map(({ values }) => values);
  return type === 'collection' ? (options as INodeProperties[]).map((one) => [one]) : [];
};

/** `&field` is in the same row; `dataTableId.value` is what is picked in `dataTableId`. */
const nameIn = (reference: string) => reference.replace(/^[&/]/, '').split('.')[0]!;

/** The fields that decide whether this one is shown. */
export const shownBy = ({ displayOptions: { show, hide } = {} }: INodeProperties): string[] =>
  Object.keys({ ...show, ...hide })
    .filter((name) => !CHOICES.includes(name))
    .map(nameIn);

/** The fields that its list follows: any of them, for a list may serve several forms. */
export function followed({ typeOptions, modes = [] }: INodeProperties): string[] {
  const methods = [
    typeOptions?.loadOptionsMethod,
    ...modes.map((mode) => mode.typeOptions?.searchListMethod),
  ];
  const within = methods.flatMap((method = '') => {
    const source = SOURCES[method.replace(/^(get|search)/, '') as ListName];
    return source && 'within' in source ? [source.within] : [];
  });
  return [...(typeOptions?.loadOptionsDependsOn ?? []).flat().map(nameIn), ...within];
}

/** Every field that a field needs, those of its rows included, save those that stand in the same row. */
export function needs(field: INodeProperties): string[] {
  const inRows = rowsIn(field).flatMap((row) => {
    const siblings = new Set(row.map(({ name }) => name));
    return row.flatMap(needs).filter((name) => !siblings.has(name));
  });
  return [...shownBy(field), ...followed(field), ...inRows];
}
