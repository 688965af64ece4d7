import { explainRedirect, explainRefusedKeys } from '../../../../nodes/service/errors/apiError';

test.each([
  [{ msg: 'Unknown App' }, '401 Unknown App.'],
  [{ msg: '' }, '401.'],
  [{ msg: 5 }, '401.'],
  ['<html>', '401.'],
])('refused keys with the body %j: the service answered %s', (body, answer) => {
  expect(explainRefusedKeys(body)).toEqual({
    message: 'The service refused the keys',
    description: `Compare App ID, App Key and App Secret in the Record Database API credential with those in the service. The service answered: ${answer}`,
  });
});

test.each([
  ['https://user:word@other.example/path?q=1', ' to other.example'],
  ['//other.example:8443', ' to other.example:8443'],
  ['/login?next=https://other.example', ''],
  [undefined, ''],
])('a redirect to %s names the host only', (location, target) => {
  expect(explainRedirect(location).message).toBe(`The service redirects${target}, which is not followed`);
});
