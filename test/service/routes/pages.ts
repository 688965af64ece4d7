import { createNotFoundError } from '../http/errors';
import { defineRoute, type Routes } from '../http/route';
import type { Application } from '../state/application';
import { type Component, isVisible, type Page } from '../state/site';
import { createListSuccess, createSuccess } from './common';

/** Whether a request without the key headers may read this page (spec: Component rules, 3). */
export const isPublicPage = (app: Application, { pageId }: Record<string, string>): boolean =>
  app.options.publicPages === 'withoutKeys' &&
  app.site.pages.some(({ id, isPublic }) => id === pageId && isPublic);

const permission = 'allow_page' as const;

export const pages = {
  'GET /api/v1.1/{appId}/layouts': defineRoute({
    permission,
    handle: ({ app }) => createListSuccess(app, app.site.layouts),
  }),

  'GET /api/v1.1/{appId}/pages': defineRoute({
    permission,
    handle: ({ app }) => {
      const top = app.site.pages.filter(({ parentId }) => parentId === undefined);
      return createSuccess({ [app.options.pagesShape]: top.map((page) => formatPage(page, app)) });
    },
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}': defineRoute({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params }) => createSuccess({ page: formatPage(app.site.getPage(params.pageId), app) }),
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/childs': defineRoute({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params }) => formatPages(app.site.listChildren(app.site.getPage(params.pageId).id), app),
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/childs/{childIds}': defineRoute({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params }) => {
      const all = app.site.listChildren(app.site.getPage(params.pageId).id);
      const wanted = (params.childIds ?? '').split(',');
      const found = all.filter(({ id }) => wanted.includes(id));
      if (found.length < wanted.length) throw createNotFoundError('Page');
      return formatPages(found, app);
    },
  }),

  'GET /api/v1.1/{appId}/pages/{pageId}/components': defineRoute({
    permission,
    isPublic: isPublicPage,
    handle: ({ app, params, user }) => {
      const visible = app.site.getPage(params.pageId).components.filter((each) => isVisible(each, user));
      return createSuccess({ components: visible.map(formatComponent) });
    },
  }),
} satisfies Routes;

/** The spec shows two sets of page fields, one for each shape of the list. */
function formatPage({ id, name, slug, layout, isSecure, isPublic }: Page, { site, options }: Application) {
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
    total_child_pages: site.listChildren(id).length,
  };
}

const formatPages = (found: Page[], app: Application) =>
  createSuccess({ [app.options.pagesShape]: found.map((page) => formatPage(page, app)) });

export function formatComponent({ id, name, type, table, settings }: Component) {
  return { id, name, type, table_id: table.id, settings };
}
