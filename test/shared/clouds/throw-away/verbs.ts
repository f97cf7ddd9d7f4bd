import type * as z from 'zod'
import { Refusal } from '../../../../shared/base/errors.ts'
import { uuid } from '../../../../shared/base/ids.ts'
import { findContainerFor } from '../../../../shared/cloud/containers/find-container.ts'
import { actionsOn, refreshing } from '../../../../shared/cloud/keys/act-on-key.ts'
import { creating, type Creation } from '../../../../shared/cloud/keys/creation.ts'
import { findKeyFor } from '../../../../shared/cloud/keys/find-key.ts'
import { joinRotation } from '../../../../shared/cloud/keys/join-rotation.ts'
import { containersAsked, listKeys as listed } from '../../../../shared/cloud/keys/list-keys.ts'
import { homeOf } from '../../../../shared/cloud/keys/place.ts'
import { succeeding } from '../../../../shared/cloud/keys/rotate-key.ts'
import type { LocalSpec } from '../../../../shared/cloud/keys/source-key.ts'
import type { Context } from '../../../../shared/http/context.ts'
import type { ResourceList } from '../../../../shared/resource/listed.ts'
import type { Stored } from '../../../../shared/store/entity.ts'
import { findKeyForCloud } from '../../../../shared/vault/keys/material/leave.ts'
import { carryOut } from '../../../../shared/work/sagas/saga.ts'
import { throwAwayAdapter } from './adapter.ts'
import { boxKind } from './boxes.ts'
import type { CreateKey, Key, KeyQuery, RotateKey, RotationJob, UploadKey } from './key-model.ts'
import { keyKind, type Types } from './kind.ts'

type Answer = Promise<Stored<Key>>

/** Creation and upload. */
export const making = creating('make-throw-away-key', keyKind)

async function planned(
  context: Context,
  { box, label }: z.infer<typeof CreateKey>,
  may: string,
): Promise<Creation<Types>> {
  const { item } = await findContainerFor(boxKind, context, box, may, { pointer: '#/box', detail: 'is no box' })
  return { id: uuid(context.now), home: { container: item.id, region: '' }, spec: { label } }
}

export const createKey = (context: Context, body: z.infer<typeof CreateKey>): Answer =>
  carryOut(context, making, async () => {
    const input = await planned(context, body, 'keycreate')
    return { id: input.id, container: input.home.container, input }
  })

export const uploadKey = (context: Context, body: z.infer<typeof UploadKey>): Answer =>
  carryOut(context, making, async () => {
    const input = await planned(context, body, 'keyupload')
    const local = await findKeyForCloud(context, body.source_key_id, '#/source_key_id')
    return { id: input.id, container: input.home.container, input: { ...input, local_key_id: local.id } }
  })

const LOCAL: LocalSpec = { algorithm: 'aes', sizeBits: 256 }

/** A new key gets the label; the old key is disabled. */
export const rotating = succeeding<Types, object>('rotate-throw-away-key', keyKind, {
  readOld: (place, ref) => throwAwayAdapter.read(place, ref),
  specOf: ({ param: { label } }) => ({ label: `${label} (new)` }),
  passNames: async (place, { old, old_ref, ref }) => {
    await throwAwayAdapter.change(place, old_ref, { label: `${old.param.label} (old)` })
    await throwAwayAdapter.change(place, ref, { label: old.param.label })
  },
  retire: async (place, ref) => {
    await throwAwayAdapter.change(place, ref, { enabled: false })
  },
  restore: async (place, { old, old_ref }) => {
    await throwAwayAdapter.change(place, old_ref, { label: old.param.label, enabled: true })
  },
  inherits: [],
})

export const rotateKey = (context: Context, id: string, body: z.infer<typeof RotateKey>): Answer =>
  carryOut(context, rotating, async () => {
    const { item: key } = (await findKeyFor(keyKind, context, id, 'keyrotate')).stored
    keyKind.assertManaged(key)
    if (key.rotated_to !== undefined) throw new Refusal('STATE_CONFLICT', 'The key was rotated already.')
    const { source_key_id: named } = body
    const source =
      named === undefined
        ? { new_local_key: LOCAL }
        : { local_key_id: (await findKeyForCloud(context, named, '#/source_key_id')).id }
    const old = { old_id: key.id, old_ref: keyKind.refOf(key) }
    const input = { id: uuid(context.now), home: homeOf(keyKind, key), ...old, ...source, how: {} }
    return { id: input.id, subject: key.id, container: key.box_id, input }
  })

export const enableRotationJob = async (context: Context, id: string, body: z.infer<typeof RotationJob>): Answer =>
  joinRotation(keyKind, context, await findKeyFor(keyKind, context, id, 'keyrotate'), body)

export async function listKeys(context: Context, query: z.infer<typeof KeyQuery>): Promise<ResourceList<Key>> {
  const asked = { named: query.box, ids: undefined }
  return listed(keyKind, context, query, {
    containers: await containersAsked<Types>(boxKind, context, asked, ['view'], 'box'),
    patterns: { label: query.label },
    own: ['box'],
    tests: [],
    narrowBy: 'box, createdAfter and createdBefore',
  })
}

export const { saga: acting, doing } = actionsOn(keyKind, 'act-on-throw-away-key', { refresh: refreshing })
