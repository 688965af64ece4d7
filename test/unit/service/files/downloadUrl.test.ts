import { parseDownloadUrl, parseRedirectUrl } from '../../../../nodes/service/files/downloadUrl';
import { parseFileHosts } from '../../../../nodes/service/http/credential';

const PUBLIC = { baseUrl: 'https://app.example.com', fileHosts: [] };

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
    'http://minio.storage.svc.cluster/',
    'http://minio.docker/',
    'http://files.localnet/',
    'http://minio.storage.svc.cluster.local/',
    'http://files.corp/',
    'http://files.internal/',
    'http://files.internal./',
    'http://168.63.129.16/metadata',
    'http://224.0.0.1/',
    'http://239.255.255.250:1900/',
    'http://[ff02::1]/',
    'http://１０.0.0.1/',
    'http://[2001:0:7f00:1::]/',
    'http://[2001::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[64:ff9b::7f00:1]/',
  ])('%s is inside a network and is not', (address) =>
    expect(() => parseDownloadUrl(address, PUBLIC)).toThrow(/private network/),
  );

  test.each(['http://192.168.1.10:8080', 'http://database', 'https://database'])(
    'a service inside a network may offer files on its own host and port, and nowhere else: %s',
    (baseUrl) => {
      const own = { baseUrl, fileHosts: [] };
      expect(parseDownloadUrl(`${baseUrl}/a`, own).origin).toBe(baseUrl);
      const { protocol, hostname } = new URL(baseUrl);
      for (const other of [`${protocol}//${hostname}:9090`, 'http://192.168.1.11:8080', 'http://redis'])
        expect(() => parseDownloadUrl(`${other}/a`, own)).toThrow(/private network/);
    },
  );

  test('the error of a private host names the setting that allows it, and what to add', () => {
    expect(() => parseDownloadUrl('http://storage:9000/a', PUBLIC)).toThrow(
      expect.objectContaining({
        message: 'The download address was not fetched: storage:9000 is inside a private network',
        description:
          'If the service keeps its files there, open the Record Database API credential, turn on Advanced Settings, and add storage:9000 to File Hosts.',
      }),
    );
  });

  test.each([
    ['storage:9000', 'http://storage:9000/a', 'http://storage:9001/a'],
    ['storage', 'http://storage/a', 'http://storage:9000/a'],
    ['storage', 'https://storage/a', 'https://storage:9000/a'],
    ['storage:443', 'https://storage/a', 'https://storage:9000/a'],
    ['storage:80', 'http://storage/a', 'http://storage:9000/a'],
    ['storage:*', 'http://storage:9000/a', 'http://storage2:9000/a'],
    ['storage:*', 'http://storage/a', 'http://storage.local/a'],
    ['[fd00::1]:9000', 'http://[fd00::1]:9000/', 'http://[fd00::1]/'],
    ['STORAGE , 10.0.0.5:9000', 'http://10.0.0.5:9000/a', 'http://10.0.0.5/a'],
    ['10.0.0.5:9000, STORAGE', 'http://storage/a', 'http://10.0.0.5:9001/a'],
  ])('File Hosts %s allows %s and not %s', (setting, allowed, refused) => {
    const origin = { ...PUBLIC, fileHosts: parseFileHosts(setting) };
    expect(parseDownloadUrl(allowed, origin).href).toBe(allowed);
    expect(() => parseDownloadUrl(refused, origin)).toThrow(/private network/);
    expect(parseRedirectUrl(allowed, new URL('http://a.example.com/'), origin).href).toBe(allowed);
    expect(() => parseRedirectUrl(allowed, new URL('http://a.example.com/'), PUBLIC)).toThrow(
      /private network/,
    );
  });

  test.each([
    'http://storage',
    'storage/files',
    'user@storage',
    '*',
    'storage:x',
    'a b',
    ':9000',
    'storage:9:*',
    '*.internal',
  ])('File Hosts refuses %s', (text) =>
    expect(() => parseFileHosts(`storage, ${text}`)).toThrow(`File Hosts cannot be "${text}"`),
  );

  test('the error of File Hosts shows what a host looks like', () =>
    expect(() => parseFileHosts('http://storage')).toThrow(
      expect.objectContaining({
        message: 'File Hosts cannot be "http://storage"',
        description:
          'Open the Record Database API credential and give hosts separated by commas, without https:// and without a path: files.internal, 10.0.0.5:9000, storage:* for any port.',
      }),
    ));

  test.each([undefined, '', ' , '])('File Hosts may be empty: %j', (value) =>
    expect(parseFileHosts(value)).toEqual([]),
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
    ['/files/a.pdf'],
    'https://files.example.com:99999/',
    'https://1.2.3.256/',
  ])('%j is not an http(s) address', (address) =>
    expect(() => parseDownloadUrl(address, PUBLIC)).toThrow(/not an http\(s\) address/),
  );

  test('an address without a host belongs to the service', () =>
    expect(
      parseDownloadUrl('/files/a.pdf', { ...PUBLIC, baseUrl: 'https://app.example.com/base' }).href,
    ).toBe('https://app.example.com/files/a.pdf'));

  test.each([
    'https://u:p@files.example.com/',
    'https://u@files.example.com/',
    'https://@files.example.com/',
    'https://:@files.example.com/',
  ])('%s holds a user', (address) =>
    expect(() => parseDownloadUrl(address, PUBLIC)).toThrow(/user name or a password/),
  );
});

test('a redirect from https to http is refused; to https, and from http to http, it is followed', () => {
  const redirect = (from: string, to: string) => parseRedirectUrl(to, new URL(from), PUBLIC).href;
  expect(() => redirect('https://a.example.com/x', 'http://a.example.com/y')).toThrow(/from https to http/);
  expect(redirect('https://a.example.com/x', '/y')).toBe('https://a.example.com/y');
  expect(redirect('http://a.example.com/x', 'http://b.example.com/y')).toBe('http://b.example.com/y');
});

test.each([undefined, 'http://['])('a redirect to %j has no target address', (location) =>
  expect(() => parseRedirectUrl(location, new URL('https://a.example.com/x'), PUBLIC)).toThrow(
    'The download address was not fetched: it redirects without a target address',
  ),
);
