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
  // Evidence 10.
  [{ key: '/A/1-a.jpg', url: A, file_name: '1-a.jpg' }, [A]],
  [{ src: B, width: 8, public_id: 'x' }, [B]],
  [
    [{ url: A, fileName: 'a' }, { url: B }],
    [A, B],
  ],
  [` ${A} `, [A]],
  [
    `http://files.example.com/a.pdf; ${B} /files/c.pdf`,
    ['http://files.example.com/a.pdf', B, '/files/c.pdf'],
  ],
  ['HTTPS://files.example.com/a.pdf , HTTP://b', ['HTTPS://files.example.com/a.pdf', 'HTTP://b']],
  // Nothing is left out: the download of an object without an address is an error.
  [{ url: '', preview: B }, [JSON.stringify({ url: '', preview: B })]],
  [{}, ['{}']],
  [5, ['5']],
  [{ name: 'a.pdf' }, ['{"name":"a.pdf"}']],
  ['contract.pdf', ['contract.pdf']],
  ['[draft] contract.pdf', ['[draft] contract.pdf']],
])('%j has the addresses %j', (value, addresses) => {
  expect(listFileAddresses(value)).toEqual(addresses);
});
