import { notFound } from '../http/errors';
import { route, type Routes } from '../http/route';
import type { Application } from '../state/application';
import { isVisible, type Component, type Page } from '../state/site';
import { success } from './common';

/** Public pages let in who has no key at all (spec: Component rules, 3). */
export const isPublicPage = (app: Application, { pageId }: Record<string, string>): boolean =>
  app.site.pages.some(({ id, isPublic }) => id === pageId && isPublic);

const permission = 'allow_page' as const;

export const pages = {
  'GET /api/v1.1/{appId}/layouts': route({
    permission,
    handle: ({ app }) => success({ items: app.site.layouts, total_items: app.site.layouts.length }),
  }),

  'GET /api/v1.1/{appId}/pages': route({
    permission,
    handle: ({ app }) => {
      const top = app.site.pages.filter(({ parentId }) => parentId === undefined);
      return success({ [app.options.pagesShape]: top.map((page) => shown(page, app)) });
    },
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}': route({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params }) => success({ page: shown(app.site.page(params.pageId), app) }),
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/childs': route({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params }) => children(app.site.children(app.site.page(params.pageId).id), app),
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/childs/{childIds}': route({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params }) => {
      const all = app.site.children(app.site.page(params.pageId).id);
      const wanted = (params.childIds ?? '').split(',');
      const found = all.filter(({ id }) => wanted.includes(id));
      if (found.length < wanted.length) throw notFound('Page');
      return children(found, app);
    },
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/components': route({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params, user }) => {
      const visible = app.site.page(params.pageId).components.filter((each) => isVisible(each, user));
      return success({ components: visible.map(shownComponent) });
    },
  }),
} satisfies Routes;

/** The two sets of page fields the spec has seen, one per shape of the list. */
function shown({ id, name, slug, layout, isSecure, isPublic }: Page, { site, options }: Application) {
  if (options.pagesShape === 'pages') {
    return { id, name, slug, type: 'page', is_public: isPublic, layout: layout.name };
  }
  return {
    id,
    name,
    slug,
    status: 'Active',
    layout_id: layout.id,
    is_secure: Number(isSecure),
    total_child_pages: site.children(id).length,
  };
}

const children = (found: Page[], app: Application) =>
  success({ [app.options.pagesShape]: found.map((page) => shown(page, app)) });

export function shownComponent({ id, name, type, table, settings }: Component) {
  return { id, name, type, table_id: table.id, settings };
}
