import { recordAnswerSchema, type ServiceRecord } from '../../../shared/model/responses';
import { outputs, type Output } from '../../../shared/kit/operation';

/** The record in an answer, or the whole answer where it holds none ("not shown" in the spec). */
export function recordIn(body: unknown): Output[] {
  const parsed = recordAnswerSchema.safeParse(body);
  return outputs(parsed.success ? (parsed.data.item satisfies ServiceRecord) : body);
}
