import type { Table } from '../data/table';
import type { Application } from '../state/application';
import type { Component } from '../state/site';

/** What the builder of the sample company set up around its tables. */
export function fillFeatures(app: Application): void {
  const table = (name: string) => app.table(name) as Table;
  const [customers, orders, invoices] = [table('Customers'), table('Orders'), table('Invoices')];
  const id = () => app.ids.next();

  app.tasks.definitions.push(
    { id: id(), name: 'Close old orders', tableId: orders.id, occurrence: 'Daily', type: 'Schedule' },
    { id: id(), name: 'Remind late payers', tableId: invoices.id, occurrence: 'Weekly', type: 'Schedule' },
    { id: id(), name: 'Tidy customers', tableId: customers.id, occurrence: 'Monthly', type: 'Schedule' },
  );
  app.automations.definitions.push(
    { id: id(), name: 'Welcome customers', tableId: customers.id, occurrence: 'On event', type: 'Record' },
    { id: id(), name: 'Confirm orders', tableId: orders.id, occurrence: 'On event', type: 'Record' },
  );
  for (const each of [customers, table('Products')]) {
    app.imports.templates.push({ id: id(), name: `${each.name} from CSV`, table: each });
  }
  for (const each of [customers, orders, invoices]) {
    const columns = each.fields.slice(0, 6).map(({ slug }) => slug);
    app.exports.templates.push({ id: id(), name: `${each.name} list`, table: each, columns });
  }
  app.pdfPages.push(
    { id: id(), name: 'Invoice', table: invoices },
    { id: id(), name: 'Order', table: orders },
  );
  app.pdfForms.push({ id: id(), name: 'Offer', table: customers });
  fillSite(app, table);
}

function fillSite({ site, ids }: Application, table: (name: string) => Table): void {
  const standard = { id: ids.next(), name: 'Standard' };
  site.layouts.push(standard, { id: ids.next(), name: 'Blank' });

  const page = (
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
  const component = (
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
  const where = (field_id: string, operator: string, val?: string) => ({
    condition: 'AND',
    items: [{ field_id, operator, ...(val !== undefined && { val }) }],
  });

  page(
    'Shop',
    [component('Catalogue', 'gallery', 'Products', { filters: where('discontinued', 'is unchecked') })],
    {
      isPublic: true,
    },
  );
  const parentId = page('Customers', [
    component('Active Customers', 'table', 'Customers', { filters: where('status', 'is', 'active') }),
    component('New Customer', 'form', 'Customers'),
    component('My Customers', 'list', 'Customers', {
      filters: where('account_owner', 'is logged in user'),
      visibleTo: 'users',
    }),
    component('Forecast', 'chart', 'Customers', { visibleTo: 'nobody' }),
  ]);
  page('Customer Details', [component('Customer', 'details', 'Customers')], { parentId });
  page('Customer Orders', [component('Orders', 'calendar', 'Orders')], { parentId });
}
