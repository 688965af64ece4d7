import {
  parseDownloadUrl,
  parseRedirectUrl,
} from '../../../../../nodes/shared/transport/download/downloadUrl';

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
  ])('%s is fetched', (address) =>
    expect(parseDownloadUrl(address, PUBLIC).href).toBe(new URL(address).href),
  );

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
    'http://localhost.localdomain/',
    'http://minio.storage.svc/',
    'http://minio.storage.svc.cluster.local/',
    'http://files.corp/',
    'http://files.internal/',
    'http://168.63.129.16/metadata',
    'http://224.0.0.1/',
    'http://239.255.255.250:1900/',
    'http://[ff02::1]/',
    'http://１０.0.0.1/',
  ])('%s is inside a network and is not', (address) =>
    expect(() => parseDownloadUrl(address, PUBLIC)).toThrow(/private network/),
  );

  /** The service often offers its files on another port. */
  test.each(['http://192.168.1.10', 'http://database'])(
    'a service inside a network may offer files on its own host, and on no other: %s',
    (own) => {
      expect(parseDownloadUrl(`${own}:9090/a`, `${own}:8080`).port).toBe('9090');
      for (const other of ['http://192.168.1.11', 'http://redis'])
        expect(() => parseDownloadUrl(`${other}/a`, own)).toThrow(/private network/);
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
  ])('%j is not an http(s) address', (address) =>
    expect(() => parseDownloadUrl(address, PUBLIC)).toThrow(/not an http\(s\) address/),
  );

  test('an address without a host belongs to the service', () =>
    expect(parseDownloadUrl('/files/a.pdf', 'https://app.example.com/base').href).toBe(
      'https://app.example.com/files/a.pdf',
    ));

  test.each([
    'https://u:p@files.example.com/',
    'https://u@files.example.com/',
    'https://@files.example.com/',
    'https://:@files.example.com/',
  ])('%s holds a user', (address) =>
    expect(() => parseDownloadUrl(address, PUBLIC)).toThrow(/user or password/),
  );
});

test('a redirect from https to http is refused; to https, and from http to http, it is followed', () => {
  const redirect = (from: string, to: string) => parseRedirectUrl(to, new URL(from), PUBLIC).href;
  expect(() => redirect('https://a.example.com/x', 'http://a.example.com/y')).toThrow(/from https to http/);
  expect(redirect('https://a.example.com/x', '/y')).toBe('https://a.example.com/y');
  expect(redirect('http://a.example.com/x', 'http://b.example.com/y')).toBe('http://b.example.com/y');
});
