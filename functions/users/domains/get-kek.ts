import { getDomainKey } from '../../../shared/domain/domains/domain-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { DomainKey } from '../../../shared/model/domain-key.ts'
import { DomainKeyPath } from '../../../shared/model/domain.ts'

/** GET /v1/domains/{id}/keks/{kekID} */
export const getKek = operation(
  { says: 'Get Domain Key', path: DomainKeyPath, answers: DomainKey, may: 'domain-readers' },
  async ({ path, context }) => ok(await getDomainKey(context, path.id, path.kekID)),
)
