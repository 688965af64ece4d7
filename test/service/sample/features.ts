import type { Table } from '../data/table';
import type { Application } from '../state/application';
import type { Component } from '../state/site';

/** Tasks, automations, templates and pages of the sample company. */
export function fillFeatures(app: Application): void {
  const getTable = (name: string) => app.findTable(name) as Table;
  const [customers, orders, invoices] = [getTable('Customers'), getTable('Orders'), getTable('Invoices')];
  const createId = () => app.ids.next();

  app.tasks.definitions.push(
    { id: createId(), name: 'Close old orders', tableId: orders.id, occurrence: 'Daily', type: 'Schedule' },
    {
      id: createId(),
      name: 'Remind late payers',
      tableId: invoices.id,
      occurrence: 'Weekly',
      type: 'Schedule',
    },
    {
      id: createId(),
      name: 'Tidy customers',
      tableId: customers.id,
      occurrence: 'Monthly',
      type: 'Schedule',
    },
  );
  app.automations.definitions.push(
    {
      id: createId(),
      name: 'Welcome customers',
      tableId: customers.id,
      occurrence: 'On event',
      type: 'Record',
    },
    { id: createId(), name: 'Confirm orders', tableId: orders.id, occurrence: 'On event', type: 'Record' },
  );
  for (const each of [customers, getTable('Products')]) {
    app.imports.addTemplate(each);
  }
  for (const each of [customers, orders, invoices]) {
    const columns = each.fields.slice(0, 6).map(({ slug }) => slug);
    app.exports.templates.push({ id: createId(), name: `${each.name} list`, table: each, columns });
  }
  app.pdfPages.push(
    { id: createId(), name: 'Invoice', table: invoices },
    { id: createId(), name: 'Order', table: orders },
  );
  app.pdfForms.push({ id: createId(), name: 'Offer', table: customers });
  fillSite(app, getTable);
}

function fillSite({ site, ids }: Application, table: (name: string) => Table): void {
  const standard = { id: ids.next(), name: 'Standard' };
  site.layouts.push(standard, { id: ids.next(), name: 'Blank' });

  const addPage = (
    name: string,
    components: Component[],
    rest: { isPublic?: boolean; parentId?: string } = {},
  ) => {
    const { isPublic = false, parentId } = rest;
    const id = ids.next();
    const slug = name.toLowerCase().replaceAll(' ', '-');
    site.pages.push({
      id,
      name,
      slug,
      layout: standard,
      isSecure: !isPublic,
      isPublic,
      parentId,
      components,
    });
    return id;
  };
  const createComponent = (
    name: string,
    type: Component['type'],
    tableName: string,
    rest: Pick<Partial<Component>, 'filters' | 'visibleTo'> = {},
  ): Component => ({
    id: ids.next(),
    name,
    type,
    table: table(tableName),
    settings: { show_search: type === 'table', records_per_page: 25 },
    visibleTo: 'everyone',
    ...rest,
  });
  const createFilter = (tableName: string, key: string, operator: string, val?: string) => ({
    condition: 'AND',
    items: [
      {
        field_id: table(tableName).fields.find((field) => field.key === key)?.slug,
        operator,
        ...(val !== undefined && { val }),
      },
    ],
  });

  addPage(
    'Shop',
    [
      createComponent('Catalogue', 'gallery', 'Products', {
        filters: createFilter('Products', 'discontinued', 'is unchecked'),
      }),
    ],
    {
      isPublic: true,
    },
  );
  const parentId = addPage('Customers', [
    createComponent('Active Customers', 'table', 'Customers', {
      filters: createFilter('Customers', 'status', 'is', 'active'),
    }),
    createComponent('New Customer', 'form', 'Customers'),
    createComponent('My Customers', 'list', 'Customers', {
      filters: createFilter('Customers', 'account_owner', 'is logged in user'),
      visibleTo: 'users',
    }),
    createComponent('Forecast', 'chart', 'Customers', { visibleTo: 'nobody' }),
  ]);
  addPage('Customer Details', [createComponent('Customer', 'details', 'Customers')], { parentId });
  addPage('Customer Orders', [createComponent('Orders', 'calendar', 'Orders')], { parentId });
}
