import type { INodeProperties } from 'n8n-workflow';
import type { Engine, NodeJson, WorkflowJson } from '../../harness';

interface Locator {
  __rl: true;
  mode: string;
  value: string;
  cachedResultName?: string;
}

const isLocator = (value: unknown): value is Locator =>
  typeof value === 'object' && value !== null && '__rl' in value;

interface Mode {
  typeOptions?: { searchListMethod?: string };
}

/** Returns the method that loads a locator's list for the selected resource and operation. */
function findListMethod(engine: Engine, { type, parameters }: NodeJson, parameter: string): string {
  const values = (parameters ?? {}) as Record<string, unknown>;
  const { properties } = engine.nodeTypes.getByNameAndVersion(type).description;
  const isShown = ({ displayOptions }: INodeProperties) =>
    ['resource', 'operation'].every(
      (key) => displayOptions?.show?.[key]?.includes(values[key] as string) ?? true,
    );
  const property = properties.find((one) => one.name === parameter && isShown(one));
  const list = (property?.modes as Mode[] | undefined)?.find(
    ({ typeOptions }) => typeOptions?.searchListMethod,
  );
  return list?.typeOptions?.searchListMethod ?? '';
}

/**
 * Picks every locator of an imported workflow from its list again, by the name in the file. Picks one after the
 * other, because later lists depend on earlier picks.
 */
export async function pickFromLists(engine: Engine, workflow: WorkflowJson): Promise<WorkflowJson> {
  for (const node of workflow.nodes) {
    for (const [name, value] of Object.entries(node.parameters ?? {})) {
      if (!isLocator(value) || !value.cachedResultName) continue;
      const { results } = await engine.listSearch(node, findListMethod(engine, node, name), {
        filter: value.cachedResultName,
      });
      if (!results[0]) throw new Error(`${node.name}: no list holds "${value.cachedResultName}"`);
      value.value = String(results[0].value);
    }
  }
  return workflow;
}
