import { not, withoutValue, withValue, type Operator } from './operator';

const is = withValue((val) => (ids: string[]) => ids.includes(val));

/** The spec leaves `contains` open here: a connected id, or text within what the connection shows. */
const contains = withValue((val, subject, { app }) => {
  const target = app.table(subject.field.to ?? '');
  const wanted = val.toLowerCase();
  return (ids: string[]) =>
    ids.some((id) => id === val || target?.display(id).toLowerCase().includes(wanted));
});

const blank = withoutValue((ids: string[]) => ids.length === 0);

/** Only a page has a "current record"; over the API it is the one named by `val`, or none. */
const currentRecord: Operator = { ...is, takesValue: 'optional' };

export const connectionOperators: Record<string, Operator> = {
  is,
  'is not': not(is),
  contains,
  'is blank': blank,
  'is not blank': not(blank),
  'is connected with current record': currentRecord,
  "is connected with current record's field": currentRecord,
};

/** Without a Bearer token there is no logged-in user and the filter fails (spec: Filters, User). */
const loggedInUser: Operator = {
  takesValue: false,
  build: (_val, _subject, { user }) => user && ((ids: string[]) => ids.includes(user.id)),
};

/** One step further: a connected record that itself names the user, such as the orders of my customers. */
const connectedToUser: Operator = {
  takesValue: false,
  build: (_val, subject, { user, app }) => {
    if (!user) return undefined;
    if (subject.kind === 'user') return (ids: string[]) => ids.includes(user.id);
    const target = app.table(subject.field.to ?? '');
    const owners = target?.fields.filter((field) => field.to === 'Users') ?? [];
    const isMine = (id: string) =>
      owners.some(({ slug }) => (target?.records.get(id)?.[slug] as string[] | undefined)?.includes(user.id));
    return (ids: string[]) => ids.some(isMine);
  },
};

export const userOperators: Record<string, Operator> = {
  'is logged in user': loggedInUser,
  'is not logged in user': not(loggedInUser),
  'is connected to logged in user': connectedToUser,
  'is not connected to logged in user': not(connectedToUser),
};
