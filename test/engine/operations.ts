import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Engine } from '../harness';
import type { Service } from '../service';
import { byId, columns } from './support';

/** One operation of one node, with parameters that make it send something. */
export interface OperationCase {
  name: string;
  type: string;
  parameters: Record<string, unknown>;
}

const optionsOf = (property?: INodeProperties) => (property?.options ?? []) as INodePropertyOptions[];

/** A value for a parameter whose default is empty, by what the service's sample data has. */
function filled({ name, type, default: preset, options }: INodeProperties, service: Service): unknown {
  const table = service.table('Customers');
  if (name === 'dataTableId') return byId(table.id);
  if (name === 'recordId')
    return type === 'resourceLocator' ? byId([...table.records.keys()][0]!) : [...table.records.keys()][0];
  if (name === 'columns') return columns({ company: 'Canary', email: 'canary@example.com' }, ['email']);
  if (name === 'email') return service.user.email;
  if (type === 'resourceLocator') return byId('x1');
  if (type === 'options' && preset === '')
    return (options as INodePropertyOptions[] | undefined)?.[0]?.value ?? 'x1';
  if (type === 'string' && preset === '') return 'x1';
  if (type === 'json' && name === 'filterJson') {
    return JSON.stringify({
      condition: 'AND',
      items: [{ field_id: 'company', operator: 'is', val: 'x' }],
      child: [],
    });
  }
  return preset;
}

/** Conditions for the operations that refuse to run without one. */
const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is', value: 'x' }] },
};

/** Every operation that the built package offers, as data for tests that must hold for all of them. */
export function everyOperation(engine: Engine, service: Service): OperationCase[] {
  return engine.nodeTypes.packageNodes().flatMap((type) => {
    const { properties, inputs } = engine.nodeTypes.getByNameAndVersion(type).description;
    if (inputs.length === 0) return [];
    const isShown = (property: INodeProperties, values: Record<string, unknown>) =>
      Object.entries(property.displayOptions?.show ?? {}).every(
        ([key, wanted]) => !(key in values) || (wanted as unknown[]).includes(values[key]),
      );
    return optionsOf(properties.find(({ name }) => name === 'resource')).flatMap(({ value: resource }) =>
      optionsOf(properties.find((one) => one.name === 'operation' && isShown(one, { resource }))).map(
        ({ value: operation }) => {
          const own = properties.filter((one) => isShown(one, { resource, operation }));
          const values = Object.fromEntries(own.map((one) => [one.name, filled(one, service)]));
          return {
            name: `${type.split('.')[1]}: ${String(resource)} ${String(operation)}`,
            type,
            parameters: { ...values, ...(operation === 'batchUpdate' && FILTER), resource, operation },
          };
        },
      ),
    );
  });
}
