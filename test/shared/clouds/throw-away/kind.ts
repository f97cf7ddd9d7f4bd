import { without } from '../../../../shared/base/fields.ts'
import { commonFields, resourceUri } from '../../../../shared/base/ids.ts'
import { noLongerThere } from '../../../../shared/cloud/keys/find-key.ts'
import type { KeyKind, KeyTypes } from '../../../../shared/cloud/keys/kind.ts'
import { throwAwayAdapter } from './adapter.ts'
import type { Place, Read, Spec } from './adapter/types.ts'
import { boxKind, openBox, type BoxRow, type StoredBox } from './boxes.ts'
import { keysOfBox, throwAwayKeys, type Key, type KeyRow } from './key-model.ts'
import { NAME } from './name.ts'

export interface Types extends KeyTypes {
  readonly key: Key
  readonly row: KeyRow
  readonly shown: Key
  readonly container: StoredBox
  readonly containerRow: BoxRow
  readonly place: Place
  readonly spec: Spec
  readonly read: Read
  readonly whole: Read
}

/** The record of a key that was created or found. */
export const recordOf = (
  domain: string,
  box: StoredBox,
  { param }: Read,
  facts: Pick<Key, 'id' | 'key_material_origin'> & { readonly now: Date },
): Key => ({
  ...commonFields(domain, facts.id, resourceUri(domain, 'keymgr', 'throw-away-key', facts.id), facts.now),
  box: box.name,
  box_id: box.id,
  throw_away_param: param,
  gone: false,
  key_material_origin: facts.key_material_origin,
  rotation_status: '',
  synced_at: facts.now.toISOString(),
})

/** The record with the cloud's present description of its key. */
export function refreshed(key: Key, read: Read | undefined, now: Date): Key {
  const at = { synced_at: now.toISOString(), updatedAt: now.toISOString() }
  if (read === undefined) return key.gone ? key : { ...key, gone: true, ...at }
  const isSame = !key.gone && JSON.stringify(key.throw_away_param) === JSON.stringify(read.param) && !key.unread
  return isSame ? key : { ...without(key, 'unread'), throw_away_param: read.param, gone: false, ...at }
}

export const keyKind: KeyKind<Types> = {
  service: NAME,
  entity: throwAwayKeys,
  containers: boxKind,
  containerIdOf: ({ box_id }) => box_id,
  setOf: (boxId) => `box:${boxId}`,
  familyOf: keysOfBox,
  viewOf: () => 'view',
  nameOf: ({ throw_away_param: { label } }) => label,
  auditView: ({ box, gone, throw_away_param: { label, enabled } }) => ({ box, gone, label, enabled }),
  present: (stored) => stored,
  assertManaged: ({ gone }) => {
    if (gone) throw noLongerThere()
  },
  cloud: throwAwayAdapter,
  refOf: ({ throw_away_param: { id } }) => id,
  open: openBox,
  read: (place, ref) => throwAwayAdapter.read(place, ref),
  wholeOf: (_place, read) => read,
  made: ({ caller, now }, box, read, { id, source, known }) => ({
    ...recordOf(caller.domain.id, box, read, {
      id,
      now,
      key_material_origin: source === undefined ? 'native' : 'keymgr',
    }),
    ...(source && without(source, 'local_key_version')),
    ...known,
  }),
  refreshed: ({ now }, key, read) => refreshed(key, read ?? undefined, now),
  withdraw: (place, ref) => throwAwayAdapter.change(place, ref, { enabled: false }),
}
