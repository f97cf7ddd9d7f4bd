import { uuid } from '../../../../shared/base/ids.ts'
import type { CloudRecords } from '../../../../shared/cloud/cloud-row.ts'
import { containerRecords } from '../../../../shared/cloud/containers/entity.ts'
import { isBeingMade } from '../../../../shared/cloud/keys/being-made.ts'
import { synchronizedKeys } from '../../../../shared/cloud/keys/synchronize.ts'
import { countOf } from '../../../../shared/store/list.ts'
import { removing } from '../../../../shared/store/remove-some.ts'
import type { AnySagaKind } from '../../../../shared/work/sagas/saga.ts'
import type { Rotated } from '../../../../shared/work/schedule/job-operations/rotated.ts'
import { throwAwayAdapter } from './adapter.ts'
import type { Read } from './adapter/types.ts'
import { boxes } from './boxes.ts'
import { throwAwayKeys, type Key, type KeyRow } from './key-model.ts'
import { keyKind, recordOf, refreshed, type Types } from './kind.ts'
import { CONTAINER_LIST } from './name.ts'
import { acting, making, rotateKey, rotating } from './verbs.ts'

export const throwAwayRecords: CloudRecords = {
  containers: [containerRecords(boxes, 'removing boxes')],
  countKeys: (domain) => countOf(throwAwayKeys, domain, 'all'),
  purge: [removing(throwAwayKeys, 'all'), removing(boxes, 'all')],
}

export const throwAwaySagas: readonly AnySagaKind[] = [making, rotating, acting]

export const throwAwayRotated: Rotated<Key, KeyRow> = {
  entity: throwAwayKeys,
  facts: ({ gone, rotated_to, createdAt, rotated_at }) => ({
    live: !gone && rotated_to === undefined,
    createdAt,
    rotatedAt: rotated_at,
  }),
  plan: (key) => ({ resource_name: keyKind.nameOf(key), container: key.box, quotaGroup: key.box_id, seconds: 1 }),
  single: () => ({ action: 'RotateThrowAwayKey', may: 'keymgr-users' }),
  rotate: async (context, { id }) => (await rotateKey(context, id, {})).item.id,
}

export const throwAwaySynchronized = synchronizedKeys<Types, Read>(keyKind, {
  may: 'keysynchronize',
  containerList: CONTAINER_LIST,
  read: async ({ domain, stored: { item: box }, place }) => ({
    survey: await throwAwayAdapter.survey(place),
    refs: (cursor) => throwAwayAdapter.refs(place, cursor),
    refreshed,
    found: async (read, now) =>
      (await isBeingMade(domain, read.param.mark))
        ? undefined
        : recordOf(domain, box, read, { id: uuid(now), now, key_material_origin: 'unknown' }),
  }),
  noted: (box, _regions, now) => ({ ...box, refreshed_at: now.toISOString() }),
})
