import { ApiError, explainForbidden, recordEndpoints } from '../../../../nodes/service';
import { FakeN8n, createErrorAnswer, createOkAnswer } from './fakeN8n';

/** Explains a delete that was refused with 403, for a key whose status shows the given permissions. */
async function explainRefusedDelete(permissions: Record<string, unknown>): Promise<string> {
  const n8n = new FakeN8n(({ url }) =>
    url.endsWith('/status')
      ? createOkAnswer({ type: 'success', api_key: { status: 'Active' }, permissions })
      : createErrorAnswer(403, 'Permission Denied'),
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

test('does not name the key if it has the permission', async () => {
  expect(await explainRefusedDelete({ delete: true })).toMatch(
    /The key itself has the permission, so a rule/,
  );
});

test.each([{}, { read: false, erase: false }])('the status does not show it: %j', async (permissions) => {
  const words = await explainRefusedDelete(permissions);
  expect(words).not.toMatch(/allow_delete|has the permission/);
  expect(words).toMatch(/^The API key lacks the permission for this/);
});
