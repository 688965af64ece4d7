import { listFileAddresses } from '../../../../nodes/service/files/downloadUrl';

const A = 'https://files.example.com/a,b.pdf?sign=1,2';
const B = 'https://files.example.com/b.pdf';

test.each<[unknown, string[]]>([
  [null, []],
  ['', []],
  [[], []],
  [A, [A]],
  [`${A},${B}`, [A, B]],
  [`${A}\n${B}`, [A, B]],
  [`/files/a.pdf, ${B}`, ['/files/a.pdf', B]],
  [
    [A, '', B],
    [A, B],
  ],
  [JSON.stringify([A, B]), [A, B]],
  [{ name: 'a.pdf', thumbnail: B, url: A }, [A]],
  [{ name: 'a.pdf', preview: B }, [B]],
  [
    [{ download_url: A }, { path: '/files/b.pdf' }],
    [A, '/files/b.pdf'],
  ],
  [JSON.stringify([{ url: A }]), [A]],
  [`\n ${JSON.stringify([A, B])}`, [A, B]],
  [` ${A} `, [A]],
  [
    `http://files.example.com/a.pdf; ${B} /files/c.pdf`,
    ['http://files.example.com/a.pdf', B, '/files/c.pdf'],
  ],
  ['HTTPS://files.example.com/a.pdf , HTTP://b', ['HTTPS://files.example.com/a.pdf', 'HTTP://b']],
  // The first value that can be the address of the file itself, by its key or else by its form.
  [{ url: '', preview: B }, [B]],
  [{ url: null, path: 5, preview: B }, [B]],
  [{ preview: 'HTTP://files.example.com' }, ['HTTP://files.example.com']],
  [{ title: `see ${B}`, page_url: '/b' }, [JSON.stringify({ title: `see ${B}`, page_url: '/b' })]],
  [{ url_type: 'short', download_url: '/a' }, ['/a']],
  [{ thumbnail_url: '/b', fileUrl: '/a' }, ['/a']],
  [{ file_path: '/a' }, ['/a']],
  [{ downloadLink: '/a' }, ['/a']],
  [{ href: '/a' }, ['/a']],
  [{}, ['{}']],
  [5, ['5']],
  [{ name: 'a.pdf' }, ['{"name":"a.pdf"}']],
  ['contract.pdf', ['contract.pdf']],
  ['[draft] contract.pdf', ['[draft] contract.pdf']],
])('%j has the addresses %j', (value, addresses) => {
  expect(listFileAddresses(value)).toEqual(addresses);
});
