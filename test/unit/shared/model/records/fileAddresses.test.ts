import { listFileAddresses } from '../../../../../nodes/shared/model/records/fileAddresses';

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
  [{ name: 'a.pdf' }, ['{"name":"a.pdf"}']],
  ['contract.pdf', ['contract.pdf']],
  ['[draft] contract.pdf', ['[draft] contract.pdf']],
])('%j has the addresses %j', (value, addresses) => {
  expect(listFileAddresses(value)).toEqual(addresses);
});
