import type { TableDefinition } from '../../../service/data/table';
import { createFound, type SampleRecord, type ToolCall } from '../toolCall';

/** Names and choices that differ in a sign only. */
export const signsTable: TableDefinition = {
  name: 'Grades & Prices',
  fields: [
    { name: 'Title', slug: 'title', type: 'Text' },
    { name: 'Price €', slug: 'price_eur', type: 'Currency' },
    { name: 'Price $', slug: 'price_usd', type: 'Currency' },
    {
      name: 'Grade',
      slug: 'grade',
      type: 'Select',
      options: ['a_plus: A+', 'a: A', 'a_minus: A-', 'one: 1', 'minus_one: -1'],
    },
    { name: 'Skills', slug: 'skills', type: 'Multi-select', options: ['c: C', 'cpp: C++', 'csharp: C#'] },
    { name: 'Age', slug: 'age', type: 'Select', options: ['below: <65', 'above: >65', 'is: 65'] },
    { name: 'Share %', slug: 'share', type: 'Number' },
    { name: 'Q/A?', slug: 'qa', type: 'Decision Box' },
  ],
};

const GRADES = ['a_plus', 'a', 'a_minus', 'one', 'minus_one'];
const SKILLS = [['c'], ['cpp'], ['csharp'], ['c', 'cpp'], []];
const AGES = ['below', 'above', 'is'];

export const signsRecords: SampleRecord[] = Array.from({ length: 30 }, (_, index) => ({
  title: index % 2 ? `Title+${index}` : `Title ${index}`,
  price_eur: index,
  price_usd: 100 - index,
  grade: GRADES[index % 5],
  skills: SKILLS[index % 5],
  age: AGES[index % 3],
  share: index - 15,
  qa: index % 2,
}));

interface Row {
  title: string;
  price_eur: number;
  price_usd: number;
  grade: string;
  skills: string[];
  age: string;
  share: number;
  qa: number;
}

