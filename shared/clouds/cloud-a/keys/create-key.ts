import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { CreateCloudAKey } from './bodies.ts'
import type { CloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { kmsOfBody } from '../kms/kind.ts'
import { creatingKey } from '../../../cloud/keys/make-key.ts'
import type { CloudATypes } from './kind.ts'
import { making, type Making } from './making.ts'
import { choosePolicy } from './policy-inputs.ts'
import { specOf } from './upload-key.ts'

/** Makes a key whose material is the cloud's, or a shell that waits for material. */
export const creating = creatingKey<CloudATypes, Making>('create-cloud-a-key', making)

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and the cloud's own */
export const createKey = (context: Context, body: CreateCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, creating, async () => {
    const { item: kms } = await kmsOfBody(context, body, 'keycreate')
    const { cloud_a_param: param } = body
    const chosen = await choosePolicy(context, kms, { ...body, Policy: param.Policy })
    const id = uuid(context.now)
    const spec = { ...specOf(body, chosen), ...(param.Origin === 'EXTERNAL' && { empty: true }) }
    const lists = chosen.lists && { lists: chosen.lists }
    const input: Making = { id, kms_id: kms.id, region: body.region, spec, ...lists }
    return { id, container: kms.id, input }
  })
