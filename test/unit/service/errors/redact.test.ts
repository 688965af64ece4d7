/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { redact } from '../../../../nodes/service/errors/redact';

test.each([
  ['key k3y+/= leaked', ['k3y+/='], 'key ••• leaked'],
  ['in a URL: k3y%2B%2F%3D', ['k3y+/='], 'in a URL: •••'],
  ['twice k3ys k3ys', ['k3ys'], 'twice ••• •••'],
  ['nothing to hide', ['', 'abc', undefined], 'nothing to hide'],
  ['in capitals: 0FA9C3', ['0fa9c3'], 'in capitals: •••'],
  ['longer first: secret-secret2', ['secret', 'secret-secret2'], 'longer first: •••'],
  ['Authorization: Bearer ey123.abc_d-e', [], 'Authorization: Bearer •••'],
  ['a + stands for a space only: k+ey k3ey', ['k ey', 'k3ey'], 'a + stands for a space only: ••• •••'],
  ['not k+ey', ['k3ey'], 'not k+ey'],
  ['side by side: aaabaaab', ['aaab'], 'side by side: ••••••'],
  ['the beginning alone: secr', ['secret'], 'the beginning alone: secr'],
])('%s', (text, secrets, expected) => expect(redact(text, secrets)).toBe(expected));

const SECRET = 'k"3\\y+/=<&\'ß 🔑\n-end';

/** A service may repeat a key in its answer, in the notation of whatever it embeds it in. */
test.each<[notation: string, write: (text: string) => string]>([
  ['plain', (text) => text],
  ['capitals', (text) => text.toUpperCase().replace('SS', 'ß')],
  ['a URL', encodeURIComponent],
  ['a URL in small letters', (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase())],
  ['a form', (text) => new URLSearchParams({ text }).toString().slice('text='.length)],
  ['JSON', (text) => JSON.stringify(text)],
  [
    'JSON of PHP',
    (text) =>
      JSON.stringify(text)
        .replaceAll('/', '\\/')
        .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  [
    'HTML',
    (text) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;'),
  ],
])('masks a secret in %s', (_, write) => {
  const echo = write(SECRET);
  const clean = redact(`before ${echo} after`, [SECRET]);
  expect(clean.replace(/"/g, '')).toBe('before ••• after');
});

test('a long token is masked at once', () => {
  const token = Buffer.from('a token of a user '.repeat(200)).toString('base64');
  const from = performance.now();
  expect(redact(`Refused: ${token}`, [token])).toBe('Refused: •••');
  expect(performance.now() - from).toBeLessThan(100);
});
