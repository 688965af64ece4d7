import { redact } from '../../../../nodes/client/errors/apiError';

test.each([
  ['key k3y+/= leaked', ['k3y+/='], 'key ••• leaked'],
  ['in a URL: k3y%2B%2F%3D', ['k3y+/='], 'in a URL: •••'],
  ['twice k3ys k3ys', ['k3ys'], 'twice ••• •••'],
  ['nothing to hide', ['', 'abc', undefined], 'nothing to hide'],
  ['longer first: secret-secret2', ['secret', 'secret-secret2'], 'longer first: •••'],
  ['Authorization: Bearer ey123.abc_d-e', [], 'Authorization: Bearer •••'],
])('%s', (text, secrets, expected) => expect(redact(text, secrets)).toBe(expected));
