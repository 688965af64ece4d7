import { createUnknownEntryError } from '../../n8n/lists/listPicker';
import { type Operation, type Resource, toOutputs } from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';
import { asObject, tableEndpoints } from '../../service';

const rolesParameter = defineParameter({
  displayName: 'Role Names or IDs',
  name: 'roles',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getRoles' },
  hint: 'Empty: all roles',
  description:
    'Only these roles. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many roles',
  description: 'Get the roles that users of the application can have',
  parameters: [rolesParameter],
  async run(item) {
    const wanted = item.read(rolesParameter);
    const { body } = await item.client.call(tableEndpoints.listRoles);
    if (wanted.length === 0) return toOutputs(body.items);
    const getId = (one: unknown) => String(asObject(one).id);
    const known = new Set(body.items.map(getId));
    const unknown = wanted.filter((id) => !known.has(id));
    if (unknown.length > 0) throw createUnknownEntryError('role', unknown);
    return toOutputs(body.items.filter((one) => wanted.includes(getId(one))));
  },
};

/** Spec: Role. */
export const role: Resource = { name: 'role', displayName: 'Role', operations: [getAll] };
