import type { Application } from '../state/application';
import type { User } from '../state/users';
import { fillCompany } from './company';
import { fillFeatures } from './features';
import { fillLogs } from './logs';
import { PEOPLE } from './people';
import { fillShowcase } from './showcase';

/** Fills a new application; the user returned is the one tests sign in with. */
export function fillSample(app: Application): User {
  if (app.options.sample === 'empty') return addUser(app, app.ids.next(), 0);
  const users = fillUsers(app);
  fillCompany(app, users);
  fillShowcase(app);
  fillFeatures(app);
  fillLogs(app);
  return users[0] as User;
}

const USERS = 5;

/** The app's end users are records of a table like any other, plus a password. */
function fillUsers(app: Application): User[] {
  const table = app.addTable({
    name: 'Users',
    fields: [
      { name: 'Name', type: 'Name' },
      { name: 'Email', type: 'Email', unique: true, required: true },
    ],
  });
  return Array.from({ length: USERS }, (_, i) => {
    const { first_name, last_name, email } = person(i);
    const { id } = table.insert({ name: { title: '', first_name, middle_name: '', last_name }, email });
    return addUser(app, id, i);
  });
}

function addUser(app: Application, id: string, i: number): User {
  const { first_name, last_name, email } = person(i);
  const user = { id, email, password: `Pass-${app.random.secret(8)}`, name: `${first_name} ${last_name}` };
  app.users.all.push(user);
  return user;
}

function person(i: number) {
  const { first, last } = PEOPLE;
  const first_name = first[i % first.length] ?? '';
  const last_name = last[i % last.length] ?? '';
  return { first_name, last_name, email: `${first_name}.${last_name}@example.com`.toLowerCase() };
}
