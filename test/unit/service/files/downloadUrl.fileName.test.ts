import { parseFileName } from '../../../../nodes/service/files/downloadUrl';

test.each([
  ['attachment; filename="a.csv"', '', 'a.csv'],
  ['attachment; filename=a.csv', '', 'a.csv'],
  ['attachment; filename=a.csv ; size=3', '', 'a.csv'],
  ['attachment; filename="b.csv"; filename*=UTF-8\'\'%C3%A4.csv', '', 'ä.csv'],
  ['attachment; filename="../../etc/passwd"', '', 'passwd'],
  ['attachment; filename="C:\\temp\\a.csv"', '', 'a.csv'],
  // A line break does not end the path.
  ["attachment; filename*=UTF-8''a%0A%2F..%2Fb", '', 'b'],
  ["attachment; filename*=UTF-8''..%E2%80%A8%2Fb", '', 'b'],
  ['attachment; filename=".."', '', 'file'],
  ['attachment; filename="%E0%A4%A"', '', '%E0%A4%A'],
  // Raw UTF-8 as Node gives it, Latin-1, and what is neither.
  [`attachment; filename="${Buffer.from('Übersicht ä.csv').toString('latin1')}"`, '', 'Übersicht ä.csv'],
  ['attachment; filename="\xdcbersicht.csv"', '', 'Übersicht.csv'],
  ['attachment; filename="名.csv"', '', '名.csv'],
  ['', '/exports/list%20one.csv', 'list one.csv'],
  ['', '/', 'file'],
  ['', undefined, 'file'],
  ['attachment; filename="invoice\u202efdp.exe"', '', 'invoicefdp.exe'],
  ["attachment; filename*=UTF-8''a%E2%80%AEgpj.exe", '', 'agpj.exe'],
  ['attachment; filename="\u2066\u200f\u061c\ufeff"', '', 'file'],
])('the file name of %j and %j is %s', (header, path, name) =>
  expect(parseFileName(header, path)).toBe(name),
);
