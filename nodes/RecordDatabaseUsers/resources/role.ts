import type { INodeProperties } from 'n8n-workflow';
import { outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { v1 } from '../../shared/model/endpoint';
import { listIn } from '../../shared/model/responses';

const listRoles = v1('GET /roles');

const only: INodeProperties = {
  displayName: 'Role Names or IDs',
  name: 'roles',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getRoles' },
  description:
    'Return these roles only; leave empty for all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many roles',
  description: 'Get the roles that users of the application can have',
  endpoints: [listRoles],
  parameters: [only],
  async run(item) {
    const wanted = item.names('roles');
    const { body } = await item.client.call(listRoles);
    const roles = listIn(body, 'items');
    if (!roles || wanted.length === 0) return outputs(roles ?? body);
    return outputs(roles.filter((one) => wanted.includes(String((one as { id?: unknown }).id))));
  },
};

/** Spec: Role. */
export const role: Resource = { name: 'role', displayName: 'Role', operations: [getAll] };
