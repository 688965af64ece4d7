import { negate, type Operator, withoutValue, withValue } from './operator';

const is = withValue((val) => (ids: string[]) => ids.includes(val));

/** The spec does not define `contains` here: a connected id, or text within the display text. */
const contains = withValue((val, subject, { app }) => {
  const target = app.findTable(subject.field.to ?? '');
  const wanted = val.toLowerCase();
  return (ids: string[]) =>
    ids.some((id) => id === val || target?.getDisplayText(id).toLowerCase().includes(wanted));
});

const blank = withoutValue((ids: string[]) => ids.length === 0);

/** Only a page has a "current record"; over the API it is the record of `val`, or none. */
const currentRecord: Operator = { ...is, takesValue: 'optional' };

export const connectionOperators: Record<string, Operator> = {
  is,
  'is not': negate(is),
  contains,
  'is blank': blank,
  'is not blank': negate(blank),
  'is connected with current record': currentRecord,
  "is connected with current record's field": currentRecord,
};

/** Without a Bearer token there is no logged-in user and the filter fails (spec: Filters, User). */
const loggedInUser: Operator = {
  takesValue: false,
  build: (_val, _subject, { user }) => user && ((ids: string[]) => ids.includes(user.id)),
};

/** A connected record that is itself connected to the user, such as an order of the user's customer. */
const connectedToUser: Operator = {
  takesValue: false,
  build: (_val, subject, { user, app }) => {
    if (!user) return undefined;
    if (subject.kind === 'user') return (ids: string[]) => ids.includes(user.id);
    const target = app.findTable(subject.field.to ?? '');
    const owners = target?.fields.filter((field) => field.to === 'Users') ?? [];
    const isMine = (id: string) =>
      owners.some(({ key }) => (target?.records.get(id)?.[key] as string[] | undefined)?.includes(user.id));
    return (ids: string[]) => ids.some(isMine);
  },
};

export const userOperators: Record<string, Operator> = {
  'is logged in user': loggedInUser,
  'is not logged in user': negate(loggedInUser),
  'is connected to logged in user': connectedToUser,
  'is not connected to logged in user': negate(connectedToUser),
};
