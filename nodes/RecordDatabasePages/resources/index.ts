/** `resources` lists the resources of the node Record Database Pages, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { component } from './component';
import { layout, page } from './page';

export const resources: Resource[] = [page, component, layout];
