import type { Table } from '../data/table';
import { createDeniedError, createNotFoundError } from '../http/errors';
import type { User } from './users';

export interface Layout {
  id: string;
  name: string;
}

export interface Page {
  id: string;
  name: string;
  slug: string;
  layout: Layout;
  isSecure: boolean;
  isPublic: boolean;
  parentId?: string;
  components: Component[];
}

export interface Component {
  id: string;
  name: string;
  type: 'table' | 'form' | 'details' | 'gallery' | 'list' | 'calendar' | 'chart';
  table: Table;
  settings: { show_search: boolean; records_per_page: number };
  /** The component's own filter, in the primary form. */
  filters?: unknown;
  /** Visibility rule (spec: Component rules, 1). */
  visibleTo: 'everyone' | 'users' | 'nobody';
}

/** Layouts, and pages with their components. */
export class Site {
  readonly layouts: Layout[] = [];
  readonly pages: Page[] = [];

  getPage(id: string | undefined): Page {
    const page = this.pages.find((candidate) => candidate.id === id);
    if (!page) throw createNotFoundError('Page');
    return page;
  }

  listChildren(id: string): Page[] {
    return this.pages.filter(({ parentId }) => parentId === id);
  }

  /** A component that the caller may see. @throws ResponseError 404, or 403 for a hidden one */
  getComponent(pageId: string | undefined, id: string | undefined, user: User | undefined): Component {
    const component = this.getPage(pageId).components.find((candidate) => candidate.id === id);
    if (!component) throw createNotFoundError('Component');
    if (!isVisible(component, user)) throw createDeniedError();
    return component;
  }
}

export function isVisible({ visibleTo }: Component, user: User | undefined): boolean {
  return visibleTo === 'everyone' || (visibleTo === 'users' && user !== undefined);
}
