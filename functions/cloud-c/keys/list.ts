import { listKeys } from '../../../shared/clouds/cloud-c/keys/list-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCKey, CloudCKeyQuery } from '../../../shared/clouds/cloud-c/keys/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-c/keys: those of rings in which the caller may view. */
export const list = operation(
  { says: 'List Cloud-c Keys', query: CloudCKeyQuery, answers: listOf(CloudCKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listKeys(context, query)),
)
