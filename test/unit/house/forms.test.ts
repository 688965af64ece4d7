import type { INodeProperties } from 'n8n-workflow';
import { allOperations } from '../../operations';
import { followed, forms, needs, rowsIn, shownBy, type Form } from './forms';

/** Fields that break a rule, each with the form it stands in. */
const breaking = (rule: (form: Form) => INodeProperties[]) =>
  forms.flatMap((form) => rule(form).map(({ name }) => `${form.at}: ${name}`));

const namesOf = (fields: INodeProperties[]) => fields.map(({ name }) => name);

/** The fields themselves, and each row within. */
const listsIn = (fields: INodeProperties[]): INodeProperties[][] => [
  fields,
  ...fields.flatMap(rowsIn).flatMap(listsIn),
];

/** Names in the paths of the operation's endpoints: what it works on. */
const pathNames = ({ endpoints }: Form) =>
  endpoints.map(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!));

const isPicker = ({ type }: INodeProperties) => type === 'resourceLocator';
const isTarget = (form: Form) => {
  const inPaths = new Set(pathNames(form).flat());
  return (field: INodeProperties) => inPaths.has(field.name) || (isPicker(field) && field.required === true);
};

test('there is a form for every operation, and for the trigger', () => {
  expect(forms).toHaveLength(allOperations().length + 1);
  expect(forms.filter(({ fields }) => fields.length === 0)).toEqual([]);
});

test('what a field follows is in its form', () => {
  const stray = ({ fields }: Form) =>
    listsIn(fields).flatMap((list) => {
      const isThere = (name: string) => namesOf([...list, ...fields]).includes(name);
      return list.filter(
        (one) => !shownBy(one).every(isThere) || (followed(one).length > 0 && !followed(one).some(isThere)),
      );
    });
  expect(breaking(stray)).toEqual([]);
});

test('what a field follows comes before it', () => {
  const early = ({ fields }: Form) =>
    listsIn(fields).flatMap((list) =>
      list.filter((field, at) => namesOf(list.slice(at)).some((name) => needs(field).includes(name))),
    );
  expect(breaking(early)).toEqual([]);
});

test('what to work on comes first: nothing stands before it but pickers and what its list follows', () => {
  const intruders = (form: Form) => {
    const { fields } = form;
    const targets = fields.filter(isTarget(form));
    const followedByTargets = new Set(targets.flatMap(needs));
    const before = fields.slice(0, Math.max(0, ...targets.map((one) => fields.indexOf(one))));
    return before.filter(
      (one) => !targets.includes(one) && !isPicker(one) && !followedByTargets.has(one.name),
    );
  };
  expect(breaking(intruders)).toEqual([]);
});

test('page before component before record: in the order of the path', () => {
  const disordered = (form: Form) =>
    pathNames(form).flatMap((names) => {
      const inForm = form.fields.filter(({ name }) => names.includes(name));
      const inPath = names.filter((name) => namesOf(inForm).includes(name));
      return inForm.filter(({ name }, at) => inPath[at] !== name);
    });
  expect(breaking(disordered)).toEqual([]);
});

test('what must be given comes before what may be left as it is', () => {
  // A dropdown has a value from the start. Columns are what is written: they come after which records.
  const isLeft = ({ required, type }: INodeProperties) => !required && type !== 'options';
  const late = (form: Form) => {
    const values = form.fields.filter(
      (one) => !isTarget(form)(one) && !isPicker(one) && one.type !== 'resourceMapper',
    );
    const firstLeft = values.findIndex(isLeft);
    return values.filter(({ required }, at) => required && at > firstLeft && firstLeft >= 0);
  };
  expect(breaking(late)).toEqual([]);
});

test('options come last, and those that every form has at the very end', () => {
  const rank = ({ type, displayOptions }: INodeProperties) => {
    if (type !== 'collection') return 0;
    return displayOptions?.show?.operation ? 1 : 2;
  };
  const early = ({ fields }: Form) =>
    fields.filter((field, at) => fields.slice(at).some((later) => rank(later) < rank(field)));
  expect(breaking(early)).toEqual([]);
});
