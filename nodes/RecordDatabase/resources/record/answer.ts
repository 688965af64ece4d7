import type { IDataObject } from 'n8n-workflow';
import { outputs, type Output } from '../../../shared/kit/operation';
import { recordAnswerSchema } from '../../../shared/model/responses';

/** The record in an answer, with its equation log, or the whole answer where it holds no record. */
export function recordIn(body: unknown, otherwise: IDataObject = {}): Output[] {
  const parsed = recordAnswerSchema.safeParse(body);
  if (!parsed.success) return outputs({ ...otherwise, ...(body as IDataObject) });
  const { item, equationLog } = parsed.data;
  return outputs({ ...item, ...(equationLog !== undefined && { equationLog }) });
}
