import { listOperators } from '../../../../nodes/records/filter/tree';

// `build.test.ts` lists all operators of each kind.
test.each(['user', 'connection'] as const)(
  '%s: the operators for the logged-in user need a credential that logs in',
  (kind) => {
    const list = (hasUserLogin: boolean) => listOperators(kind, { hasUserLogin }).map(({ name }) => name);
    const forUser = list(true).filter((name) => name.includes('logged in user'));
    expect(forUser).toHaveLength(4);
    expect(list(false)).toEqual(list(true).filter((name) => !forUser.includes(name)));
  },
);

test('without a login, a text has all its operators', () => {
  expect(listOperators('text', { hasUserLogin: false })).toEqual(
    listOperators('text', { hasUserLogin: true }),
  );
});
