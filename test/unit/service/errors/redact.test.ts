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
  ['a beginning that repeats: aaaab', ['aaab'], 'a beginning that repeats: a•••'],
  ['the same sign more often: aaaaaa', ['aaaa'], 'the same sign more often: •••aa'],
  [
    `many signs that JSON doubles: ${'\\'.repeat(99)}a`,
    [`${'\\'.repeat(60)}b`],
    `many signs that JSON doubles: ${'\\'.repeat(99)}a`,
  ],
  ['side by side: aaabaaab', ['aaab'], 'side by side: ••••••'],
  ['a sign of a notation: 100%252F', ['00%2'], 'a sign of a notation: 1•••F'],
  ['a longer small letter: İ SECRET', ['secret'], 'a longer small letter: İ •••'],
  ['the beginning alone: secr', ['secret'], 'the beginning alone: secr'],
])('%s', (text, secrets, expected) => expect(redact(text, secrets)).toBe(expected));

const SECRET = 'k"3\\y+/=<&\'ß 🔑\n-end';

/** A service may repeat a key in its answer, in the notation of whatever it embeds it in. */
test.each<[notation: string, write: (text: string) => string]>([
  ['plain', (text) => text],
  ['a URL', encodeURIComponent],
  ['a URL in small letters', (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase())],
  ['a URL, each byte', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ['a form', (text) => new URLSearchParams({ text }).toString().slice('text='.length)],
  ['JSON', (text) => JSON.stringify(text)],
  ['JSON of PHP', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  [
    'JSON, each unit',
    (text) => text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  [
    'HTML with names',
    (text) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#039;'.replace('0', '')),
  ],
  ['HTML with numbers', (text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join('')],
  ['HTML with hexadecimal numbers', (text) => [...text].map((one) => `&#x${one.codePointAt(0)!.toString(16)};`).join('')], // prettier-ignore
])('masks a secret in %s', (_, write) => {
  const echo = write(SECRET);
  const clean = redact(`before ${echo} after`, [SECRET]);
  expect(clean.replace(/"/g, '')).toBe('before ••• after');
});

test('the pattern that finds a secret does not grow with it: a long one would block n8n for a second', () => {
  const sources: string[] = [];
  const { RegExp } = globalThis;
  jest.spyOn(globalThis, 'RegExp').mockImplementation((source, flags) => {
    sources.push(String(source));
    return new RegExp(source, flags);
  });
  const token = Buffer.from('a token of a user '.repeat(20)).toString('base64');
  const clean = redact(`Refused: ${token}`, [token]);
  jest.restoreAllMocks();
  expect(clean).toBe('Refused: •••');
  expect(sources.length).toBeGreaterThan(0);
  expect(Math.max(...sources.map(({ length }) => length))).toBeLessThan(token.length);
});
