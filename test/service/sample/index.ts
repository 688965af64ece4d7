import type { Application } from '../state/application';
import type { User } from '../state/users';
import { fillCompany } from './company';
import { customerCopiesTable, rowsToCorrectTable } from './companyTables';
import { fillFeatures } from './features';
import { fillLogs } from './logs';
import { PEOPLE } from './people';
import { fillShowcase } from './showcase';

/** Fills a new application. Returns the user with whom tests sign in. */
export function fillSample(app: Application): User {
  if (app.options.sample === 'empty') return addUser(app, app.ids.next(), 0);
  const users = fillUsers(app);
  fillCompany(app, users);
  fillShowcase(app);
  fillFeatures(app);
  fillLogs(app);
  // After the others, so that their IDs stay as they are.
  app.addTable(customerCopiesTable);
  app.addTable(rowsToCorrectTable);
  return users[0] as User;
}

const USERS = 5;

/** End users are records of the table `Users`, with a password. */
function fillUsers(app: Application): User[] {
  const table = app.addTable({
    name: 'Users',
    fields: [
      { name: 'Name', type: 'Name' },
      { name: 'Email', type: 'Email', unique: true, required: true },
      // The table of users keeps these slugs beside numbered ones.
      ...(app.options.slugs === 'numbered'
        ? [
            { name: 'Status', type: 'Select', options: ['Active', 'Inactive'] } as const,
            { name: 'Role', type: 'Text' } as const,
          ]
        : []),
    ],
    keepsSlugs: true,
  });
  return Array.from({ length: USERS }, (_, i) => {
    const { first_name, last_name, email } = createPerson(i);
    const { id } = table.insert({ name: { title: '', first_name, middle_name: '', last_name }, email });
    return addUser(app, id, i);
  });
}

function addUser(app: Application, id: string, i: number): User {
  const { first_name, last_name, email } = createPerson(i);
  const user = {
    id,
    email,
    password: `Pass-${app.random.nextSecret(8)}`,
    name: `${first_name} ${last_name}`,
  };
  app.users.all.push(user);
  return user;
}

function createPerson(i: number) {
  const { first, last } = PEOPLE;
  const first_name = first[i % first.length] ?? '';
  const last_name = last[i % last.length] ?? '';
  return { first_name, last_name, email: `${first_name}.${last_name}@example.com`.toLowerCase() };
}
