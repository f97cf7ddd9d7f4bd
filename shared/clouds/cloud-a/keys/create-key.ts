import type { CloudAKeyRead } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { CloudAKey, CreateCloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { assertRegion, kmsKind } from '../kms/kms-kind.ts'
import { cloudA } from '../place.ts'
import { abandonMade, answeredKeys, reach, recordMade, unrecordedIn, type KeySaga, type Making } from './making.ts'
import { choosePolicy } from './policy-inputs.ts'
import { specOf } from './upload-key.ts'

/** Makes a key whose material is the cloud's, or a shell that waits for material. */
export const creating: KeySaga<Making, CloudAKeyRead> = {
  name: 'create-cloud-a-key',
  entity: answeredKeys,
  unrecorded: unrecordedIn,
  undo: abandonMade,
  run: async (context, input, journal) => {
    const { place } = await reach(context, input)
    return (await cloudA()).create(place, input.spec, journal)
  },
  settle: (context, input, read) =>
    recordMade(context, input, read, {
      key_material_origin: input.spec.empty === true ? 'unknown' : 'native',
      rotation_status: '',
    }),
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and the cloud's own */
export const createKey = (context: Context, body: CreateCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, creating, async () => {
    const { item: kms } = await findContainerFor(kmsKind, context, body.kms, 'keycreate', {
      pointer: '#/kms',
      detail: 'is not there',
    })
    assertRegion(kms, body.region)
    const { cloud_a_param: param } = body
    const chosen = await choosePolicy(context, kms, { ...body, Policy: param.Policy })
    const id = uuid(context.now)
    const spec = { ...specOf(body, chosen), ...(param.Origin === 'EXTERNAL' && { empty: true }) }
    const lists = chosen.lists && { lists: chosen.lists }
    const input: Making = { id, kms_id: kms.id, region: body.region, spec, ...lists }
    return { id, container: kms.id, input }
  })