const find = (filter: unknown, matching?: (row: Row) => boolean): ToolCall => ({
  call: `finds by signs: ${JSON.stringify(filter)}`,
  tool: 'countRecords',
  args: { table: signsTable.name, filter },
  meaning: matching && createFound(signsTable.name, matching as unknown as (record: SampleRecord) => boolean),
  error:
    /A valid value: \{|Operators of the type|A valid filter: \{|Its choices are|has no field|A valid value|several fields|no number|has no operator|other choices/,
});

const create = (columns: unknown, values?: SampleRecord): ToolCall => ({
  call: `creates with signs: ${JSON.stringify(columns)}`,
  tool: 'createRecord',
  args: { table: signsTable.name, columns },
  meaning: values && { created: signsTable.name, values },
  error: /Its choices are|has no field|A valid value|several fields/,
});

const isGrade = (grade: string) => (row: Row) => row.grade === grade;
const isNoGrade = (grade: string) => (row: Row) => row.grade !== grade;
const hasSkill = (skill: string) => (row: Row) => row.skills.includes(skill);
const isAge = (age: string) => (row: Row) => row.age === age;

/** Sloppy calls in which a sign decides. A dropped sign would find or write something else. */
export const signCalls: ToolCall[] = [
  find({ Grade: 'A+' }, isGrade('a_plus')),
  find({ Grade: 'a+' }, isGrade('a_plus')),
  find({ grade: ' A+ ' }, isGrade('a_plus')),
  find({ Grade: 'A' }, isGrade('a')),
  find({ Grade: 'A-' }, isGrade('a_minus')),
  find({ Grade: 'A−' }),
  find({ Grade: 'A +' }),
  find({ Grade: 'A++' }),
  find({ Grade: '1' }, isGrade('one')),
  find({ Grade: '-1' }, isGrade('minus_one')),
  find({ Grade: 1 }, isGrade('one')),
  find({ Grade: -1 }, isGrade('minus_one')),
  find({ Grade: '+1' }),
  find({ Grade: ['A+', '-1'] }, ({ grade }) => grade === 'a_plus' || grade === 'minus_one'),
  find({ Grade: { 'is not': 'A+' } }, isNoGrade('a_plus')),
  find({ Grade: { '!=': 'A-' } }, isNoGrade('a_minus')),
  find({ Grade: { $ne: 'A' } }, isNoGrade('a')),
  find({ 'Grade !=': 'A+' }, isNoGrade('a_plus')),
  find({ 'Grade!': 'A+' }),
  find({ '!Grade': 'A+' }),
  find({ '-Grade': 'A+' }),
  find({ Grade: '!A+' }),
  find({ Grade: '!= A+' }),
  find({ Grade: 'not A+' }),
  find("Grade = 'A+'", isGrade('a_plus')),
  find("Grade != 'A+'", isNoGrade('a_plus')),
  find("grade <> 'A-'", isNoGrade('a_minus')),
  find({ Skills: { contains: 'C++' } }, hasSkill('cpp')),
  find({ Skills: { contains: 'C#' } }, hasSkill('csharp')),
  find({ Skills: { contains: 'C' } }),
  find({ Skills: { contains: 'c++' } }, hasSkill('cpp')),
  find({ Skills: { contains: 'C+' } }),
  find({ Age: '<65' }, isAge('below')),
  find({ Age: '>65' }, isAge('above')),
  find({ Age: '65' }, isAge('is')),
  find({ Age: 65 }, isAge('is')),
  find({ Age: '< 65' }),
  find({ Age: { '<': 65 } }),
  find({ Age: '≤65' }),
  find({ 'Price €': { '>': 20 } }, (row) => row.price_eur > 20),
  find({ 'Price $': { '>': 80 } }, (row) => row.price_usd > 80),
  find({ 'price €': { '>': 20 } }, (row) => row.price_eur > 20),
  find({ Price$: { '>': 80 } }),
  find({ Price: { '>': 20 } }),
  find({ 'Price £': { '>': 20 } }),
  find({ price_usd: { '>': '$80' } }),
  find({ 'Price $': { '>': '80$' } }),
  find({ 'Price €': { '>': '20 €' } }),
  find({ 'Price $': { '>=': 80, '<': 90 } }, (row) => row.price_usd >= 80 && row.price_usd < 90),
  find('{Price $} > 80', (row) => row.price_usd > 80),
  find('Price $ > 80', (row) => row.price_usd > 80),
  find({ 'Share %': { '<': -5 } }, (row) => row.share < -5),
  find({ 'Share %': '-5' }, (row) => row.share === -5),
  find({ share: '−5' }),
  find({ 'Share %': '5%' }),
  find({ Share: { '<': 0 } }, (row) => row.share < 0),
  find({ 'Q/A?': true }, (row) => row.qa === 1),
  find({ 'Q/A': true }),
  find({ qa: 'yes' }, (row) => row.qa === 1),
  find({ Title: { contains: '+' } }, (row) => row.title.includes('+')),
  find({ Title: 'Title+1' }, (row) => row.title === 'Title+1'),
  find({ Title: { 'starts with': 'Title ' } }, (row) => row.title.startsWith('Title ')),
  create({ Title: 'X', Grade: 'A+' }, { title: 'X', grade: 'a_plus' }),
  create({ Title: 'X', Grade: '-1' }, { title: 'X', grade: 'minus_one' }),
  create({ Title: 'X', Grade: -1 }, { title: 'X', grade: 'minus_one' }),
  create({ Title: 'X', Grade: 'A −' }),
  create({ Title: 'X', Skills: 'C++, C#' }, { title: 'X', skills: ['cpp', 'csharp'] }),
  create({ Title: 'X', Skills: ['C++'] }, { title: 'X', skills: ['cpp'] }),
  create({ Title: 'X', Skills: ['C+'] }),
  create({ Title: 'X', Age: '<65' }, { title: 'X', age: 'below' }),
  create({ Title: 'X', Age: '<=65' }),
  create({ Title: 'X', 'Price €': 5 }, { title: 'X', price_eur: 5 }),
  create({ Title: 'X', 'Price $': '5' }, { title: 'X', price_usd: 5 }),
  create({ Title: 'X', Price: 5 }),
  create({ Title: 'X', 'Price $': '$5' }),
  create({ Title: 'X', 'Price €': '-5' }, { title: 'X', price_eur: -5 }),
  create({ Title: 'X', 'Share %': '-0.5' }, { title: 'X', share: -0.5 }),
  create({ Title: 'X', 'Share %': '50%' }),
  create({ Title: 'X+Y' }, { title: 'X+Y' }),
  create({ Title: '+1 555 123' }, { title: '+1 555 123' }),
  create({ Title: '=SUM(A1)' }, { title: '=SUM(A1)' }),
];
