import { randomUUID } from 'node:crypto'
import type { SimulatedGroup } from '../login/directory.ts'
import type { HeldKey, HeldVersion } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import { newestOf } from './describe.ts'
import type { NewKey } from './fields.ts'

type Material = Pick<HeldKey, 'size' | 'imported'> & Partial<HeldKey>

/** A new key without versions. */
export function madeKey({ state, caller }: Call, group: SimulatedGroup, fields: NewKey, material: Material): HeldKey {
  const now = state.now()
  const isElsewhere = group.provider === 'AWS'
  const id = randomUUID()
  return {
    ...{ id, tenantId: caller.tenant.id, groupId: group.id, versions: [], createdAt: now, changedAt: now },
    creator: { id: caller.id, name: caller.name },
    ...(isElsewhere && { nativeId: `arn:aws:kms:${group.region}:111122223333:key/${id}` }),
    ...fields,
    ...material,
  }
}

/** Adds a version, which becomes the primary one; material is generated at first use unless it is given. */
export function addVersion(key: HeldKey, now: number, bytes?: Buffer): HeldVersion {
  const number = (newestOf(key)?.number ?? -1) + 1
  const made: HeldVersion = {
    ...{ number, createdAt: now, enabled: true, operations: key.operations, imported: bytes !== undefined },
    ...(bytes !== undefined && { bytes }),
  }
  key.versions.push(made)
  key.changedAt = now
  return made
}
