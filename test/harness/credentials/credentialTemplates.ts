import '../environment';
import type {
  IAuthenticateGeneric,
  ICredentialDataDecryptedObject,
  IHttpRequestOptions,
  INode,
  Workflow,
} from 'n8n-workflow';
import { isExpression } from 'n8n-workflow';

/** `={{$credentials.key}}` becomes text; n8n turns every falsy result into an empty string. */
export function resolveCredentialTemplate(
  template: string,
  $credentials: ICredentialDataDecryptedObject,
  workflow: Workflow,
  node: INode,
): string {
  if (!isExpression(template)) return template;
  const keys = { $credentials };
  const value = workflow.expression.getSimpleParameterValue(node, template, 'internal', keys, undefined, '');
  return value ? String(value) : '';
}

/** Writes the `headers`, `qs`, `body` and `auth` of a generic `authenticate` into the request. */
export function applyTemplates(
  { properties }: IAuthenticateGeneric,
  options: IHttpRequestOptions,
  resolve: (template: string) => string,
): IHttpRequestOptions {
  options.headers ??= {};
  const sections = options as unknown as Record<string, Record<string, unknown> | undefined>;
  for (const [section, values] of Object.entries(properties)) {
    const target = (sections[section] ??= {});
    for (const [key, value] of Object.entries(values as Record<string, string>)) {
      target[resolve(key)] = resolve(value);
    }
  }
  return options;
}
