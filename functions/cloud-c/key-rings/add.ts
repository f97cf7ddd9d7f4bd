import { addRings } from '../../../shared/clouds/cloud-c/rings/add-rings.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { AddedRings, AddRings } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/add-key-rings: no key is read yet. */
export const add = operation(
  { says: 'Add Cloud-c Key Rings', body: AddRings, answers: AddedRings, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => created({ key_rings: await addRings(context, body) }),
)
