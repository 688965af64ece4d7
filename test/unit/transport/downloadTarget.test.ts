import { downloadTarget } from '../../../nodes/shared/transport/downloadTarget';

const PUBLIC = 'https://app.example.com';

describe('download addresses', () => {
  test.each([
    'https://files.example.com/a.csv',
    'http://files.example.com:8080/a.csv?signature=a@b',
    'https://203.0.113.7/a',
    'https://[2001:db8::1]/a',
    'HTTPS://FILES.EXAMPLE.COM/a',
    'https://files.example.com',
    'https://1.1.1.1/172.16.0.1/@10.0.0.1',
    'https://files.example.com/made/Customer list.csv?name=Customer list',
    'https://files.example.com?name=Customer list',
  ])('%s is fetched', (address) => expect(downloadTarget(address, PUBLIC).href).toBe(new URL(address).href));

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://10.1.2.3/',
    'http://172.20.0.1/',
    'http://192.168.1.1/',
    'http://100.100.100.200/',
    'http://0/',
    'http://metadata.google.internal/',
    'http://metadata/computeMetadata/v1/',
    'http://redis:6379/',
    'http://redis./',
    'http://１０.0.0.1/',
  ])('%s is inside a network and is not', (address) =>
    expect(() => downloadTarget(address, PUBLIC)).toThrow(/private network/),
  );

  /** Its files often lie behind another port. */
  test.each(['http://192.168.1.10', 'http://database'])(
    'a service inside a network may offer files on its own host, and on no other: %s',
    (own) => {
      expect(downloadTarget(`${own}:9090/a`, `${own}:8080`).port).toBe('9090');
      for (const other of ['http://192.168.1.11', 'http://redis'])
        expect(() => downloadTarget(`${other}/a`, own)).toThrow(/private network/);
    },
  );

  test.each([
    'file:///etc/passwd',
    'ftp://files.example.com/',
    'data:,a',
    'javascript:1',
    '//files.example.com/',
    '/\\evil.example/a',
    '',
    ' https://files.example.com/',
    'https://files.example.com/ ',
    'https://files.example.com/a\tb',
    'https://files.example.com/a\u00a0b',
    'https://files.example.com /a b',
    'https:files.example.com',
    'https:///files.example.com',
    'https:\\\\files.example.com',
    'https://files.example.com\\@evil.example/',
    'https://a b/',
    'https://a\tb/',
    undefined,
    null,
    7,
    {},
    ['https://files.example.com'],
  ])('%j is no http(s) address', (address) =>
    expect(() => downloadTarget(address, PUBLIC)).toThrow(/no http\(s\) address/),
  );

  test('without a host it is an address of the service itself', () =>
    expect(downloadTarget('/files/a.pdf', 'https://app.example.com/base').href).toBe(
      'https://app.example.com/files/a.pdf',
    ));

  test.each([
    'https://u:p@files.example.com/',
    'https://u@files.example.com/',
    'https://@files.example.com/',
    'https://:@files.example.com/',
  ])('%s holds a user', (address) =>
    expect(() => downloadTarget(address, PUBLIC)).toThrow(/user or password/),
  );
});
