import { listMaterial } from '../../../shared/clouds/cloud-a/keys/generations.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKeyPath, MaterialGeneration, MaterialQuery } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-a/keys/{id}/rotations: every generation of the key's material, as the cloud lists them now. */
export const rotations = operation(
  {
    says: 'List Cloud-a Key Rotations',
    path: CloudAKeyPath,
    query: MaterialQuery,
    answers: listOf(MaterialGeneration),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listMaterial(context, path.id, query)),
)
