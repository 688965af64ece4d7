import { ApiError, explainForbidden, recordEndpoints } from '../../../../nodes/service';
import { FakeN8n, createOkAnswer } from './fakeN8n';

const REFUSAL = { type: 'error', msg: 'Permission Denied', status: 403 };

/** Explains a delete that was refused with 403, for a key whose status shows the given permissions. */
async function explainRefusedDelete(permissions: Record<string, unknown>): Promise<string> {
  const n8n = new FakeN8n(({ url }) =>
    url.endsWith('/status')
      ? createOkAnswer({ type: 'success', api_key: { status: 'Active' }, permissions })
      : { statusCode: 403, headers: {}, body: { ...REFUSAL, errors: { notes: ['It is locked'] } } },
  );
  const client = await n8n.createClient();
  const path = { dataTableId: 't', recordId: 'r' };
  const refused = await client.call(recordEndpoints.delete, { path }).catch((error: unknown) => error);
  const { message, description } = (await explainForbidden(client, refused)) as ApiError;
  return `${message}. ${description}`;
}

test('names a permission that the key lacks', async () => {
  expect(await explainRefusedDelete({ delete: false })).toMatch(
    /^The API key lacks the permission allow_delete /,
  );
});

test('does not name the key if it has the permission, and names a field once', async () => {
  expect(await explainRefusedDelete({ delete: true })).toBe(
    'The service does not permit this (notes: It is locked). The key itself has the permission, so a rule of the page, the component or the user forbids it. Change the rule in the service, or use a credential that may do this. The service answered: 403 Permission Denied.',
  );
});

test.each([{}, { read: false, erase: false }])('the status does not show it: %j', async (permissions) => {
  const words = await explainRefusedDelete(permissions);
  expect(words).not.toMatch(/allow_delete|has the permission/);
  expect(words).toMatch(/^The API key lacks the permission for this/);
});
